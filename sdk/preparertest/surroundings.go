package preparertest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// surroundings are a home in which everything lies that a descriptor's inputs name, and an environment with every variable
// that it knows. None of this is an adapter's to look at, so that it must answer in them as it does without.
func surroundings(t testing.TB, d preparer.Descriptor) (home string, env []string) {
	home = t.TempDir()
	env = []string{"HOME=" + home, "USERPROFILE=" + home, "TZ=Pacific/Chatham", "LANG=tr_TR.UTF-8", "DEBUG=1"}
	homes := map[string]string{}
	for _, h := range d.Homes {
		dir := filepath.Join(home, "of-"+h.ID)
		if h.Default != "" {
			dir = filepath.Join(home, filepath.FromSlash(h.Default))
		}
		homes[h.ID] = dir
		if h.Env != "" {
			env = append(env, h.Env+"="+dir)
		}
	}
	names := append([]string{d.Client.Override}, d.Env...)
	for _, name := range names {
		if name != "" && name[len(name)-1] != '*' {
			env = append(env, name+"=1")
		}
	}
	for _, i := range d.Inputs {
		for _, at := range i.At {
			root := home
			if at.Base == preparer.BaseHome {
				root = homes[at.Home]
			}
			put(filepath.Join(root, filepath.FromSlash(at.Path)), i.Kind)
		}
	}
	return home, env
}

// put has something stand at a path. What cannot be there beside another thing is not needed.
func put(path string, kind preparer.InputKind) {
	if kind == preparer.InputNames {
		path = filepath.Join(path, "alpha", "SKILL.md")
	}
	if os.MkdirAll(filepath.Dir(path), 0o700) == nil {
		os.WriteFile(path, []byte("{}"), 0o600)
	}
}
