package input

import (
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Whoever made the repository must not keep people from working in it; what stands in the user's own home they can mend.
func TestAProjectFileThatDoesNotParseIsNotLookedInto(t *testing.T) {
	t.Parallel()
	dir := tree(t, map[string]string{"repo/sub/.tool/settings.json": `{"model": "a",`, "user/.tool/settings.json": `{"model": "a",`})
	in := preparer.Input{Name: "settings", Kind: preparer.InputFile, Learn: preparer.LearnValues, Format: preparer.JSON,
		Values: []preparer.KeyPath{preparer.Key("model")}, At: []preparer.Location{preparer.AtWorkspace(".tool/settings.json")}}
	s := take(t, dir, in)
	if f := s.Found()["settings"]; !f.Exists || len(f.Values) != 0 {
		t.Errorf("got %+v", f)
	}
	if len(s.Rejected) != 1 || s.Rejected[0].Label != "workspace:.tool/settings.json" {
		t.Errorf("rejected: %+v", s.Rejected)
	}
	in.At = []preparer.Location{preparer.At("tool", "settings.json")}
	if _, err := Take(t.Context(), []preparer.Input{in}, Roots{Homes: map[string]string{"tool": dir + "/user/.tool"}}, nil); err == nil {
		t.Error("a file of the user's is passed over as well")
	}
}
