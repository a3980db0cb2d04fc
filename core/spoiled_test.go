package core

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// What an agent did to its session's directory keeps nobody from taking the session away, and nothing is touched that
// it leads to.
func TestI7_SpoiledSessionCanBeCleanedUp(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(s *stage, dir string) error{
		"its directory is a link": func(s *stage, dir string) error {
			return os.Symlink(s.path("home"), swept(t, dir))
		},
		"its directory is a file": func(_ *stage, dir string) error {
			return os.WriteFile(swept(t, dir), []byte("x"), 0o600)
		},
		"a link stands where leases are held": func(s *stage, dir string) error {
			return os.Symlink(s.path("home"), filepath.Join(dir, ".lease"))
		},
		"a file stands where leases are held": func(_ *stage, dir string) error {
			return os.WriteFile(filepath.Join(dir, ".lease"), nil, 0o600)
		},
		"a directory stands where its record is drafted": func(_ *stage, dir string) error {
			if err := os.MkdirAll(filepath.Join(dir, ".manifest", "x"), 0o700); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "prop", "config.toml"), nil, 0o600)
		},
	} {
		for _, again := range []string{"", " and prepared and held again"} {
			t.Run(name+again, func(t *testing.T) {
				t.Parallel()
				s := newStage(t)
				ses := s.session("a")
				p := s.prepare(ses)
				before := snapshot(t, s.home, true)
				if err := spoil(s, p.Dir); err != nil {
					t.Fatal(err)
				}
				if again != "" {
					s.prepare(ses)
					lease, err := s.host.Hold(t.Context(), ses.Ref())
					if err != nil {
						t.Fatalf("hold: %v", err)
					}
					if _, err := s.host.Cleanup(t.Context(), ses.Ref(), CleanupOptions{}); !errors.Is(err, ErrRunning) {
						t.Errorf("clean-up while it is held: %v", err)
					}
					if _, err := lease.Release(t.Context()); err != nil {
						t.Errorf("release: %v", err)
					}
				}
				s.cleanup(ses)
				if left := s.left(); len(left) > 0 {
					t.Errorf("left: %v", left)
				}
				if diff := cmp.Diff(before, snapshot(t, s.home, true)); diff != "" {
					t.Errorf("the user's home changed (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// swept removes a path and gives it back.
func swept(t *testing.T, path string) string {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	return path
}

// The names of our temporary files are ours only in full, and never those of a directory.
func TestI1_NamesLikeOursInAWorkspaceStay(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.write("work/.greenroom-notes", "mine\n")
	s.write("work/.greenroom-lock", "mine\n")
	s.write("work/.greenroom-dir/file", "mine\n")
	s.write("work/.greenroom-0123456789ab-1/file", "mine\n")
	before := snapshot(t, s.cwd, true)
	delete(before, ".") // a file comes and goes in it
	s.prepare(s.session("a"))
	s.cleanup(s.session("a"))
	after := snapshot(t, s.cwd, true)
	delete(after, ".")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the workspace changed (-before +after):\n%s", diff)
	}
}

// What a repository holds where a file is expected keeps nobody from working in it.
func TestHostileFilesOfARepositoryArePassedOver(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(s *stage) error{
		"a directory": func(s *stage) error { return os.Mkdir(s.path("work/servers.json"), 0o700) },
		"too large":   func(s *stage) error { return os.Truncate(s.path("work/servers.json"), 1<<40) },
		"a link to a directory": func(s *stage) error {
			return os.Symlink(s.home, s.path("work/servers.json"))
		},
		"a link to itself": func(s *stage) error { return os.Symlink("servers.json", s.path("work/servers.json")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, prop{provider: "prop", describe: func(d *preparer.Descriptor) {
				d.Inputs = append(d.Inputs, preparer.Input{Name: "servers", Kind: preparer.InputFile, At: []preparer.Location{preparer.AtWorkspace("servers.json")}})
			}})
			if name == "too large" {
				s.write("work/servers.json", "")
			}
			if err := put(s); err != nil {
				t.Fatal(err)
			}
			told := slices.ContainsFunc(s.prepare(s.session("a")).Diagnostics, func(d Diagnostic) bool {
				return d.Code == "input_passed_over" && strings.Contains(d.Text, "workspace:servers.json")
			})
			if !told {
				t.Error("nobody is told")
			}
		})
	}
}

// What is not UTF-8 can stand neither in our records nor in the files of clients: it would come back as another name.
func TestNamesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	odd := s.path("odd\xff")
	if err := os.Mkdir(odd, 0o755); err != nil {
		t.Skip("the file system takes no such name")
	}
	link := s.path("link")
	if err := os.Symlink(odd, link); err != nil {
		t.Fatal(err)
	}
	for _, cwd := range []string{odd, link} {
		ses := s.session("a")
		ses.Cwd = cwd
		if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, ErrInvalid) {
			t.Errorf("prepare: %v, want %v", err, ErrInvalid)
		}
	}
	if left := snapshot(t, odd, false); len(left) > 1 {
		t.Errorf("it holds %v", left)
	}
	for what, change := range map[string]func(*Config){
		"home":            func(c *Config) { c.Home = odd },
		"state directory": func(c *Config) { c.StateDir = odd },
	} {
		c := Config{StateDir: s.state, Home: s.home, Commands: command.Fixed()}
		change(&c)
		if _, err := New(t.Context(), c); !errors.Is(err, ErrInvalid) {
			t.Errorf("%s: %v, want %v", what, err, ErrInvalid)
		}
	}
	h := s.open(func(c *Config) { c.Environ = append(c.Environ, "PROP_HOME="+odd) }, prop{provider: "prop"})
	if _, err := h.Prepare(t.Context(), s.session("b")); !errors.Is(err, ErrInvalid) {
		t.Errorf("client home: %v, want %v", err, ErrInvalid)
	}

	s.write("home/.prop/skills/odd\xff/SKILL.md", "---\nname: odd\ndescription: d\n---\n")
	for _, generation := range []int{1, 1} {
		p := s.prepare(s.session("c"))
		told := slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool {
			return d.Code == "input_passed_over" && strings.HasPrefix(d.Text, "home:prop/skills/odd?: ")
		})
		if p.Generation != generation || !told {
			t.Errorf("generation %d, diagnostics %v", p.Generation, p.Diagnostics)
		}
	}
}

// A working directory that is another one now is left alone, and the session can be taken away. One that was made anew at
// the same path is the same: see TestWorkspaceThatWasMadeAnew.
func TestI1_WorkspaceThatIsAnotherOneNow(t *testing.T) {
	t.Parallel()
	for name, put := range map[string]func(s *stage) error{
		"a link to another directory": func(s *stage) error {
			s.write("other/AGENTS.md", s.read(s.path("old/AGENTS.md")))
			return os.Symlink(s.path("other"), s.cwd)
		},
		"a link to itself": func(s *stage) error { return os.Symlink(s.cwd, s.cwd) },
		"a file":           func(s *stage) error { return os.WriteFile(s.cwd, nil, 0o600) },
		"nothing":          func(*stage) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := blockStage(t)
			ses := s.session("a")
			s.prepare(ses)
			if err := os.Rename(s.cwd, s.path("old")); err != nil {
				t.Fatal(err)
			}
			if err := put(s); err != nil {
				t.Fatal(err)
			}
			outside := func() map[string]string {
				all := snapshot(t, s.dir, false)
				for path := range all {
					if strings.HasPrefix(path, "state") {
						delete(all, path)
					}
				}
				return all
			}
			before := outside()
			_, err := s.host.Prepare(t.Context(), ses)
			if !errors.Is(err, ErrConflict) && !errors.Is(err, ErrCwdMissing) {
				t.Errorf("prepare: %v", err)
			}
			if r := s.cleanup(ses); len(r.Kept) != 1 {
				t.Errorf("kept %v, want the workspace", r.Kept)
			}
			if left := s.left(); len(left) > 0 {
				t.Errorf("left: %v", left)
			}
			if diff := cmp.Diff(before, outside()); diff != "" {
				t.Errorf("something outside changed (-before +after):\n%s", diff)
			}
		})
	}
}
