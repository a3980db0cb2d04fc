package rawjson

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

var values = []string{
	`{"a":[1,-2.5e+3,{"b":null}],"c":"x\"y\\","d":true , "e" : false}`, `[]`, `{}`, `""`, `"\u00e9\ud83d\ude00\ud83d\n"`, `0`, `-0`, `01`, `1.`, `1e`, `-`,
	`{"a"}`, `{"a":}`, `[1,]`, `{"a":1,}`, `"` + "\n" + `"`, `"\x"`, `"\u12"`, `tru`, ` null `, `{} {}`, `"` + "\xff" + `"`, `"long enough for eight bytes \\"`,
	`{"k":1,"k":2}`, `{"\u0061":"b"}`, ``, ` `, `[[[[]]]`, `"abc`,
}

func TestValidIsWhatTheStandardLibrarySays(t *testing.T) {
	t.Parallel()
	for _, v := range values {
		if got, want := Valid([]byte(v)), json.Valid([]byte(v)); got != want {
			t.Errorf("%q: %v, want %v", v, got, want)
		}
	}
	if deep := strings.Repeat("[", 100_000); Valid([]byte(deep)) {
		t.Error("no bound to the depth")
	}
}

func TestWalkerShowsWhatIsThere(t *testing.T) {
	t.Parallel()
	var got []string
	for w := Walk([]byte(` { "a" : [1, 2] , "\u0062":"x,}" ,"c":{"d":[]}} `)); w.Next(); {
		got = append(got, string(w.Key)+"="+string(w.Value))
	}
	for w := Walk([]byte(`[ 1 ,"a]", {"b":2},[] ]`)); w.Next(); {
		got = append(got, string(w.Value))
	}
	want := []string{"a=[1, 2]", `b="x,}"`, `c={"d":[]}`, "1", `"a]"`, `{"b":2}`, "[]"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q", got)
	}
	if v := Get([]byte(`{"k":1,"k":2}`), "k"); string(v) != "2" || Len([]byte(`[1,2,3]`)) != 3 || !IsNull(nil) || !IsNull([]byte(" null")) {
		t.Errorf("%s", v)
	}
}

func TestIntTakesWhatProvidersSend(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]int64{`1`: 1, `1.0`: 1, `"7"`: 7, `" 8 "`: 8, `2e2`: 200} {
		if n, ok := Int([]byte(raw)); !ok || n != want {
			t.Errorf("%s: %d, %v", raw, n, ok)
		}
	}
	for _, raw := range []string{``, `null`, `"x"`, `{}`, `1e300`, `NaN`, `"NaN"`} {
		if n, ok := Int([]byte(raw)); ok {
			t.Errorf("%s: %d", raw, n)
		}
	}
}

// FuzzText holds the walker, the strings and the check against the standard library.
func FuzzText(f *testing.F) {
	for _, v := range values {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		quoted, back := AppendString(nil, b), ""
		if err := json.Unmarshal(quoted, &back); err != nil || back != string(b) && utf8.Valid(b) {
			t.Fatalf("%q became %s: %v", b, quoted, err)
		}
		valid := Valid(b)
		if valid != json.Valid(b) && strings.Count(string(b), "[")+strings.Count(string(b), "{") < maxDepth {
			t.Fatalf("valid: %v", valid)
		}
		members := map[string]string{}
		for w := Walk(b); w.Next(); {
			members[string(w.Key)] = string(w.Value)
		}
		if !valid {
			return
		}
		var text string
		if json.Unmarshal(b, &text) == nil && Kind(b) == '"' && String(b) != text && utf8.Valid(b) {
			t.Fatalf("%q is not %q", String(b), text)
		}
		var object map[string]json.RawMessage
		if Kind(b) != '{' || json.Unmarshal(b, &object) != nil || !utf8.Valid(b) {
			return
		}
		for k, v := range object {
			if members[k] != string(v) {
				t.Fatalf("%q is %s, not %s", k, members[k], v)
			}
		}
		if len(members) != len(object) {
			t.Fatalf("%q", members)
		}
	})
}
