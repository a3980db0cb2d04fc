package core

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// withoutLinks is a stage whose user cannot make links, as on a Windows without developer mode, while off is false.
func withoutLinks(t *testing.T, off *bool) *stage {
	s := newStage(t, prop{provider: "prop"})
	s.host = s.open(func(c *Config) {
		c.BeforeChange = func(_ int64, op, _ string) error {
			if op == fsroot.OpSymlink && !*off {
				return &os.LinkError{Op: op, Err: syscall.EPERM}
			}
			return nil
		}
	}, prop{provider: "prop"})
	return s
}

func links(t *testing.T, dir string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type()&fs.ModeSymlink != 0 {
			found = append(found, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestH20_SessionWithoutLinksHasCopies(t *testing.T) {
	t.Parallel()
	works := false
	s := withoutLinks(t, &works)
	home := snapshot(t, s.home, false)
	p := s.prepare(s.session("one"))
	if found := links(t, p.Dir); len(found) > 0 {
		t.Errorf("links: %q", found)
	}
	if len(p.Skills) < 2 {
		t.Fatal("no skills")
	}
	for _, skill := range p.Skills {
		if !strings.Contains(s.read(skill.Path), "name: "+skill.Name+"\n") {
			t.Errorf("%s is not the skill", skill.Path)
		}
	}
	mine := filepath.Join(p.Dir, "prop/skills/mine/SKILL.md")
	if got := s.read(mine); !strings.Contains(got, "of the user") {
		t.Errorf("the user's skill is %q", got)
	}
	// What the client would write through is left out, and said; the login is a copy that is brought back.
	for _, rel := range []string{"prop/plugins", "prop/models.json"} {
		if _, err := os.Lstat(filepath.Join(p.Dir, rel)); !os.IsNotExist(err) {
			t.Errorf("%s: %v", rel, err)
		}
		if !slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "link_left_out" && strings.HasPrefix(d.Text, rel+" ") }) {
			t.Errorf("nothing is said of %s: %v", rel, p.Diagnostics)
		}
	}
	if fi, err := os.Lstat(filepath.Join(p.Dir, "prop/auth.json")); err != nil || fi.Mode() != 0o600 {
		t.Errorf("the login: %v, %v", fi, err)
	}

	// Prepared again, nothing is written, and what changed in the originals comes along.
	before := snapshot(t, p.Dir, true)
	if again := s.prepare(s.session("one")); again.Generation != p.Generation {
		t.Error("preparing again changed something")
	}
	if diff := cmp.Diff(before, snapshot(t, p.Dir, true)); diff != "" {
		t.Error(diff)
	}
	s.write("home/.prop/skills/mine/SKILL.md", "---\nname: mine\ndescription: changed by the user\n---\n")
	s.prepare(s.session("one"))
	if got := s.read(mine); !strings.Contains(got, "changed by the user") {
		t.Errorf("the user's skill is still %q", got)
	}
	s.write("home/.prop/skills/mine/SKILL.md", "---\nname: mine\ndescription: of the user\n---\n")

	s.cleanup(s.session("one"))
	if _, err := os.Lstat(p.Dir); !os.IsNotExist(err) {
		t.Errorf("after clean-up: %v", err)
	}
	if diff := cmp.Diff(home, snapshot(t, s.home, false)); diff != "" {
		t.Error(diff)
	}
}

// A session that has links, prepared again where none can be made any more, goes on with copies.
func TestH20_LinksThatStopWorking(t *testing.T) {
	t.Parallel()
	works := true
	s := withoutLinks(t, &works)
	first := s.prepare(s.session("one"))
	had := links(t, first.Dir)
	if len(had) == 0 {
		t.Fatal("no links")
	}
	works = false
	s.write("home/.prop/skills/another/SKILL.md", "---\nname: another\ndescription: of the user\n---\n")
	p := s.prepare(s.session("one"))
	if got := s.read(filepath.Join(p.Dir, "prop/skills/another/SKILL.md")); !strings.Contains(got, "of the user") {
		t.Errorf("the new skill is %q", got)
	}
	for _, path := range links(t, p.Dir) {
		if !strings.HasSuffix(path, "auth.json") { // it stands, so it stays a link
			t.Errorf("%s is a link still", path)
		}
	}
	s.cleanup(s.session("one"))
}

// Something behind a link that has no end is not copied without end.
func TestH20_CopiesHaveAnEnd(t *testing.T) {
	t.Parallel()
	works := false
	s := withoutLinks(t, &works)
	if err := os.Symlink(s.path("home/.prop/skills/mine"), s.path("home/.prop/skills/mine/self")); err != nil {
		t.Fatal(err)
	}
	if _, err := s.host.Prepare(t.Context(), s.session("one")); CodeOf(err) != ErrStateWrite {
		t.Errorf("got %v", err)
	}
	if list, err := os.ReadDir(filepath.Join(s.state, "s")); err == nil && len(list) > 0 {
		t.Error("something of the session stands")
	}
}
