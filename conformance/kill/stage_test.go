//go:build unix

package kill

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/providers/claude"
	"github.com/greenroom-agents/greenroom/providers/codex"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// blocks is the adapter of an invented client that is told its instructions in the workspace, in a directory that is
// not there yet, looks for skills there too, and keeps a file of its own.
type blocks struct{}

func (blocks) Describe() preparer.Descriptor {
	return preparer.Descriptor{
		Provider: "blocks", Version: "1.0.0", Client: preparer.Client{Executables: []string{"blocks"}, Transport: preparer.NoTransport},
		Homes: []preparer.Home{{ID: "b", Default: ".blocks"}},
		Inputs: []preparer.Input{
			{Name: "conf", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("b", "conf.json")}, Format: preparer.JSON},
			{Name: "skills", Kind: preparer.InputNames, At: []preparer.Location{preparer.AtWorkspace(".blocks/skills")}, Filter: preparer.FilterSkills},
		},
		Instructions: []preparer.Channel{preparer.WorkspaceFile}, Rewrite: preparer.InstructionsOnly,
		Skills: preparer.SkillChannel{Kind: preparer.SkillDirectory, Links: true, Names: preparer.PlainNames},
		Env:    []string{"BLOCKS_HOME"},
	}
}

func (blocks) Prepare(_ context.Context, r preparer.Request) (*preparer.Layout, error) {
	l, home := preparer.NewLayout(), preparer.Session("b")
	here := []preparer.Base{preparer.Current(), preparer.Empty()}
	l.Block(preparer.Workspace("AGENTS.md"), here, r.Instructions.Text())
	l.Block(preparer.Workspace("docs/agents/RULES.md"), here, r.Instructions.Section(r.Instructions.Sections[0]))
	l.Merge(home.Join("conf.json"), preparer.JSON, []preparer.Base{preparer.FromInput("conf"), preparer.Empty()}, preparer.Set(preparer.Key("ours"), preparer.Bool(true)))
	l.Merge(home.Join("own.json"), preparer.JSON, here, preparer.Set(preparer.Key("seeded"), preparer.Bool(true)))
	l.Skills(preparer.PlaceSkills{At: home.Join("skills")})
	l.Skills(preparer.PlaceSkills{At: preparer.Workspace(".blocks/skills"), Reserve: []string{"skills"}})
	l.Set("BLOCKS_HOME", home.Value())
	return l, nil
}

var providers = []string{"codex", "claude", "blocks"}

func adapterOf(provider string) preparer.Preparer {
	switch provider {
	case "codex":
		return codex.Adapter{}
	case "claude":
		return claude.Adapter{}
	}
	return blocks{}
}

// stage is a user's home and workspace with something of each sort in them, and a state directory.
type stage struct {
	Dir      string
	Provider string
}

func (s stage) path(rel string) string { return filepath.Join(s.Dir, filepath.FromSlash(rel)) }

func (s stage) session(id string) core.Session {
	return core.Session{Workspace: "w", ID: id, Provider: s.Provider, Cwd: s.path("work")}
}

const (
	loginR1 = `{"OPENAI_API_KEY":null,"tokens":{"refresh_token":"R1"},"last_refresh":"2026-01-02T03:04:05Z","future":{"keep":["me"]}}`
	loginR2 = `{"OPENAI_API_KEY":null,"tokens":{"refresh_token":"R2"},"last_refresh":"2026-02-02T03:04:05Z","future":{"keep":["me"]}}`
)

// furnish makes the user's files.
func (s stage) furnish() error {
	for rel, text := range map[string]string{
		"home/.codex/AGENTS.md":             "my rules\r\n",
		"home/.codex/config.toml":           "model = \"one\"\n[mcp_servers.docs]\ncommand = \"npx\"\n",
		"home/.codex/auth.json":             loginR1,
		"home/.codex/skills/mine/SKILL.md":  "---\nname: mine\ndescription: of the user\n---\n",
		"home/.codex/agents/scout.toml":     "name = \"scout\"\ndescription = \"d\"\ndeveloper_instructions = \"i\"\n",
		"home/.claude/CLAUDE.md":            "my rules\n",
		"home/.claude/skills/mine/SKILL.md": "---\nname: mine\ndescription: of the user\n---\n",
		"home/.claude/settings.json":        "{}",
		"home/.blocks/conf.json":            `{"a":1}`,
		"work/AGENTS.md":                    "project rules without an end",
		"work/main.go":                      "package main\n",
	} {
		if err := s.write(rel, text); err != nil {
			return err
		}
	}
	return nil
}

func (s stage) write(rel, text string) error {
	if err := os.MkdirAll(filepath.Dir(s.path(rel)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(s.path(rel), []byte(text), 0o600)
}

// host opens a host whose changes of the disk go through before.
func (s stage) host(ctx context.Context, before func(n int64, call, path string) error) (*core.Host, error) {
	return core.New(ctx, core.Config{
		StateDir: s.path("state"), Home: s.path("home"), Environ: []string{"PATH=" + s.path("bin")}, Timeout: 30 * time.Second, Commands: command.Fixed(),
		Adapters: []adapter.Source{{InProcess: adapterOf(s.Provider)}}, BeforeChange: before,
	})
}

// hashes describes every file below a directory by mode and content.
func (s stage) hashes(t testing.TB, rel string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(s.path(rel), func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := os.Lstat(p)
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(s.Dir, p)
		line := fi.Mode().String()
		if fi.Mode().IsRegular() {
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			line += " " + hex.EncodeToString(sum[:8])
		} else if fi.Mode()&fs.ModeSymlink != 0 {
			to, _ := os.Readlink(p)
			line += " -> " + to
		}
		out[filepath.ToSlash(name)] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// left lists what of sessions is left in the state directory. The store and the caches are shared, and stay.
func (s stage) left(t testing.TB) []string {
	t.Helper()
	var list []string
	for _, d := range []string{"m", "s", "w", "h"} {
		entries, err := os.ReadDir(s.path("state/" + d))
		if err != nil {
			continue
		}
		for _, e := range entries {
			list = append(list, d+"/"+e.Name())
		}
	}
	return list
}

// act does one operation on the session "one".
func (s stage) act(ctx context.Context, h *core.Host, op string) (err error) {
	ses := s.session("one")
	if s.Provider == envoyProvider {
		if ses, err = s.extended("one", true); err != nil {
			return err
		}
	}
	switch op {
	case "prepare":
		_, err = h.Prepare(ctx, ses)
	case "second":
		ses.ID = "two"
		_, err = h.Prepare(ctx, ses)
	case "otherwise":
		ses.Inherit.Preset = core.Automation
		ses.BrowserUse = s.Provider == "blocks" // another set of skills, so that links in the workspace lead elsewhere
		_, err = h.Prepare(ctx, ses)
	case "cleanup":
		_, err = h.Cleanup(ctx, ses.Ref(), core.CleanupOptions{})
	case "recover":
		_, err = h.Recover(ctx)
	case "run":
		var lease *core.Lease
		if lease, err = h.Hold(ctx, ses.Ref()); err == nil {
			if err = s.refresh(h, ctx); err == nil {
				_, err = lease.Release(ctx)
			}
		}
	default:
		err = fmt.Errorf("no operation %q", op)
	}
	return err
}

// refresh does to the session's login what a client does: a newer version takes its place by a rename.
func (s stage) refresh(h *core.Host, ctx context.Context) error {
	info, err := h.Session(ctx, s.session("one").Ref())
	if err != nil || s.Provider != "codex" {
		return err
	}
	temp := filepath.Join(info.Dir, "codex", "auth.tmp")
	if err := os.WriteFile(temp, []byte(loginR2), 0o600); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(info.Dir, "codex", "auth.json"))
}

// temporary lists names that only a half-done write has.
func temporary(hashes map[string]string) []string {
	var list []string
	for name := range hashes {
		if strings.Contains(name, "/.greenroom-") || strings.HasSuffix(name, ".draft") {
			list = append(list, name)
		}
	}
	return list
}
