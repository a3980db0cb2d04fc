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
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
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

// windows is a system whose user may make no symbolic links. A symbolic link stands for a junction.
type windows struct{ disks bool }

func (windows) Symlink(*os.Root, string, string) error { return syscall.EPERM }

func (windows) Junction(dir *os.Root, target, name string) error { return dir.Symlink(target, name) }

func (w windows) Hard(dir *os.Root, target, name string) error {
	if w.disks {
		return syscall.EXDEV
	}
	return os.Link(target, filepath.Join(dir.Name(), name))
}

// Junctions and hard links stand in for symbolic ones, and the record says so: the session sees what the user changes,
// and the client writes where it would have. A login is a copy, and the lock beside it one file.
func TestH20_C276_SessionOfJunctionsAndHardLinks(t *testing.T) {
	t.Parallel()
	locked := prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
		l.Login(preparer.Login{At: preparer.Session("prop").Join("second.json"), Input: "auth", JSON: true, Lock: ".refresh.lock"})
	}}
	s := newStage(t, locked)
	s.write("home/.prop/.refresh.lock", "")
	s.host = s.open(func(c *Config) { c.linker = windows{} }, locked)
	home := snapshot(t, s.home, false)
	p := s.prepare(s.session("one"))
	at := func(rel string) string { return filepath.Join(p.Dir, "prop", rel) }
	same := func(a, b string) bool {
		one, err1 := os.Stat(a)
		other, err2 := os.Stat(b)
		return err1 == nil && err2 == nil && os.SameFile(one, other)
	}
	for rel, origin := range map[string]string{"plugins": ".prop/plugins", "skills/mine": ".prop/skills/mine", ".refresh.lock": ".prop/.refresh.lock"} {
		if !same(at(rel), filepath.Join(s.home, origin)) {
			t.Errorf("%s is not the user's", rel)
		}
	}
	for _, rel := range []string{"auth.json", "second.json"} {
		if fi, err := os.Lstat(at(rel)); err != nil || fi.Mode() != 0o600 || same(at(rel), filepath.Join(s.home, ".prop/auth.json")) {
			t.Errorf("the login %s is no private copy: %v, %v", rel, fi, err)
		}
	}
	for _, skill := range p.Skills {
		if !strings.Contains(s.read(skill.Path), "name: "+skill.Name+"\n") {
			t.Errorf("%s is not the skill", skill.Path)
		}
	}
	via := s.vias("one")
	for rel, want := range map[string]fsroot.LinkKind{"prop/plugins": fsroot.Junction, "prop/skills/mine": fsroot.Junction,
		"prop/skills/greenroom": fsroot.Junction, "prop/.refresh.lock": fsroot.Hard, "prop/models.json": fsroot.LeftOut} {
		if via[rel] != want {
			t.Errorf("%s is recorded as %q, want %q", rel, via[rel], want)
		}
	}
	var codes []string
	for _, d := range p.Diagnostics {
		codes = append(codes, d.Code)
	}
	if slices.Contains(codes, "links_copied") || !slices.Contains(codes, "link_left_out") {
		t.Errorf("it says %q", codes)
	}

	// Again nothing is written, and a cache that has come to be is linked.
	before := snapshot(t, p.Dir, true)
	if again := s.prepare(s.session("one")); again.Generation != p.Generation {
		t.Error("preparing again changed something")
	}
	if diff := cmp.Diff(before, snapshot(t, p.Dir, true)); diff != "" {
		t.Error(diff)
	}
	cache := s.target("one", "prop/models.json")
	if err := os.WriteFile(cache, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.prepare(s.session("one"))
	if via := s.vias("one"); via["prop/models.json"] != fsroot.Hard || !same(at("models.json"), cache) {
		t.Errorf("the cache is %q", via["prop/models.json"])
	}

	// What the user has no longer goes, and nothing of theirs with it.
	if err := os.Rename(s.path("home/.prop/plugins"), s.path("home/plugins")); err != nil {
		t.Fatal(err)
	}
	s.prepare(s.session("one"))
	if _, err := os.Lstat(at("plugins")); !os.IsNotExist(err) {
		t.Errorf("the junction is still there: %v", err)
	}
	if err := os.Rename(s.path("home/plugins"), s.path("home/.prop/plugins")); err != nil {
		t.Fatal(err)
	}
	s.prepare(s.session("one"))
	s.cleanup(s.session("one"))
	if _, err := os.Lstat(p.Dir); !os.IsNotExist(err) {
		t.Errorf("after clean-up: %v", err)
	}
	if diff := cmp.Diff(home, snapshot(t, s.home, false)); diff != "" {
		t.Error(diff)
	}
}

// Where a file lies on another disk, and so gets no second name, the session has copies.
func TestH20_FilesOfAnotherDiskAreCopied(t *testing.T) {
	t.Parallel()
	linked := prop{provider: "prop", describe: func(d *preparer.Descriptor) {
		d.Inputs = append(d.Inputs, preparer.Input{Name: "prompts", Kind: preparer.InputNames, Filter: ".md", At: []preparer.Location{preparer.At("prop", "prompts")}})
	}, extra: func(_ preparer.Request, l *preparer.Layout) {
		l.Expose(preparer.Expose{At: preparer.Session("prop").Join("prompts"), Input: "prompts"})
	}}
	s := newStage(t, linked)
	s.write("home/.prop/prompts/one.md", "prompt of the user")
	for name, disks := range map[string]bool{"one": false, "two": true} {
		s.host = s.open(func(c *Config) { c.linker = windows{disks} }, linked)
		p := s.prepare(s.session(name))
		if got := s.read(filepath.Join(p.Dir, "prop/prompts/one.md")); got != "prompt of the user" {
			t.Errorf("%s: the prompt is %q", name, got)
		}
		if copied := slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "links_copied" }); copied != disks {
			t.Errorf("%s: it says that there are copies: %v", name, copied)
		}
		s.cleanup(s.session(name))
	}
}

// vias are how the links of a session were made, by their places.
func (s *stage) vias(id string) map[string]fsroot.LinkKind {
	s.t.Helper()
	vias := map[string]fsroot.LinkKind{}
	for _, e := range s.entries(id) {
		if e.Kind == manifest.Link {
			vias[e.Path] = e.Via
		}
	}
	return vias
}

func (s *stage) entries(id string) []manifest.Entry {
	s.t.Helper()
	m, err := manifest.Decode([]byte(s.read(filepath.Join(s.state, "m", nameOf(s, id)+".json"))))
	if err != nil {
		s.t.Fatal(err)
	}
	return m.Entries
}

func (s *stage) target(id, rel string) string {
	s.t.Helper()
	for _, e := range s.entries(id) {
		if e.Path == rel {
			return e.Target
		}
	}
	s.t.Fatalf("there is no entry %s", rel)
	return ""
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

// A path that is recorded with a slash at its end, where a link lies, leads nothing behind the link.
func TestH15_ASlashBehindARecordedLinkLeadsNowhere(t *testing.T) {
	t.Parallel()
	for name, call := range map[string]func(*stage) error{
		"prepare": func(s *stage) error { _, err := s.host.Prepare(s.t.Context(), s.session("one")); return err },
		"clean up": func(s *stage) error {
			_, err := s.host.Cleanup(s.t.Context(), s.session("one").Ref(), CleanupOptions{})
			return err
		},
		"keep transcripts": func(s *stage) error {
			_, err := s.host.Cleanup(s.t.Context(), s.session("one").Ref(), CleanupOptions{Keep: KeepTranscripts})
			return err
		},
	} {
		for _, kind := range []manifest.Kind{manifest.Link, manifest.Dir, manifest.File} {
			t.Run(name+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				s.write("victim/dir/file", "precious")
				p := s.prepare(s.session("one"))
				if err := os.Symlink(s.path("victim"), filepath.Join(p.Dir, "prop/more")); err != nil {
					t.Fatal(err)
				}
				m, err := manifest.Decode([]byte(s.read(s.record())))
				if err != nil {
					t.Fatal(err)
				}
				slashes := 0
				for i, e := range m.Entries {
					if e.Kind == manifest.Link {
						m.Entries[i].Path, m.Entries[i].Kind = e.Path+"/", kind
						slashes++
					}
				}
				m.Entries = append(m.Entries, manifest.Entry{Path: "prop/more/", Kind: kind, Custody: manifest.Ours, Target: s.path("victim")})
				slices.SortFunc(m.Entries, func(a, b manifest.Entry) int { return strings.Compare(a.Path, b.Path) })
				data, err := m.Encode()
				if err != nil || slashes == 0 {
					t.Fatalf("%d links are recorded, %v", slashes, err)
				}
				s.overwrite(s.record(), string(data))
				victim, home := snapshot(t, s.path("victim"), true), snapshot(t, s.home, true)
				err = call(s)
				if diff := cmp.Diff(victim, snapshot(t, s.path("victim"), true)) + cmp.Diff(home, snapshot(t, s.home, true)); diff != "" {
					t.Errorf("something that a link leads to changed, with %v:\n%s", err, diff)
				}
				s.cleanup(s.session("one"))
				if left := s.left(); len(left) != 0 {
					t.Errorf("left: %v", left)
				}
			})
		}
	}
}
