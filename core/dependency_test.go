package core

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// A file that the user's configuration names by a relative path is found from the session too, and one that is not there
// stops the preparation before the client does, with the name of the file and nothing of where it should be.
func TestC222_FilesThatTheConfigurationNames(t *testing.T) {
	t.Parallel()
	key := preparer.Key("catalog")
	named := prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
		l.Merge(preparer.Session("prop/deps.toml"), preparer.TOML, []preparer.Base{preparer.FromInput("config"), preparer.Empty()},
			preparer.Rebase(key, "prop"), preparer.Require(key, "file"))
	}}
	for name, c := range map[string]struct {
		value string // from the stage's directory when it is absolute
		want  string // the same; "" when the file is missing
	}{
		"relative":             {"deep/models.json", "home/.prop/deep/models.json"},
		"absolute":             {"/elsewhere/models.json", "elsewhere/models.json"},
		"relative and missing": {"deep/none.json", ""},
		"absolute and missing": {"/elsewhere/none.json", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, named)
			s.write("home/.prop/deep/models.json", "{}")
			s.write("elsewhere/models.json", "{}")
			value := c.value
			if rel, absolute := strings.CutPrefix(value, "/"); absolute {
				value = s.path(rel)
			}
			s.write("home/.prop/config.toml", "catalog = '"+value+"'\n")
			if c.want != "" {
				p := s.prepare(s.session("one"))
				got, err := merge.Parse(preparer.TOML, []byte(s.read(filepath.Join(p.Dir, "prop/deps.toml"))), "deps.toml")
				if err != nil || got["catalog"] != s.path(c.want) {
					t.Errorf("the session names %v, %v", got["catalog"], err)
				}
				s.cleanup(s.session("one"))
				return
			}
			_, err := s.host.Prepare(t.Context(), s.session("one"))
			checkError(t, s, "prepare", err)
			if CodeOf(err) != ErrConfigDependency || !strings.Contains(err.Error(), `"none.json"`) || strings.Contains(err.Error(), "deep") {
				t.Errorf("got %v, want %v that names the file", err, ErrConfigDependency)
			}
			if left := s.left(); len(left) > 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}
