package merge

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestRekeyFollowsAFileThatMoved(t *testing.T) {
	t.Parallel()
	edit := []Edit{{Op: preparer.OpRekey, Path: preparer.Key("hooks", "state"), RebaseTo: "/home/u/.c", Value: "/state/s/one"}}
	for name, c := range map[string]struct{ in, want string }{
		"below the directory": {
			"[hooks.state.\"/home/u/.c/hooks.json:start:0\"]\nhash = 'x'\n",
			"[hooks.state.\"/state/s/one/hooks.json:start:0\"]\nhash = 'x'\n",
		},
		"a directory whose name begins alike": {
			"[hooks.state.\"/home/u/.codex/hooks.json\"]\nhash = 'x'\n", "[hooks.state.\"/home/u/.codex/hooks.json\"]\nhash = 'x'\n",
		},
		"what is there already stays": {
			"[hooks.state]\n\"/home/u/.c/h\" = 1\n\"/state/s/one/h\" = 2\n", "[hooks.state]\n\"/state/s/one/h\" = 2\n",
		},
		"no such table": {"a = 1\n", "a = 1\n"},
		"no table":      {"[hooks]\nstate = 1\n", "[hooks]\nstate = 1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := Apply(preparer.TOML, []byte(c.in), edit, Env{Label: "x"})
			if err != nil {
				t.Fatal(err)
			}
			got, err := Parse(preparer.TOML, out, "x")
			if err != nil {
				t.Fatal(err)
			}
			want, err := Parse(preparer.TOML, []byte(c.want), "x")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("document (-want +got):\n%s", diff)
			}
		})
	}
	bad := []Edit{{Op: preparer.OpRekey, Path: preparer.Key("a"), RebaseTo: "rel", Value: "/x"}}
	if _, err := Apply(preparer.TOML, []byte("a = 1\n"), bad, Env{Label: "x"}); err == nil {
		t.Error("a relative directory was taken")
	}
}
