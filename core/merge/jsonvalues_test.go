package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func values(text string, paths ...string) (map[string]any, error) {
	var keys []preparer.KeyPath
	for _, p := range paths {
		keys = append(keys, preparer.KeyPath(strings.Split(p, "/")))
	}
	return merge.Values(preparer.JSON, []byte(text), keys, "home:x/a.json")
}

func TestValuesOfJSONAreReadAsTheClientReadsThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		paths []string
		want  map[string]any
	}{
		"twice":              {`{"a":1,"b":2,"a":3}`, []string{"a"}, map[string]any{"a": int64(3)}},
		"twice, passed over": {`{"a":1,"a":{"x":1,"x":2},"b":2}`, []string{"b"}, map[string]any{"b": int64(2)}},
		"a table twice":      {`{"s":{"one":1},"s":{"two":2}}`, []string{"s/*"}, map[string]any{"s/two": int64(2)}},
		"twice within":       {`{"s":{"k":{"v":1,"v":2}}}`, []string{"s"}, map[string]any{"s": map[string]any{"k": map[string]any{"v": int64(2)}}}},
		"null takes it away": {`{"a":1,"a":null}`, []string{"a"}, map[string]any{}},
		"what is passed over holds brackets": {
			`{"x":["}",{"y":"\\\"]}"},[[],{}],"\\"],"z":{"a":{"b":[1,2]}} , "a" : true }`, []string{"a"}, map[string]any{"a": true},
		},
		"half a surrogate pair": {`{"\ud800":1,"x":"\udfff","a":2}`, []string{"a"}, map[string]any{"a": int64(2)}},
		"elements":              {`{"l":[{"k":1},2,{"j":0,"k":3}]}`, []string{"l/*/k", "l/1"}, map[string]any{"l/0/k": int64(1), "l/1": int64(2), "l/2/k": int64(3)}},
		"both a part and all":   {`{"s":{"k":1}}`, []string{"s/k", "s"}, map[string]any{"s": map[string]any{"k": int64(1)}, "s/k": int64(1)}},
		"of another kind":       {`{"s":"x","l":[1],"t":{"k":1}}`, []string{"s/*/k", "l/k", "t/k/k"}, map[string]any{}},
		"bom":                   {"\ufeff{\"a\":1}", []string{"a"}, map[string]any{"a": int64(1)}},
		"blank":                 {" \n", []string{"a"}, map[string]any{}},
		"a key that is *":       {`{"s":{"*":1,"b":2}}`, []string{"s/b"}, map[string]any{"s/b": int64(2)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := values(c.text, c.paths...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestH18_UnparsableJSONIsUnparsableAlsoWhereNobodyLooks(t *testing.T) {
	t.Parallel()
	for text, part := range map[string]string{
		"{\"a\":1,\n\"x\": [1,}":   "line 2",
		`{"a":1,"x":{"y":01}}`:     "line 1",
		`{"a":1} x`:                "line 1",
		"{\"a\":1,\"x\":\"\xff\"}": "utf-8",
		`[1]`:                      "a list",
	} {
		_, err := values(text, "a")
		wantError(t, err, fault.Unparsable, part, "home:x/a.json")
	}
}

// The state of a client grows with its history, and what is learned of it does not.
func TestLimitsAreForWhatIsReadOfJSON(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 400_000 {
		fmt.Fprintf(&b, `"/project/%d":{"history":["{"]},`, i)
	}
	if b.Len() < 9<<20 {
		t.Fatal("shorter than what can be edited")
	}
	got, err := values(`{"projects":{`+b.String()+`"":0},"servers":{"docs":{"type":"http"}}}`, "servers/*/type")
	if diff := cmp.Diff(map[string]any{"servers/docs/type": "http"}, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	for _, path := range []string{"projects", "projects/*", "projects/*/history"} {
		_, err = values(`{"projects":{`+b.String()+`"":0}}`, path)
		wantError(t, err, fault.Unparsable, "entries")
	}
	_, err = values(`{"l":[`+strings.Repeat("{},", 400_000)+`0]}`, "l/*/k")
	wantError(t, err, fault.Unparsable, "entries")
}
