package core

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
)

// C323: a session of an extension that may use the browser has the skill for it in its own root, is told so, and has it no
// more when it is prepared without; where the host lacks the commands there is none.
func TestC323_BrowserSkillOfAnExtension(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	ses := s.extended("one", envoy())
	look := func(ses Session) (skills []string, told bool, p *Prepared) {
		t.Helper()
		p = mustPrepare(t, h, ses)
		root := filepath.Join(p.Dir, "extension-skills/.agents/skills")
		entries, err := os.ReadDir(root)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			skills = append(skills, e.Name())
			if info, err := os.Lstat(filepath.Join(root, e.Name(), "SKILL.md")); err != nil || !info.Mode().IsRegular() {
				t.Errorf("%s: %v, %v", e.Name(), info, err)
			}
		}
		if len(skills) != len(p.Skills) {
			t.Errorf("%v lie there, and told are %v", skills, p.Skills)
		}
		if _, err := os.Lstat(filepath.Join(s.cwd, ".agents")); !errors.Is(err, fs.ErrNotExist) {
			t.Error("there are skills in the workspace")
		}
		told = slices.ContainsFunc(p.Environ(nil), func(v string) bool { return strings.HasSuffix(v, "_BROWSER_USE_ENABLED=1") })
		return skills, told, p
	}
	without, told, p := look(ses)
	if told || slices.ContainsFunc(without, func(name string) bool { return strings.Contains(name, "browser") }) {
		t.Errorf("without a browser there are %v, told: %v", without, told)
	}
	dirs := s.dirs(p)

	ses.BrowserUse = true
	with, told, p := look(ses)
	more := slices.DeleteFunc(slices.Clone(with), func(name string) bool { return slices.Contains(without, name) })
	if !told || len(more) != 1 || !strings.Contains(more[0], "browser") || len(with) != len(without)+1 {
		t.Errorf("with a browser there are %v, told: %v", with, told)
	}
	if diff := cmp.Diff(dirs, s.dirs(p)); diff != "" {
		t.Errorf("directories of skills (-without +with):\n%s", diff)
	}

	ses.BrowserUse = false
	if again, told, _ := look(ses); told || !slices.Equal(again, without) {
		t.Errorf("without it again there are %v, told: %v", again, told)
	}
	ses.BrowserUse = true
	list = slices.DeleteFunc(list, func(c command.Command) bool { return strings.HasPrefix(c.ID, "browser.") })
	if none, told, _ := look(ses); told || !slices.Equal(none, without) {
		t.Errorf("where the host has no browser there are %v, told: %v", none, told)
	}
}
