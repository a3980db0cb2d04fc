package merge

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// A document that reads back as something else is never handed out.
func TestEncodeRefusesWhatReadsBackOtherwise(t *testing.T) {
	t.Parallel()
	holding := func(v any) ordered { return ordered{label: "x", top: &table{members: []member{{key: "k", val: v}}}} }
	lying := &yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{
		yamlNode("k"), {Kind: yaml.ScalarNode, Tag: "!!str", Value: "a\n# b", Style: yaml.FoldedStyle, LineComment: "\nc: d"}}}}}
	for name, c := range map[string]struct {
		tree tree
		code fault.Code
	}{
		"toml": {&tomlTree{ordered: holding(json.Number("1"))}, fault.Internal},
		"json": {&jsonTree{holding(rawString(`1, "more": 2`))}, fault.Internal},
		"yaml": {&yamlTree{label: "x", doc: lying}, fault.Unparsable},
	} {
		out, err := c.tree.encode()
		if !errors.Is(err, c.code) || out != nil {
			t.Errorf("%s: %v, %q", name, err, out)
		}
	}
	// The library reads this, but writes what it cannot read.
	odd, err := openYAML([]byte("? []#0"), "x")
	if err != nil {
		t.Fatal(err)
	}
	odd.put(place{{key: "k"}}, true)
	if out, err := odd.encode(); !errors.Is(err, fault.Unparsable) || out != nil {
		t.Errorf("%v, %q", err, out)
	}
}

func TestReadsTellsTreesApart(t *testing.T) {
	t.Parallel()
	node := tomlNode(map[string]any{"a": []any{int64(1), "x"}, "f": math.NaN(), "t": map[string]any{}})
	for name, c := range map[string]struct {
		v    map[string]any
		same bool
	}{
		"same":            {map[string]any{"a": []any{int64(1), "x"}, "f": math.NaN(), "t": map[string]any{}}, true},
		"key missing":     {map[string]any{"a": []any{int64(1), "x"}, "f": math.NaN()}, false},
		"key more":        {map[string]any{"a": []any{int64(1), "x"}, "f": math.NaN(), "t": map[string]any{"u": true}}, false},
		"other key":       {map[string]any{"a": []any{int64(1), "x"}, "f": math.NaN(), "u": map[string]any{}}, false},
		"other kind":      {map[string]any{"a": []any{1.0, "x"}, "f": math.NaN(), "t": map[string]any{}}, false},
		"other order":     {map[string]any{"a": []any{"x", int64(1)}, "f": math.NaN(), "t": map[string]any{}}, false},
		"list for table":  {map[string]any{"a": []any{int64(1), "x"}, "f": math.NaN(), "t": []any{}}, false},
		"table for value": {map[string]any{"a": []any{int64(1), map[string]any{}}, "f": math.NaN(), "t": map[string]any{}}, false},
	} {
		if got := reads(node, c.v); got != c.same {
			t.Errorf("%s: %v", name, got)
		}
	}
}
