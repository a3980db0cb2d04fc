package core

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestPrepareLaysTheSessionOut(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	before := snapshot(t, s.home, true)
	ses := s.session("one")
	p := s.prepare(ses)

	got := snapshot(t, p.Dir, false)
	kinds := map[string]string{}
	for path, line := range got {
		kinds[path] = line[:1]
	}
	want := map[string]string{
		".": "d", "prop": "d", "prop/RULES.md": "-", "prop/config.toml": "-", "prop/state.json": "-", "prop/auth.json": "L",
		"prop/models.json": "L", "prop/plugins": "L", "prop/skills": "d", "prop/skills/mine": "L", "prop/skills/greenroom": "L",
		"prop/hooks": "d", "prop/hooks/one.json": "-", "prop/note.txt": "-", "prop/empty": "d", "prop/bin": "d", "prop/bin/run": "-",
	}
	if diff := cmp.Diff(want, kinds); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
	rules := s.read(filepath.Join(p.Dir, "prop/RULES.md"))
	if !strings.HasPrefix(rules, "USER RULES\r\nsecond line\r\n") {
		t.Errorf("the user's own rules do not come first: %q", rules)
	}
	if n := strings.Count(rules, "GREENROOM BEGIN"); n != 1 {
		t.Errorf("%d managed blocks, want 1", n)
	}
	if got := s.read(filepath.Join(p.Dir, "prop/note.txt")); got != "note\r\n" {
		t.Errorf("copied note is %q", got)
	}
	if diff := cmp.Diff(before, snapshot(t, s.home, true)); diff != "" {
		t.Errorf("C232: the user's home changed (-before +after):\n%s", diff)
	}
	s.cleanup(ses)
	if left := s.left(); len(left) != 0 {
		t.Errorf("left after clean-up: %v", left)
	}
	if diff := cmp.Diff(before, snapshot(t, s.home, true)); diff != "" {
		t.Errorf("H16: clean-up changed the user's home (-before +after):\n%s", diff)
	}
}

func TestC001_MissingCwdIsNotMade(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		cwd  string
		code Code
	}{
		"missing":               {"work/not-there", ErrCwdMissing},
		"C002 a file":           {"work/main.go", ErrCwdMissing},
		"C004 blank":            {"", ErrInvalid},
		"below a file":          {"work/main.go/x", ErrCwdMissing},
		"a link that leads off": {"work/dangling", ErrCwdMissing},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			if err := os.Symlink(s.path("nowhere"), s.path("work/dangling")); err != nil {
				t.Fatal(err)
			}
			ses := s.session("one")
			ses.Cwd = ""
			if c.cwd != "" {
				ses.Cwd = s.path(c.cwd)
			}
			_, err := s.host.Prepare(t.Context(), ses)
			if !errors.Is(err, c.code) {
				t.Fatalf("error %v, want %v", err, c.code)
			}
			if _, err := os.Stat(s.path("work/not-there")); err == nil {
				t.Error("the directory was made")
			}
			if _, err := os.Stat(s.state); err == nil {
				t.Error("state was made before the input was checked")
			}
		})
	}
}

func TestC003_BadIdsAreRefusedBeforeAnyIO(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "  ", "\t\n", "a\x00b", strings.Repeat("x", 1025), "\xff\xfe"} {
		for _, field := range []string{"workspace", "session", "provider"} {
			t.Run(fmt.Sprintf("%s %.8q", field, bad), func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				ses := s.session("one")
				switch field {
				case "workspace":
					ses.Workspace = bad
				case "session":
					ses.ID = bad
				default:
					ses.Provider = bad
				}
				_, err := s.host.Prepare(t.Context(), ses)
				if !errors.Is(err, ErrInvalid) {
					t.Fatalf("error %v, want %v", err, ErrInvalid)
				}
				if _, err := os.Stat(s.state); err == nil {
					t.Error("state was made")
				}
			})
		}
	}
}

func TestC016_UnknownProviderIsAnError(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session("one")
	ses.Provider = "nobody"
	if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, ErrUnknownProvider) {
		t.Fatalf("error %v, want %v", err, ErrUnknownProvider)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestC010_EnvironmentNamesTheSession(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	bin := s.path("hostbin")
	h := s.open(func(c *Config) {
		c.Path = []string{bin, s.path("second")}
		c.Identity = Identity{Product: "Acme", CLI: "acme", EnvPrefix: "ACME"}
	}, prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
		l.PrependPath("PATH", preparer.Session("prop/bin").Value())
	}})
	p, err := h.Prepare(t.Context(), s.session("one"))
	if err != nil {
		t.Fatal(err)
	}
	env := p.Environ([]string{"PATH=/usr/bin:" + bin + ":/bin", "KEEP=1", "KEEP=2", "broken", "ACME_AGENT_CWD=stale"})
	got := map[string]string{}
	for _, kv := range env {
		name, value, ok := strings.Cut(kv, "=")
		if _, twice := got[name]; twice || !ok {
			t.Errorf("C024: %q stands twice or is no variable", kv)
		}
		got[name] = value
	}
	want := map[string]string{
		"ACME_WORKSPACE_ID": "w1", "ACME_AGENT_SESSION_ID": "one", "ACME_AGENT_PROVIDER": "prop", "ACME_AGENT_CWD": s.cwd,
		"PATH": strings.Join([]string{bin, s.path("second"), filepath.Join(p.Dir, "prop/bin"), "/usr/bin", "/bin"}, ":"), "KEEP": "2", "PROP_HOME": filepath.Join(p.Dir, "prop"),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("environment (-want +got):\n%s", diff)
	}
	if again := p.Environ(env); !cmp.Equal(again, env) {
		t.Errorf("C009: applying the overlay twice gives %v, want %v", again, env)
	}
	rules := s.read(filepath.Join(p.Dir, "prop/RULES.md"))
	if !strings.Contains(rules, "Acme") || strings.Contains(rules, "Tutti") {
		t.Error("C011: the instructions do not use the host's own name")
	}
}

func TestC019_ConcurrentPrepareSerialises(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	hosts := []*Host{s.host, s.open(nil, prop{provider: "prop"})}
	var wg sync.WaitGroup
	errs := make([]error, 16)
	for i := range errs {
		wg.Go(func() { _, errs[i] = hosts[i%2].Prepare(t.Context(), s.session("one")) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	if p := s.prepare(s.session("one")); p.Generation != 1 {
		t.Errorf("generation %d after 17 equal preparations, want 1", p.Generation)
	}
}

func TestC020_PrepareAndCleanupConcurrently(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	other := s.open(nil, prop{provider: "prop"})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				h := s.host
				if i%2 == 0 {
					h = other
				}
				var err error
				if i < 4 {
					_, err = h.Prepare(t.Context(), s.session("one"))
				} else {
					_, err = h.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	s.prepare(s.session("one"))
	s.cleanup(s.session("one"))
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestC022_FailureLeavesNothing(t *testing.T) {
	t.Parallel()
	for name, extra := range map[string]func(r preparer.Request, l *preparer.Layout){
		"a check fails": func(_ preparer.Request, l *preparer.Layout) {
			l.Check(preparer.Session("prop/config.toml"), preparer.CheckTOML, preparer.Key("nothing"))
		},
		"a config that does not parse": func(_ preparer.Request, l *preparer.Layout) {
			l.Merge(preparer.Session("prop/x.json"), preparer.JSON, []preparer.Base{preparer.FromInput("note")})
		},
		"a missing section": func(r preparer.Request, l *preparer.Layout) {
			l.File(preparer.Session("prop/x.md"), r.Instructions.Section("no-such"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, prop{provider: "prop", extra: extra})
			home, cwd := snapshot(t, s.home, true), snapshot(t, s.cwd, true)
			if _, err := s.host.Prepare(t.Context(), s.session("one")); err == nil {
				t.Fatal("no error")
			} else if CodeOf(err) == ErrInternal {
				t.Errorf("error without a class: %v", err)
			}
			if left := s.left(); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
			if diff := cmp.Diff(home, snapshot(t, s.home, true)) + cmp.Diff(cwd, snapshot(t, s.cwd, true)); diff != "" {
				t.Errorf("something of the user's changed:\n%s", diff)
			}
		})
	}
}

func TestC110_PreparingAgainWritesNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t, prop{provider: "prop", workspace: true})
	ses := s.session("one")
	s.prepare(ses)
	before := snapshot(t, s.dir, true)
	var changes []string
	h := s.open(func(c *Config) {
		c.BeforeChange = func(_ int64, call, path string) error { changes = append(changes, call+" "+path); return nil }
	}, prop{provider: "prop", workspace: true})
	for range 200 {
		if _, err := h.Prepare(t.Context(), ses); err != nil {
			t.Fatal(err)
		}
	}
	if len(changes) != 0 {
		t.Errorf("calls that change the disk: %q, want none", changes)
	}
	if diff := cmp.Diff(before, snapshot(t, s.dir, true)); diff != "" {
		t.Errorf("H07: the tree changed (-before +after):\n%s", diff)
	}
	if n := h.AdapterCalls("prop"); n != 1 {
		t.Errorf("the adapter was asked %d times, want once", n)
	}
}

func TestC213_UserConfigIsReadAfresh(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session("one")
	p := s.prepare(ses)
	file := filepath.Join(p.Dir, "prop/config.toml")
	s.write("home/.prop/config.toml", "model = \"new\"\n")
	again := s.prepare(ses)
	if again.Generation != 2 || again.Dir != p.Dir {
		t.Errorf("generation %d in %s, want 2 in the same directory", again.Generation, again.Dir)
	}
	if got := s.read(file); !strings.Contains(got, "new") || strings.Contains(got, "docs") || !strings.Contains(got, "ours") {
		t.Errorf("config is %q", got)
	}
	if err := os.Remove(s.path("home/.prop/config.toml")); err != nil {
		t.Fatal(err)
	}
	s.prepare(ses)
	if got := s.read(file); got != "ours = true\n" {
		t.Errorf("C214: config without the user's is %q", got)
	}
}

func TestC144_ChangedFileOfOursIsReportedAndRewritten(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session("one")
	p := s.prepare(ses)
	file := filepath.Join(p.Dir, "prop/bin/run")
	want := s.read(file)
	if err := os.WriteFile(file, []byte("changed"), 0o700); err != nil {
		t.Fatal(err)
	}
	again := s.prepare(ses)
	if got := s.read(file); got != want {
		t.Errorf("file is %q", got)
	}
	found := false
	for _, d := range again.Diagnostics {
		found = found || d.Code == "rewritten" && strings.Contains(d.Text, "prop/bin/run")
	}
	if !found {
		t.Errorf("nothing says that the file was changed: %v", again.Diagnostics)
	}
}

func TestC100_UserSkillKeepsItsName(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("home/.prop/skills/tutti-handoff/SKILL.md", "---\nname: tutti-handoff\ndescription: of the user\n---\n")
	s.write("home/.prop/skills/greenroom/SKILL.md", "---\nname: greenroom\ndescription: of the user\n---\n")
	p := s.prepare(s.session("one"))
	names := map[string]bool{}
	for _, v := range p.Skills {
		names[v.Name] = true
		if _, err := os.Stat(v.Path); err != nil {
			t.Errorf("the path of skill %s leads nowhere", v.Name)
		}
	}
	if !names["tutti-handoff-tutti"] || names["tutti-handoff"] {
		t.Errorf("skills are called %v, want ours to give way", names)
	}
	if got := s.read(filepath.Join(p.Dir, "prop/skills/greenroom/SKILL.md")); !strings.Contains(got, "of the user") {
		t.Errorf("the user's skill greenroom was displaced: %q", got)
	}
	rules := s.read(filepath.Join(p.Dir, "prop/RULES.md"))
	if !strings.Contains(rules, "tutti-handoff-tutti") {
		t.Error("the instructions do not use the name that our skill got")
	}
}
