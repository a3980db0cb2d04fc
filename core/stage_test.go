package core

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// prop is the adapter of an invented client whose layout uses every kind of entry. The zero value is a session like
// that of Codex; its fields add to it.
type prop struct {
	provider  string
	workspace bool // instructions as a managed block in the workspace
	spill     bool // and by the first prompt when that is held
	extra     func(r preparer.Request, l *preparer.Layout)
	describe  func(d *preparer.Descriptor)
}

func (p prop) Describe() preparer.Descriptor {
	d := preparer.Descriptor{
		Provider: p.provider, Version: "1.2.3",
		Client: preparer.Client{Executables: []string{"prop-client"}, Override: "PROP_EXECUTABLE", Supported: ">=1 <2", Transport: preparer.NoTransport},
		Homes:  []preparer.Home{{ID: "prop", Env: "PROP_HOME", Default: ".prop"}},
		Inputs: []preparer.Input{
			{Name: "rules", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("prop", "RULES.override.md"), preparer.At("prop", "RULES.md")},
				Carries: []preparer.Carry{{Kind: preparer.Instructions}}},
			{Name: "config", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("prop", "config.toml")}, Format: preparer.TOML,
				Carries: []preparer.Carry{{Kind: preparer.MCPServers, Keys: []preparer.KeyPath{preparer.Key("mcp_servers", "*")}}}},
			{Name: "auth", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("prop", "auth.json")}, Format: preparer.JSON, Secret: true},
			{Name: "skills", Kind: preparer.InputNames, Filter: preparer.FilterSkills, At: []preparer.Location{preparer.At("prop", "skills")},
				Carries: []preparer.Carry{{Kind: preparer.Skills}}},
			{Name: "hooks", Kind: preparer.InputNames, Filter: ".json", At: []preparer.Location{preparer.At("prop", "hooks")},
				Carries: []preparer.Carry{{Kind: preparer.Hooks}}},
			{Name: "note", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("prop", "note.txt")}},
		},
		Instructions: []preparer.Channel{preparer.HomeFile}, Rewrite: preparer.InstructionsOnly,
		Skills: preparer.SkillChannel{Kind: preparer.SkillDirectory, Links: true, Nested: true, Names: preparer.PlainNames},
		Inherit: map[preparer.Kind]preparer.Exclusion{
			preparer.Instructions: {How: preparer.ByLayout}, preparer.Skills: {How: preparer.ByLayout, Named: true},
			preparer.MCPServers: {How: preparer.ByLayout, Named: true},
		},
		Env: []string{"PROP_*"}, Flags: []string{"--rules"},
	}
	if p.workspace {
		d.Instructions = []preparer.Channel{preparer.WorkspaceFile}
		if p.spill {
			d.Instructions = append(d.Instructions, preparer.FirstPrompt)
		}
	}
	if p.describe != nil {
		p.describe(&d)
	}
	return d
}

func (p prop) Prepare(_ context.Context, r preparer.Request) (*preparer.Layout, error) {
	l, home := preparer.NewLayout(), preparer.Session("prop")
	base := []preparer.Base{preparer.FromInput("rules"), preparer.Empty()}
	if r.Options.Inherit.None(preparer.Instructions) {
		base = []preparer.Base{preparer.Empty()}
	}
	if p.workspace {
		l.Block(preparer.Workspace("AGENTS.md"), []preparer.Base{preparer.Current(), preparer.Empty()}, r.Instructions.Text())
	} else {
		l.Block(home.Join("RULES.md"), base, r.Instructions.Text())
	}
	edits := []preparer.Edit{preparer.Set(preparer.Key("ours"), preparer.Bool(true))}
	if r.Options.Inherit.None(preparer.MCPServers) {
		edits = append(edits, preparer.Delete(preparer.Key("mcp_servers")))
	}
	l.Merge(home.Join("config.toml"), preparer.TOML, []preparer.Base{preparer.FromInput("config"), preparer.Empty()}, edits...)
	l.Merge(home.Join("state.json"), preparer.JSON, []preparer.Base{preparer.Current(), preparer.Empty()}, preparer.Set(preparer.Key("seeded"), preparer.Bool(true)))
	l.Login(preparer.Login{At: home.Join("auth.json"), Input: "auth", JSON: true, Fresher: preparer.Key("last_refresh")})
	l.Link(home.Join("models.json"), preparer.Cache("prop-models", "models.json", "config"))
	l.Share(home.Join("plugins"), preparer.At("prop", "plugins"))
	if !r.Options.Inherit.None(preparer.Skills) {
		l.Expose(preparer.Expose{At: home.Join("skills"), Input: "skills"})
	}
	l.Expose(preparer.Expose{At: home.Join("hooks"), Input: "hooks", Copy: true})
	l.Copy(home.Join("note.txt"), "note")
	l.Dir(home.Join("empty"))
	l.Program(home.Join("bin").Join("run"), preparer.S("#!/bin/sh\nexec "), preparer.Quote(preparer.Shell, home.Value()), preparer.S("\n"))
	l.Skills(preparer.PlaceSkills{At: home.Join("skills").Join("greenroom"), Reserve: []string{"skills"}})
	l.Check(home.Join("config.toml"), preparer.CheckTOML, preparer.Key("ours"))
	l.Set("PROP_HOME", home.Value())
	l.Args(preparer.S("--rules"), home.Join("RULES.md").Value())
	if p.extra != nil {
		p.extra(r, l)
	}
	return l, nil
}

// stage is a user's home, a workspace and a host over one state directory, all in a scratch folder.
type stage struct {
	t     testing.TB
	dir   string
	home  string
	cwd   string
	state string
	host  *Host
}

// newStage makes a stage for adapters in this process. Without any it has a plain prop.
func newStage(t testing.TB, adapters ...preparer.Preparer) *stage {
	t.Helper()
	s := &stage{t: t, dir: t.TempDir()}
	s.home, s.cwd, s.state = filepath.Join(s.dir, "home"), filepath.Join(s.dir, "work"), filepath.Join(s.dir, "state")
	s.write("home/.prop/RULES.md", "USER RULES\r\nsecond line\r\n")
	s.write("home/.prop/config.toml", "# mine\n[mcp_servers.docs]\ncommand = \"npx\"\n")
	s.write("home/.prop/auth.json", `{"token":"R1","last_refresh":"2026-01-01T00:00:00Z","future":{"keep":["me"]}}`)
	s.write("home/.prop/skills/mine/SKILL.md", "---\nname: mine\ndescription: of the user\n---\n")
	s.write("home/.prop/hooks/one.json", "{}")
	s.write("home/.prop/note.txt", "note\r\n")
	s.write("home/.prop/plugins/cache.bin", "plugin")
	s.write("work/main.go", "package main\n")
	if len(adapters) == 0 {
		adapters = []preparer.Preparer{prop{provider: "prop"}}
	}
	s.host = s.open(nil, adapters...)
	return s
}

// open makes another host over the same state directory, as another process would.
func (s *stage) open(change func(*Config), adapters ...preparer.Preparer) *Host {
	s.t.Helper()
	c := Config{StateDir: s.state, Home: s.home, Environ: []string{"PATH=" + filepath.Join(s.dir, "bin"), "HOME=" + s.home}, Timeout: 20 * time.Second, Commands: command.Fixed()}
	for _, a := range adapters {
		c.Adapters = append(c.Adapters, adapter.Source{InProcess: a})
	}
	if change != nil {
		change(&c)
	}
	h, err := New(s.t.Context(), c)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { h.Close() })
	return h
}

func (s *stage) session(id string) Session {
	return Session{Workspace: "w1", ID: id, Provider: "prop", Cwd: s.cwd}
}

func (s *stage) prepare(ses Session) *Prepared {
	s.t.Helper()
	p, err := s.host.Prepare(s.t.Context(), ses)
	if err != nil {
		s.t.Fatalf("prepare: %v", err)
	}
	return p
}

func (s *stage) cleanup(ses Session) *Report {
	s.t.Helper()
	r, err := s.host.Cleanup(s.t.Context(), ses.Ref(), CleanupOptions{})
	if err != nil {
		s.t.Fatalf("cleanup: %v", err)
	}
	return r
}

func (s *stage) path(rel string) string { return filepath.Join(s.dir, filepath.FromSlash(rel)) }

func (s *stage) write(rel, text string) {
	s.t.Helper()
	p := s.path(rel)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s *stage) read(path string) string {
	s.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(data)
}

// snapshot describes every file below a directory: kind, mode, content digest or link target, and with times also when
// it was last changed.
func snapshot(t testing.TB, dir string, times bool) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, p)
		fi, err := os.Lstat(p)
		if err != nil {
			return err
		}
		line := fi.Mode().String()
		switch {
		case fi.Mode()&fs.ModeSymlink != 0:
			target, _ := os.Readlink(p)
			line += " -> " + target
		case fi.Mode().IsRegular():
			data, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			line += " " + hex.EncodeToString(sum[:6])
		}
		if times {
			line += fmt.Sprintf(" %d", fi.ModTime().UnixNano())
		}
		out[filepath.ToSlash(rel)] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// left lists what of sessions is left in the state directory: not the store and the caches, which are shared.
func (s *stage) left() []string {
	var list []string
	for _, d := range []string{"m", "s", "w", "h"} {
		entries, _ := os.ReadDir(filepath.Join(s.state, d))
		for _, e := range entries {
			list = append(list, d+"/"+e.Name())
		}
	}
	sort.Strings(list)
	return list
}

// nonce is a set whose every text is one word.
func nonce(t testing.TB, word string) *canon.Set {
	t.Helper()
	set, err := canon.New(canon.Source{FS: fstest.MapFS{
		"instructions/05-only.md": {Data: []byte(word + " instructions\n")},
		"skills/one/SKILL.md":     {Data: []byte("---\nid: x/one\ndescription: " + word + "\n---\n" + word + " body\n")},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// nameOf is the directory name of a session of the stage.
func nameOf(s *stage, id string) string { return manifest.Name(s.session(id).Workspace, id) }

// shownNowhere holds a secret to its places: it is in no file of the stage, and in none of the values' JSON.
func (s *stage) shownNowhere(secret string, values map[string]any) {
	s.t.Helper()
	files := 0
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		files++
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), secret) {
			s.t.Errorf("it is in %s", path)
		}
		return err
	})
	if err != nil || files < 10 {
		s.t.Errorf("%d files, %v", files, err)
	}
	for name, v := range values {
		data, err := json.Marshal(v)
		if err != nil || strings.Contains(string(data), secret) {
			s.t.Errorf("%s shows it, or cannot be shown: %v", name, err)
		}
	}
}
