package soak

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/providers/claude"
	"github.com/greenroom-agents/greenroom/providers/codex"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var providers = []string{"codex", "claude", "blocks"}

// blocks is the adapter of an invented client that reads its instructions in the workspace.
type blocks struct{}

func (blocks) Describe() preparer.Descriptor {
	return preparer.Descriptor{
		Provider: "blocks", Version: "1.0.0",
		Client:       preparer.Client{Executables: []string{"blocks"}, Transport: preparer.NoTransport},
		Instructions: []preparer.Channel{preparer.WorkspaceFile},
		Skills:       preparer.SkillChannel{Kind: preparer.SkillDirectory, Links: true, Names: preparer.PlainNames},
		Rewrite:      preparer.InstructionsOnly,
	}
}

func (blocks) Prepare(_ context.Context, r preparer.Request) (*preparer.Layout, error) {
	l := preparer.NewLayout()
	l.Block(preparer.Workspace("AGENTS.md"), []preparer.Base{preparer.Current(), preparer.Empty()}, r.Instructions.Text())
	l.Skills(preparer.PlaceSkills{At: preparer.Session("skills")})
	return l, nil
}

// stage is a user's home, a workspace and a state directory.
type stage struct {
	t   *testing.T
	dir string
}

func newStage(t *testing.T) *stage {
	s := &stage{t, rig.Scratch(t, rig.Root(t, 2))}
	for rel, text := range map[string]string{
		"home/.codex/AGENTS.md":            "my rules\n",
		"home/.codex/config.toml":          "model = \"one\"\n[mcp_servers.docs]\ncommand = \"npx\"\n",
		"home/.codex/auth.json":            `{"tokens":{"refresh_token":"R1"},"last_refresh":"2026-01-02T03:04:05Z"}`,
		"home/.codex/skills/mine/SKILL.md": "---\nname: mine\ndescription: of the user\n---\n",
		"home/.claude/CLAUDE.md":           "my rules\n",
		"home/.claude/settings.json":       "{}",
		"work/AGENTS.md":                   "project rules without an end",
	} {
		path := s.path(rel)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *stage) path(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

// binaries are the adapters as processes.
func (s *stage) binaries() []adapter.Source {
	s.t.Helper()
	sources := []adapter.Source{{InProcess: blocks{}}}
	for _, name := range []string{"codex", "claude"} {
		path := s.path("greenroom-" + name)
		cmd := exec.CommandContext(s.t.Context(), "go", "build", "-o", path, "./cmd/greenroom-"+name)
		cmd.Dir = filepath.Join(rig.Root(s.t, 2), "providers", name)
		if out, err := cmd.CombinedOutput(); err != nil {
			s.t.Fatalf("build the adapter of %s: %v\n%s", name, err, out)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			s.t.Fatal(err)
		}
		sum := sha256.Sum256(data)
		sources = append(sources, adapter.Source{Path: path, SHA256: hex.EncodeToString(sum[:])})
	}
	return sources
}

// inProcess are the same adapters in this process.
func (s *stage) inProcess() []adapter.Source {
	return []adapter.Source{{InProcess: blocks{}}, {InProcess: codex.Adapter{}}, {InProcess: claude.Adapter{}}}
}

func (s *stage) host(sources []adapter.Source) *core.Host {
	s.t.Helper()
	h, err := core.New(s.t.Context(), core.Config{
		StateDir: s.path("state"), Home: s.path("home"), Environ: []string{"PATH=" + s.path("bin")}, Adapters: sources, Commands: command.Fixed(),
		Timeout: 2 * time.Minute, // the machine may be slow; nothing may hang
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

// once takes one session through its life.
func (s *stage) once(h *core.Host, provider string) {
	s.t.Helper()
	p, err := h.Prepare(s.t.Context(), core.Session{Workspace: "w", ID: "first", Provider: provider, Cwd: s.path("work")})
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := h.Cleanup(s.t.Context(), p.Ref, core.CleanupOptions{}); err != nil {
		s.t.Fatal(err)
	}
}

// end takes every session away that is left.
func (s *stage) end(h *core.Host) {
	s.t.Helper()
	for info, err := range h.Sessions(s.t.Context()) {
		if err != nil {
			s.t.Error(err)
			continue
		}
		report, err := h.Cleanup(s.t.Context(), info.Ref, core.CleanupOptions{})
		if err != nil || len(report.Kept) > 0 {
			s.t.Errorf("clean up %s: %v, %v", info.Name, report, err)
		}
	}
}

// empty finds what is left in the state directory but for what sessions share.
func (s *stage) empty() {
	s.t.Helper()
	for _, dir := range []string{"m", "s", "w", "h"} {
		err := filepath.WalkDir(s.path("state/"+dir), func(name string, d os.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				s.t.Errorf("%s is left", strings.TrimPrefix(name, s.dir))
			}
			return err
		})
		if err != nil {
			s.t.Error(err)
		}
	}
	entries, err := os.ReadDir(s.path("state/store/skills"))
	if err != nil || len(entries) > 2 {
		s.t.Errorf("the store holds %d bundles, %v", len(entries), err)
	}
}

func weigh() weight {
	runtime.GC()
	w := weight{routines: runtime.NumGoroutine()}
	if entries, err := os.ReadDir("/proc/self/fd"); err == nil {
		w.files = len(entries)
	}
	return w
}
