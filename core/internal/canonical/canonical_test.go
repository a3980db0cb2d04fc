package canonical_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/big"
	"reflect"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/canonical"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
)

// C349: the form of a document, letter by letter.
func TestC349_CanonicalForm(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"white space":         {" { \"a\" : [ 1 , true , null ] }\n", `{"a":[1,true,null]}`},
		"order of names":      {`{"b":1,"a":{"d":1,"c":2}}`, `{"a":{"c":2,"d":1},"b":1}`},
		"order is of bytes":   {`{"é":1,"z":2,"A":3,"a":4,"":5,"aa":6}`, `{"":5,"A":3,"a":4,"aa":6,"z":2,"é":1}`},
		"not of UTF-16":       {`{"\ue000":1,"😀":2}`, `{"` + "\ue000" + `":1,"😀":2}`},
		"order of lists":      {`[3,1,2]`, `[3,1,2]`},
		"HTML":                {`{"<&>":"a<b>c&d"}`, `{"\u003c\u0026\u003e":"a\u003cb\u003ec\u0026d"}`},
		"HTML, escaped":       {`"\u003C\u0026\u003e"`, `"\u003c\u0026\u003e"`},
		"ends of lines":       {`"\u2028\u2029"`, `"\u2028\u2029"`},
		"short escapes":       {`"\u0008\u000c\u000a\u000d\u0009\u0022\u005c\/"`, `"\b\f\n\r\t\"\\/"`},
		"other controls":      {`"\u0000\u001f\u007f"`, `"\u0000\u001f` + "\x7f" + `"`},
		"no escapes":          {`"\u00e9\ud83d\ude00"`, `"é😀"`},
		"zeros":               {`[0,-0,0.0,-0.0,0e5,0E-400000]`, `[0,-0,0,-0,0,0]`},
		"one":                 {`[1,1.0,1e0,10e-1,0.1e1,1E+0]`, `[1,1,1,1,1,1]`},
		"2^53":                {`[9007199254740991,9007199254740992,-9007199254740992]`, `[9007199254740991,9007199254740992,-9007199254740992]`},
		"above 2^53":          {`[9007199254740994,9007199254740994.0,18014398509481984]`, `[9007199254740994,9007199254740994,18014398509481984]`},
		"large":               {`[100000000000000000000,1e20,1e21,1000000000000000000000,1.5e300]`, `[100000000000000000000,100000000000000000000,1e+21,1e+21,1.5e+300]`},
		"small":               {`[0.000001,1e-6,1e-7,0.00000015,5e-324,1.5e-10]`, `[0.000001,0.000001,1e-7,1.5e-7,5e-324,1.5e-10]`},
		"fractions":           {`[0.1,0.10,1.25,3.141592653589793]`, `[0.1,0.1,1.25,3.141592653589793]`},
		"without a signature": {`{"signature":{"value":"x"},"in":{"signature":1},"a":1}`, `{"a":1,"in":{"signature":1}}`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := canonical.Form([]byte(c.in), "signature")
			if err != nil || string(got) != c.want {
				t.Errorf("got %s, %v; want %s", got, err, c.want)
			}
		})
	}
}

// C349: what the form could not tell from something else has none.
func TestC349_NothingHasTheFormOfSomethingElse(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, field, says string }{
		"2^53 and one":       {`{"n":{"m":[0,9007199254740993]}}`, "n.m[1]", "rounding"},
		"many digits":        {`{"n":0.1234567890123456789}`, "n", "rounding"},
		"a third":            {`{"n":1.00000000000000000001}`, "n", "rounding"},
		"too large":          {`{"n":1e400}`, "n", "rounding"},
		"too small":          {`{"n":1e-400}`, "n", "rounding"},
		"a bomb":             {`{"n":1e99999999999999999999}`, "n", "rounding"},
		"a small bomb":       {`{"n":1e-999999999}`, "n", "rounding"},
		"twice":              {`{"a":1,"a":1}`, "a", "twice"},
		"twice, by escape":   {`{"a":{"b":1,"\u0062":1}}`, "a.b", "twice"},
		"twice, a signature": {`{"signature":1,"signature":2}`, "signature", "twice"},
		"half a pair":        {"{\n\"a\":\"\\ud800\"}", "", "surrogate"},
		"the other half":     {`{"a":"\ude00"}`, "", "surrogate"},
		"two first halves":   {`{"a":"\ud83d\ud83d"}`, "", "surrogate"},
		"cut pair":           {`{"a":"\ud83d\\ude00"}`, "", "surrogate"},
		"no UTF-8":           {"\"\xff\"", "", "UTF-8"},
		"two documents":      {`{} {}`, "", "more follows"},
		"deep":               {strings.Repeat("[", 100) + strings.Repeat("]", 100), "", "deeper"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := canonical.Form([]byte(c.in), "signature")
			var bad *strictjson.Error
			if !errors.As(err, &bad) || got != nil || !strings.Contains(bad.Detail, c.says) || c.field != "" && bad.Field != c.field {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

// FuzzForm: the form is what encoding/json makes of the document when it reads numbers as doubles; it says the same as the
// document, digit by digit, and is its own form.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{
		`{"b":[1,2.50,-0,1e21,1e-7,9007199254740993],"a":{"<&>":"\u2028\ud83d\ude00"},"signature":{"value":"x"}}`,
		`"\ud800"`, `{"a":1,"a":2}`, `[0.1,1E400]`, "\"\xff\"", `{"\u0000":"\b\f\/"}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		form, err := canonical.Form(data)
		if err != nil {
			return
		}
		var loose any
		if err := json.Unmarshal(data, &loose); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(loose)
		if err != nil || !bytes.Equal(form, want) {
			t.Fatalf("the form is %s, encoding/json says %s, %v", form, want, err)
		}
		if again, err := canonical.Form(form); err != nil || !bytes.Equal(again, form) {
			t.Fatalf("the form of %s is %s, %v", form, again, err)
		}
		if said, kept := exact(t, data), exact(t, form); !reflect.DeepEqual(said, kept) {
			t.Fatalf("%v was said, and %v is in the form", said, kept)
		}
	})
}

// exact reads a document with every number as a ratio.
func exact(t *testing.T, data []byte) any {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return ratios(t, v)
}

func ratios(t *testing.T, v any) any {
	switch v := v.(type) {
	case json.Number:
		r, ok := new(big.Rat).SetString(string(v))
		if !ok {
			t.Fatalf("%s is no number", v)
		}
		return r.RatString()
	case []any:
		for i := range v {
			v[i] = ratios(t, v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = ratios(t, v[name])
		}
	}
	return v
}
