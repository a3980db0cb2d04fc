package strictjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
)

type inner struct {
	Args []string `json:"args"`
}

type document struct {
	Name  string            `json:"name"`
	Count uint64            `json:"count,omitempty"`
	In    *inner            `json:"in,omitempty"`
	Env   map[string]string `json:"env,omitempty"`
	Raw   json.RawMessage   `json:"raw,omitempty"`
	When  time.Time         `json:"when,omitzero"`
	Left  string            `json:"-"`
}

func TestDecodeTakesWhatWasMeant(t *testing.T) {
	t.Parallel()
	var got document
	text := `{"name":"a","count":18446744073709551615,"in":{"args":["b"]},"env":{"X":"y"},"raw":{"any":[null,1.5]},"when":"2026-01-02T03:04:05Z"}`
	if err := strictjson.Decode([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Count != 1<<64-1 || got.In.Args[0] != "b" || got.Env["X"] != "y" || string(got.Raw) != `{"any":[null,1.5]}` || got.When.Year() != 2026 {
		t.Errorf("got %+v", got)
	}
}

func TestDecodeSaysWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text, field, detail string
		line                int
	}{
		"unknown":           {"{\n\"name\":\"a\",\n\"nmae\":\"b\"}", "nmae", "not known", 3},
		"other case":        {`{"Name":"a"}`, "Name", "not known", 1},
		"hidden field":      {`{"Left":"a"}`, "Left", "not known", 1},
		"twice":             {`{"name":"a","name":"b"}`, "name", "twice", 1},
		"twice by escape":   {`{"name":"a","n\u0061me":"b"}`, "name", "twice", 1},
		"twice in a map":    {`{"env":{"X":"1","X":"2"}}`, "env.X", "twice", 1},
		"twice in raw":      {`{"raw":{"a":{"b":1,"b":2}}}`, "raw.a.b", "twice", 1},
		"unknown below":     {`{"in":{"args":[],"argz":[]}}`, "in.argz", "not known", 1},
		"null":              {`{"name":null}`, "name", "null", 1},
		"null in a list":    {`{"in":{"args":["a",null]}}`, "in.args[1]", "null", 1},
		"wrong kind":        {`{"in":{"args":"x"}}`, "in.args", "has to be a list", 1},
		"wrong kind object": {`{"in":[]}`, "in", "has to be an object", 1},
		"fraction":          {`{"count":1.5}`, "count", "whole number", 1},
		"negative":          {`{"count":-1}`, "count", "whole number", 1},
		"two documents":     {`{"name":"a"} {}`, "", "more follows", 1},
		"cut":               {`{"name":"a"`, "", "not valid", 1},
		"empty":             {``, "", "not valid", 1},
		"no UTF-8":          {"{\"name\":\"\xff\"}", "", "UTF-8", 1},
		"deep":              {`{"raw":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "raw", "deeper", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got document
			err := strictjson.Decode([]byte(c.text), &got)
			var bad *strictjson.Error
			if !errors.As(err, &bad) {
				t.Fatalf("gave %v", err)
			}
			if strings.TrimRight(bad.Field, "[0]") != strings.TrimRight(c.field, "[0]") {
				t.Errorf("names %q, want %q", bad.Field, c.field)
			}
			if bad.Line != c.line || !strings.Contains(bad.Detail, c.detail) {
				t.Errorf("says %v", bad)
			}
		})
	}
}

// Whatever is taken is what encoding/json takes, and says the same when it is written and read again.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"name":"a","count":2,"in":{"args":["b"]},"env":{"X":"y"},"raw":[1],"when":"2026-01-02T03:04:05Z"}`))
	f.Add([]byte(`{"name":"a","name":"b"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var got, loose document
		if strictjson.Decode(data, &got) != nil {
			return
		}
		if err := json.Unmarshal(data, &loose); err != nil || !reflect.DeepEqual(got, loose) {
			t.Fatalf("encoding/json reads %+v, %v", loose, err)
		}
		if !json.Valid(data) || bytes.Contains(data, []byte("\xff")) {
			t.Fatal("this is no JSON document")
		}
	})
}

func TestDecodeAllListsWhatIsWrong(t *testing.T) {
	t.Parallel()
	text := "{\"name\":7,\n\"x\":{\"y\":null},\n\"in\":{\"args\":[null,\"a\"],\"args\":[]},\n\"name\":\"b\"}"
	var got document
	var said []string
	for _, e := range strictjson.DecodeAll([]byte(text), &got) {
		said = append(said, e.Error())
	}
	want := []string{
		"line 2: x: is a field that is not known here", "line 3: in.args[0]: is null; leave it out instead", "line 3: in.args: stands twice",
		"line 4: name: stands twice", "line 1: name: is a number, and has to be a text",
	}
	if !slices.Equal(said, want) {
		t.Errorf("got %q", said)
	}
	if found := strictjson.DecodeAll([]byte(`{"a":1,"b":2,`), &got); len(found) != 3 || !strings.Contains(found[2].Detail, "not valid JSON") {
		t.Errorf("got %v", found)
	}
	if found := strictjson.DecodeAll([]byte("{"+strings.Repeat(`"a":1,`, 5000)+`"b":1}`), &got); len(found) != 100 {
		t.Errorf("lists %d", len(found))
	}
	if found := strictjson.DecodeAll([]byte(`{"name":"a"}`), &got); len(found) != 0 {
		t.Errorf("got %v", found)
	}
}
