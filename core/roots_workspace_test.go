package core

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// plain is the agent of an extension that declares nothing but where it looks for skills.
func plain() overlay.Agent {
	a := envoy()
	a.Prep = nil
	return a
}

// placed are the skills of ours in the workspace.
func (s *stage) placed() []string {
	s.t.Helper()
	list, err := os.ReadDir(filepath.Join(s.cwd, ".agents/skills"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		s.t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		if to, err := os.Readlink(filepath.Join(s.cwd, ".agents/skills", e.Name())); err == nil && strings.HasPrefix(to, s.state) {
			names = append(names, e.Name())
		}
	}
	return names
}

// Without a home, skills stand in the roots of the workspace, each as a link, and go with the last session that has them.
func TestC325_SkillsOfAnExtensionWithoutAHome(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	before := snapshot(t, s.cwd, false)
	one := s.extended("one", plain())
	p := s.prepare(one)
	names := s.placed()
	if len(names) == 0 || len(names) != len(p.Skills) {
		t.Fatalf("placed %v of %d", names, len(p.Skills))
	}
	all := snapshot(t, s.dir, true)
	if again := s.prepare(one); again.Generation != p.Generation {
		t.Errorf("C102: generation %d, was %d", again.Generation, p.Generation)
	}
	if diff := cmp.Diff(all, snapshot(t, s.dir, true)); diff != "" {
		t.Errorf("C102: preparing again changed something:\n%s", diff)
	}
	two := s.extended("two", plain())
	s.prepare(two)
	if got := s.placed(); !slices.Equal(got, names) {
		t.Errorf("with a second session: %v, were %v", got, names)
	}
	s.cleanup(one)
	if got := s.placed(); !slices.Equal(got, names) {
		t.Errorf("the second session lost its skills: %v, were %v", got, names)
	}
	s.cleanup(two)
	if diff := cmp.Diff(before, snapshot(t, s.cwd, false)); diff != "" {
		t.Errorf("after clean-up (-before +after):\n%s", diff)
	}
}

// C100, C101: the user's skill keeps its name, and ours is called otherwise, also where names differ by case only.
func TestC101_UsersSkillsInTheWorkspaceKeepTheirNames(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	p := s.prepare(s.extended("one", plain()))
	name := s.placed()[0]
	s.cleanup(s.extended("one", plain()))
	mine := filepath.Join("work/.agents/skills", strings.ToUpper(name[:1])+name[1:], "SKILL.md")
	s.write(mine, "---\nname: "+name+"\ndescription: of the user\n---\n")
	if filepath.Join(s.dir, "work") != s.cwd {
		t.Fatalf("the workspace is %s", s.cwd)
	}
	before := snapshot(t, s.cwd, false)
	p = s.prepare(s.extended("one", plain()))
	if got := s.placed(); slices.Contains(got, name) || !slices.Contains(got, name+"-tutti") || len(got) != len(p.Skills) {
		t.Errorf("placed %v", got)
	}
	if again := s.prepare(s.extended("one", plain())); again.Generation != p.Generation {
		t.Errorf("C102: generation %d, was %d", again.Generation, p.Generation)
	}
	s.cleanup(s.extended("one", plain()))
	if diff := cmp.Diff(before, snapshot(t, s.cwd, false)); diff != "" {
		t.Errorf("after clean-up (-before +after):\n%s", diff)
	}
}

// What stands in the place of a skill, and is none, is a conflict that names it; nothing is written then.
func TestWhatStandsInThePlaceOfASkill(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(path string) error{
		"a file":           func(p string) error { return os.WriteFile(p, []byte("x"), 0o600) },
		"a link elsewhere": func(p string) error { return os.Symlink("/nowhere", p) },
		"a directory":      func(p string) error { return os.Mkdir(p, 0o700) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := envoyStage(t)
			s.prepare(s.extended("one", plain()))
			at := filepath.Join(s.cwd, ".agents/skills", s.placed()[0])
			s.cleanup(s.extended("one", plain()))
			must(s, errors.Join(os.MkdirAll(filepath.Dir(at), 0o700), put(at)))
			before := snapshot(t, s.cwd, false)
			if _, err := s.host.Prepare(t.Context(), s.extended("one", plain())); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), filepath.Base(at)) {
				t.Errorf("got %v", err)
			}
			if diff := cmp.Diff(before, snapshot(t, s.cwd, false)); diff != "" {
				t.Errorf("the workspace changed:\n%s", diff)
			}
			if left := s.left(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
		})
	}
}

// Another set of skills in the same directory is a conflict, and one that a session has alone is exchanged.
func TestOtherSkillsInOneWorkspace(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	one, two := s.extended("one", plain()), s.extended("two", plain())
	s.prepare(one)
	names := s.placed()
	more := skill.Skill{ID: "x/extra", Name: "extra", Files: map[string][]byte{"SKILL.md": []byte("---\nname: extra\ndescription: d\n---\n")}}
	two.ExtraSkills = []capability.SkillSpec{{Skill: more}}
	if _, err := s.host.Prepare(t.Context(), two); !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "other skills") {
		t.Errorf("got %v", err)
	}
	if got := s.placed(); !slices.Equal(got, names) {
		t.Errorf("placed %v, were %v", got, names)
	}
	one.ExtraSkills = two.ExtraSkills
	s.prepare(one)
	want := append(slices.Clone(names), "extra")
	slices.Sort(want)
	if got := s.placed(); !slices.Equal(got, want) {
		t.Errorf("placed %v, want %v", got, want)
	}
	one.ExtraSkills = nil
	s.prepare(one)
	if got := s.placed(); !slices.Equal(got, names) {
		t.Errorf("placed %v, want %v", got, names)
	}
	// What somebody put in the place of a link stays.
	at := filepath.Join(s.cwd, ".agents/skills", names[0])
	must(s, errors.Join(os.Remove(at), os.Symlink("/elsewhere", at)))
	out, err := s.host.Cleanup(t.Context(), one.Ref(), CleanupOptions{})
	if err != nil || len(out.Kept) != 1 || !strings.Contains(out.Kept[0].Place, names[0]) {
		t.Errorf("clean-up: %+v, %v", out, err)
	}
	if to, err := os.Readlink(at); err != nil || to != "/elsewhere" {
		t.Errorf("the link leads to %q: %v", to, err)
	}
}
