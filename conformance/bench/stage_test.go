package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// medium is what a stage lies on.
type medium string

const (
	memory medium = "tmpfs"
	disk   medium = "disk"
)

// memoryDir is where Linux has a tmpfs for everybody.
const memoryDir = "/dev/shm"

// dir is an empty directory on a medium. Without such a medium the test is skipped.
func (m medium) dir(t testing.TB) string {
	t.Helper()
	if m == disk {
		return t.TempDir()
	}
	if fi, err := os.Stat(memoryDir); err != nil || !fi.IsDir() {
		t.Skip("no tmpfs at " + memoryDir)
	}
	dir, err := os.MkdirTemp(memoryDir, "greenroom-bench-")
	if err != nil {
		t.Skipf("no directory can be made on the tmpfs at %s: %v", memoryDir, err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// stage is a person's home and workspace as they are in real life, and a host over an empty state directory.
type stage struct {
	t      testing.TB
	dir    string
	host   *core.Host
	writes atomic.Int64 // calls that changed the disk

	connectors *connector.Context
}

// newStage furnishes a home and opens a host. Counting writes takes time of its own, so it is asked for.
func newStage(t testing.TB, on medium, sources []adapter.Source, counting bool) *stage {
	t.Helper()
	s := &stage{t: t, dir: on.dir(t), connectors: connectors()}
	s.furnish()
	c := core.Config{
		StateDir: s.path("state"), Home: s.path("home"), Environ: s.environ(), Adapters: sources, Commands: catalog(),
	}
	s.withRTK(&c)
	if counting {
		c.BeforeChange = func(int64, string, string) error { s.writes.Add(1); return nil }
	}
	var err error
	if s.host, err = core.New(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.host.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (s *stage) path(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

func (s *stage) write(rel, text string, mode os.FileMode) {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(s.path(rel)), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(s.path(rel), []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
}

// furnish is a home that was in use for a while. Its configuration has 46 lines, it has two skills, and rules that were
// approved.
func (s *stage) furnish() {
	config, err := os.ReadFile(filepath.FromSlash("../testdata/configs/codex-full.toml"))
	if err != nil {
		s.t.Fatal(err)
	}
	rules := strings.Repeat("- Say what you did, and run the tests before you say it.\n", 20)
	for rel, text := range map[string]string{
		"home/.codex/config.toml":         string(config),
		"home/.codex/AGENTS.md":           "# How I work\n\n" + rules,
		"home/.codex/auth.json":           `{"OPENAI_API_KEY":null,"tokens":{"refresh_token":"R1","account_id":"a1"},"last_refresh":"2026-01-02T03:04:05Z"}`,
		"home/.codex/rules/default.rules": "prefix_rule(pattern=[\"go\", \"test\"], decision=\"allow\")\n",
		"home/.claude/CLAUDE.md":          "# How I work\n\n" + rules,
		"home/.claude/settings.json":      `{"model":"one","permissions":{"allow":["Bash(go test:*)"]},"enabledPlugins":{"tools@shop":true}}`,
		"home/.claude.json":               `{"mcpServers":{"docs":{"type":"stdio","command":"npx"}},"projects":{` + projects() + `}}`,
		"work/go.mod":                     "module example.com/work\n",
		"work/.git/HEAD":                  "ref: refs/heads/main\n",
	} {
		s.write(rel, text, 0o600)
	}
	for _, home := range []string{".codex", ".claude"} {
		s.write("home/"+home+"/skills/review/SKILL.md", "---\nname: review\ndescription: Reviews a change.\n---\n\n"+rules, 0o644)
	}
	if runtime.GOOS == "windows" {
		return
	}
	s.write("bin/codex", "#!/bin/sh\necho codex-cli 0.171.0\n", 0o755)
	s.write("bin/claude", "#!/bin/sh\necho '2.1.197 (Claude Code)'\n", 0o755)
}

// projects is the part of a client's state that grows with use.
func projects() string {
	var list []string
	for i := range 40 {
		list = append(list, fmt.Sprintf(`"/home/dev/work/app%d":{"allowedTools":[],"history":[],"hasTrustDialogAccepted":true}`, i))
	}
	return strings.Join(list, ",")
}

// environ has a PATH of the usual length, with the clients in the last directory.
func (s *stage) environ() []string {
	var dirs []string
	for _, d := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		dirs = append(dirs, s.path("paths/"+d))
		if err := os.MkdirAll(s.path("paths/"+d), 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	dirs = append(dirs, s.path("bin"))
	return []string{"HOME=" + s.path("home"), "LANG=C.UTF-8", "TERM=xterm", "PATH=" + strings.Join(dirs, string(os.PathListSeparator))}
}

// session is a session of a provider, with everything that the standard profile has.
func (s *stage) session(provider string, n int) core.Session {
	return core.Session{
		Workspace: "bench", ID: fmt.Sprintf("%s-%d", provider, n), Provider: provider, Cwd: s.path("work"),
		BrowserUse: true, ComputerUse: true, Connectors: s.connectors,
	}
}

// unasked is a session that no adapter was asked about yet: it has a choice of its own, so that the host cannot answer
// from memory.
func (s *stage) unasked(provider string, n int) core.Session {
	ses := s.session(provider, n)
	ses.Inherit.Kinds = map[preparer.Kind]preparer.Choice{
		preparer.Plugins: {Mode: preparer.Only, Names: []string{fmt.Sprintf("one-%d", n)}},
	}
	return ses
}

func (s *stage) prepare(ses core.Session) *core.Prepared {
	s.t.Helper()
	p, err := s.host.Prepare(s.t.Context(), ses)
	if err != nil {
		s.t.Fatalf("prepare: %v", err)
	}
	return p
}

func (s *stage) cleanup(ses core.Session) {
	s.t.Helper()
	if _, err := s.host.Cleanup(s.t.Context(), ses.Ref(), core.CleanupOptions{}); err != nil {
		s.t.Fatalf("clean up: %v", err)
	}
}
