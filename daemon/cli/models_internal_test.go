package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
)

func TestFactsOfModels(t *testing.T) {
	t.Parallel()
	type model = modelendpoint.Model
	for name, c := range map[string]struct {
		facts facts
		want  []model
	}{
		"none":                       {facts{}, []model{{ID: "a"}, {ID: "v=1:x"}}},
		"of all":                     {facts{contexts: []string{"200k"}, images: []string{everyModelWord}}, []model{{ID: "a", ContextTokens: 200_000, Images: true}, {ID: "v=1:x", ContextTokens: 200_000, Images: true}}},
		"of one, before that of all": {facts{contexts: []string{"v=1:x=1M", "40000"}, images: []string{"v=1:x"}}, []model{{ID: "a", ContextTokens: 40_000}, {ID: "v=1:x", ContextTokens: 1_000_000, Images: true}}},
		"the last of two":            {facts{contexts: []string{"5k", "6k"}}, []model{{ID: "a", ContextTokens: 6_000}, {ID: "v=1:x", ContextTokens: 6_000}}},
	} {
		got, err := c.facts.of([]string{"a", "v=1:x"})
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
}

func TestVisionOfModels(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		facts facts
		want  map[string]bool
	}{
		"nothing said": {facts{}, nil},
		"of one":       {facts{images: []string{"a"}}, map[string]bool{"a": true, "b": false}},
		"of all":       {facts{images: []string{everyModelWord}}, map[string]bool{"a": true, "b": true}},
	} {
		if diff := cmp.Diff(c.want, c.facts.vision([]string{"a", "b"})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
