package core

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestC134_WorkspaceSwappedForALink(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.prepare(s.session("one"))
	s.write("victim/AGENTS.md", s.read(s.path("work/AGENTS.md")))
	s.write("victim/precious.txt", "precious")
	if err := os.Rename(s.cwd, s.path("moved")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.path("victim"), s.cwd); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, s.path("victim"), true)
	r := s.cleanup(s.session("one"))
	if len(r.Kept) != 1 {
		t.Errorf("kept %v, want the workspace file", r.Kept)
	}
	if diff := cmp.Diff(before, snapshot(t, s.path("victim"), true)); diff != "" {
		t.Errorf("the directory that the link leads to changed:\n%s", diff)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestWorkspaceThatWasMadeAnew(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(s *stage) error{
		"a copy":             func(s *stage) error { return os.CopyFS(s.cwd, os.DirFS(s.path("moved"))) },
		"a clone without":    func(s *stage) error { return os.Mkdir(s.cwd, 0o755) },
		"a clone, by a link": func(s *stage) error { return os.CopyFS(s.cwd, os.DirFS(s.path("moved"))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := blockStage(t)
			if strings.HasSuffix(name, "link") {
				if err := os.Symlink(s.dir, s.path("way")); err != nil {
					t.Fatal(err)
				}
				s.cwd = s.path("way/work")
			}
			s.prepare(s.session("one"))
			if err := errors.Join(os.Rename(s.path("work"), s.path("moved")), again(s)); err != nil {
				t.Fatal(err)
			}
			s.prepare(s.session("one"))
			if n := strings.Count(s.read(s.path("work/AGENTS.md")), "GREENROOM BEGIN"); n != 1 {
				t.Errorf("%d blocks, want 1", n)
			}
			if r := s.cleanup(s.session("one")); len(r.Kept) != 0 {
				t.Errorf("kept %v", r.Kept)
			}
			if _, err := os.Lstat(s.path("work/AGENTS.md")); err == nil {
				t.Error("the file is left")
			}
		})
	}
}

func TestC134_WorkspaceThatIsGone(t *testing.T) {
	t.Parallel()
	for name, replace := range map[string]func(s *stage) error{
		"removed":  func(*stage) error { return nil },
		"a file":   func(s *stage) error { return os.WriteFile(s.cwd, nil, 0o644) },
		"dangling": func(s *stage) error { return os.Symlink(s.path("nowhere"), s.cwd) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := blockStage(t)
			s.prepare(s.session("one"))
			if err := errors.Join(os.RemoveAll(s.cwd), replace(s)); err != nil {
				t.Fatal(err)
			}
			r := s.cleanup(s.session("one"))
			if len(r.Kept) != 1 {
				t.Errorf("kept %v, want a word on the workspace", r.Kept)
			}
			left := s.left()
			for _, l := range left {
				if !strings.HasPrefix(l, "w/") {
					t.Errorf("left: %v", left)
				}
			}
		})
	}
}

func TestTwoStatesInOneWorkspace(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.write("work/AGENTS.md", "mine\n")
	other := s.open(func(c *Config) { c.StateDir = s.path("state2") }, prop{provider: "prop", workspace: true})
	s.prepare(s.session("one"))
	if _, err := other.Prepare(t.Context(), s.session("one")); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(s.read(s.path("work/AGENTS.md")), "GREENROOM BEGIN"); n != 2 {
		t.Errorf("%d blocks, want one of each", n)
	}
	s.cleanup(s.session("one"))
	if _, err := other.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := s.read(s.path("work/AGENTS.md")); got != "mine\n" {
		t.Errorf("file is %q", got)
	}
}

func TestC136_SessionsOfOneWorkspaceAtOnce(t *testing.T) {
	t.Parallel()
	p := prop{provider: "prop", workspace: true, spill: true}
	s := newStage(t, p)
	s.write("work/AGENTS.md", "mine\r\nno newline")
	before := snapshot(t, s.cwd, false)
	hosts := []*Host{s.host, s.open(nil, p), s.told("zebra", p)}
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			h, ses := hosts[i%len(hosts)], s.session(fmt.Sprint("s", i))
			for range 8 {
				prepared, err := h.Prepare(t.Context(), ses)
				if err != nil {
					t.Errorf("prepare: %v", err)
					return
				}
				data, err := os.ReadFile(s.path("work/AGENTS.md"))
				word := "Tutti"
				if i%len(hosts) == 2 {
					word = "zebra"
				}
				if told := strings.Contains(string(data), word) || strings.Contains(prepared.firstPrompt, word); err != nil || !told {
					t.Errorf("nothing tells the agent: %q, %q, %v", data, prepared.firstPrompt, err)
				}
				if r, err := h.Cleanup(t.Context(), ses.Ref(), CleanupOptions{}); err != nil || len(r.Kept) != 0 {
					t.Errorf("clean-up: %+v, %v", r, err)
				}
			}
		})
	}
	wg.Wait()
	if diff := cmp.Diff(before, snapshot(t, s.cwd, false)); diff != "" {
		t.Errorf("in the end the workspace is not as it was:\n%s", diff)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
