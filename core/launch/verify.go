package launch

import (
	"context"
	"path/filepath"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/handshake"
)

// listed is what a client answers to skills/list.
type listed struct {
	Data []struct {
		Skills []struct {
			Name    string `json:"name"`
			Path    string `json:"path"`
			Enabled *bool  `json:"enabled"`
		} `json:"skills"`
	} `json:"data"`
}

// verify has the client list its skills, since it takes directories in which there are none without a word. Each of ours
// must be there once, under the name that the model was told.
func (a *Appserver) verify(ctx context.Context, want []handshake.Skill) error {
	var got listed
	if err := a.call(ctx, "skills/list", map[string]any{"cwds": []string{a.cwd}}, &got); err != nil {
		return err
	}
	seen := map[string][]string{} // names by the real path
	for _, d := range got.Data {
		for _, s := range d.Skills {
			if s.Enabled == nil || *s.Enabled {
				at := real(s.Path)
				seen[at] = append(seen[at], s.Name)
			}
		}
	}
	for _, w := range want {
		switch names := seen[real(w.Path)]; {
		case len(names) == 0:
			return missing(w.Name, "the client does not list it")
		case len(names) > 1:
			return missing(w.Name, "the client lists it more than once")
		case !slices.Contains(names, w.Name):
			return missing(w.Name, "the client lists it under another name")
		}
	}
	return nil
}

func missing(name, detail string) error {
	return fault.New(fault.SkillsMissing, "start client", "skill "+name, detail).WithHint("prepare the session again")
}

// real is a path with its links resolved, as far as that works.
func real(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}
