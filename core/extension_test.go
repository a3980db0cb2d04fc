package core

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// envoy is the agent of an invented extension that declares everything there is.
func envoy() overlay.Agent {
	return overlay.Agent{
		Key: "envoy", Version: "1.0.0", Digest: "d1", Executables: []string{"envoy"}, Args: []string{"acp"},
		Roots: []runtimeprep.Root{{Scope: runtimeprep.Workspace, Path: ".agents/skills"}},
		Prep: &runtimeprep.Declaration{InstructionsFile: "AGENTS.md", Home: &runtimeprep.Home{
			EnvVar: "ENVOY_HOME", DirName: "envoy", SourceEnvVar: "ENVOY_HOME", SourceDefaultRel: ".envoy",
			CopyFiles: []string{"config.yaml", "deep/state.bin", ".env"}, SharedDirs: []string{"bin"},
			ConfigFile: "config.yaml", ConfigFormat: "yaml", ExternalDirsKey: []string{"skills", "external_dirs"},
			UserHomeSkillDir: "skills", IncludeSkillRoots: true, IncludeUserHomeDir: true,
		}},
	}
}

// envoyStage is a stage with a user's home of the agent.
func envoyStage(t *testing.T) *stage {
	s := newStage(t)
	s.write("home/.envoy/config.yaml", "# mine\nmodel: acme/one # fast\nskills:\n  external_dirs:\n    - /srv/a # first\n    - ../b\n    - /srv/a\n    - ~/c\n")
	s.write("home/.envoy/.env", "KEY=\"x\"\r\nEMPTY=\r\n")
	s.write("home/.envoy/deep/state.bin", "\x00\x01\xff")
	s.write("home/.envoy/skills/mine/SKILL.md", "---\nname: mine\ndescription: of the user\n---\n")
	s.write("home/.envoy/unknown.db", "stays")
	return s
}

func (s *stage) extended(id string, a overlay.Agent) Session {
	s.t.Helper()
	o, err := overlay.New(a)
	if err != nil {
		s.t.Fatal(err)
	}
	return Session{Workspace: "w1", ID: id, Provider: o.Provider(), ExtensionRuntimePrep: o, Cwd: s.cwd}
}

// dirs is the list of directories of skills in a session's configuration.
func (s *stage) dirs(p *Prepared) []any {
	s.t.Helper()
	m, err := merge.Parse(preparer.YAML, []byte(s.read(filepath.Join(p.Dir, "envoy/config.yaml"))), "config")
	if err != nil {
		s.t.Fatal(err)
	}
	list, _ := m["skills"].(map[string]any)["external_dirs"].([]any)
	return list
}

func TestC320_SessionOfAnExtension(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	home := snapshot(t, s.path("home"), false)
	ses := s.extended("one", envoy())
	p := s.prepare(ses)
	at := filepath.Join(p.Dir, "envoy")
	if env := p.Environ(nil); !slices.Contains(env, "ENVOY_HOME="+at) || !slices.Contains(env, "TUTTI_AGENT_PROVIDER=acp:envoy") {
		t.Errorf("environment %v", env)
	}
	for _, f := range []string{".env", "deep/state.bin"} {
		if got, want := s.read(filepath.Join(at, f)), s.read(s.path("home/.envoy/"+f)); got != want {
			t.Errorf("%s is %q, want %q", f, got, want)
		}
		if fi, err := os.Stat(filepath.Join(at, f)); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", f, fi.Mode(), err)
		}
	}
	mirrored := filepath.Join(p.Dir, "extension-skills/.agents/skills")
	want := []any{"/srv/a", s.path("home/.envoy") + "/../b", "~/c", mirrored, s.path("home/.envoy/skills")}
	if diff := cmp.Diff(want, s.dirs(p)); diff != "" {
		t.Errorf("directories of skills (-want +got):\n%s", diff)
	}
	config := s.read(filepath.Join(at, "config.yaml"))
	for _, remark := range []string{"# mine\n", "# fast\n", "# first\n"} {
		if strings.Count(config, remark) != 1 {
			t.Errorf("remark %q is not there once:\n%s", remark, config)
		}
	}
	if fi, err := os.Lstat(filepath.Join(at, "config.yaml")); err != nil || fi.Mode() != 0o600 {
		t.Errorf("config.yaml: %v", err)
	}
	if len(p.Skills) == 0 {
		t.Fatal("no skills")
	}
	for _, one := range p.Skills {
		fi, err := os.Lstat(one.Path)
		if err != nil || !fi.Mode().IsRegular() || !strings.HasPrefix(one.Path, mirrored) {
			t.Errorf("skill %s at %s: %v", one.ID, one.Path, err)
		}
	}
	for _, none := range []string{filepath.Join(at, "skills"), filepath.Join(at, "unknown.db"), filepath.Join(s.cwd, ".agents")} {
		if _, err := os.Lstat(none); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there", none)
		}
	}
	if text := s.read(filepath.Join(s.cwd, "AGENTS.md")); !strings.Contains(text, "Tutti") {
		t.Errorf("instructions:\n%s", text)
	}
	if to, err := os.Readlink(filepath.Join(at, "bin")); err != nil || to != s.path("home/.envoy/bin") {
		t.Errorf("bin leads to %q: %v", to, err)
	}
	s.cleanup(ses)
	if left := s.left(); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	after := snapshot(t, s.path("home"), false)
	delete(after, ".envoy/bin")
	if diff := cmp.Diff(home, after); diff != "" {
		t.Errorf("the user's home (-before +after):\n%s", diff)
	}
	if _, err := os.Lstat(filepath.Join(s.cwd, "AGENTS.md")); err == nil {
		t.Error("AGENTS.md is left")
	}
}

func TestC321_ExtensionPreparedAgain(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	agent := envoy()
	ses := s.extended("one", agent)
	ses.ExtraSkills = []capability.SkillSpec{{Skill: skill.Skill{ID: "x/extra", Name: "extra", Files: map[string][]byte{"SKILL.md": []byte("---\nname: extra\ndescription: more\n---\n")}}}}
	p := s.prepare(ses)
	before := snapshot(t, p.Dir, true)
	if again := s.prepare(ses); again.Generation != p.Generation {
		t.Errorf("generation %d, was %d", again.Generation, p.Generation)
	}
	if diff := cmp.Diff(before, snapshot(t, p.Dir, true)); diff != "" {
		t.Errorf("prepared again (-before +after):\n%s", diff)
	}
	extra := filepath.Join(p.Dir, "extension-skills/.agents/skills/extra/SKILL.md")
	if _, err := os.Lstat(extra); err != nil {
		t.Error(err)
	}
	ses.ExtraSkills = nil
	again := s.prepare(ses)
	if _, err := os.Lstat(extra); err == nil {
		t.Error("a skill that the session has not any more is left")
	}
	if diff := cmp.Diff(5, len(s.dirs(again))); diff != "" {
		t.Errorf("directories %v", s.dirs(again))
	}
}

func TestC322_ExtensionSessionsAreApart(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	a, b := s.prepare(s.extended("a", envoy())), s.prepare(s.extended("b", envoy()))
	for _, list := range [][]any{s.dirs(a), s.dirs(b)} {
		if len(list) != 5 {
			t.Errorf("directories %v", list)
		}
	}
	for _, v := range a.Skills {
		if !strings.HasPrefix(v.Path, a.Dir) || slices.ContainsFunc(b.Skills, func(w SkillView) bool { return w.Path == v.Path }) {
			t.Errorf("skill %s lies at %s", v.ID, v.Path)
		}
	}
	if err := os.WriteFile(a.Skills[0].Path, []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s.read(b.Skills[0].Path) == "changed" {
		t.Error("two sessions share a skill")
	}
}

func TestC324_NoSourceHome(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("work/config.yaml", "from: the workspace\n")
	s.write("work/.env", "x")
	p := s.prepare(s.extended("one", envoy()))
	if diff := cmp.Diff([]any{filepath.Join(p.Dir, "extension-skills/.agents/skills")}, s.dirs(p)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Lstat(filepath.Join(p.Dir, "envoy/.env")); err == nil {
		t.Error("something was copied")
	}
	// A home that only a variable names, and that none does.
	agent := envoy()
	agent.Prep.Home.SourceDefaultRel = ""
	p = s.prepare(s.extended("two", agent))
	if len(s.dirs(p)) != 1 {
		t.Errorf("directories %v", s.dirs(p))
	}
	if _, err := os.Lstat(filepath.Join(p.Dir, "envoy/bin")); err == nil {
		t.Error("a directory is shared that nothing says where it is")
	}
	// There is no host that knows no home of the user's, and so none that could take the workspace for it.
	for _, none := range []string{"", "work", "."} {
		if _, err := New(t.Context(), Config{StateDir: s.state, Home: none}); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "Home") {
			t.Errorf("a host with home %q: %v", none, err)
		}
	}
}

// An extension that nobody has signed says so wherever a session of it is told of: once in a host's log, in the record and
// in the answer. One that somebody has signed says nothing.
func TestAnUnsignedExtensionIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	for _, unsafe := range []bool{true, false} {
		t.Run(fmt.Sprint(unsafe), func(t *testing.T) {
			t.Parallel()
			s := envoyStage(t)
			var log bytes.Buffer
			s.host = s.open(func(c *Config) { c.Logger = slog.New(slog.NewTextHandler(&log, nil)) }, prop{provider: "prop"})
			agent := envoy()
			agent.Unsafe = unsafe
			ses := s.extended("one", agent)
			s.prepare(ses)
			p := s.prepare(ses)
			want := 0
			if unsafe {
				want = 1
			}
			if got := strings.Count(log.String(), `level=WARN msg="preparing by an extension that is signed by nobody" extension=envoy`); got != want {
				t.Errorf("the log warns %d times, want %d:\n%s", got, want, log.String())
			}
			said := slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "extension_unsigned" && d.Severity == preparer.Warning })
			if said != unsafe || slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "adapter_unpinned" }) {
				t.Errorf("the host is told %v", p.Diagnostics)
			}
			if m, err := manifest.Decode([]byte(s.read(s.record()))); err != nil || m.Adapter.Unsafe != unsafe {
				t.Errorf("recorded is %+v, %v", m, err)
			}
		})
	}
}

func TestC325_ExtensionWithoutDeclaration(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	agent := envoy()
	agent.Prep = nil
	p := s.prepare(s.extended("one", agent))
	if _, err := os.Lstat(filepath.Join(s.cwd, "AGENTS.md")); err != nil {
		t.Error(err)
	}
	if list, err := os.ReadDir(p.Dir); err != nil || len(list) > 0 {
		t.Errorf("in the session: %v, %v", list, err)
	}
	if len(p.Skills) == 0 {
		t.Error("no skill is listed")
	}
	for _, skill := range p.Skills {
		if filepath.Dir(filepath.Dir(skill.Path)) != filepath.Join(s.cwd, ".agents/skills") || !strings.Contains(s.read(skill.Path), "name: "+skill.Name) {
			t.Errorf("skill %s at %s", skill.Name, skill.Path)
		}
	}
	if slices.ContainsFunc(p.Env, func(v EnvVar) bool { return strings.HasPrefix(v.Name, "ENVOY") }) {
		t.Errorf("environment %v", p.Env)
	}
}

// C340: a session whose extension is missing, empty or another's is refused; nothing is prepared on the user's own home
// instead, and nothing is written.
func TestC340_WithoutItsExtensionNothingIsPrepared(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	look := func() (all []string) {
		for _, dir := range []string{s.cwd, filepath.Join(s.state, "s"), filepath.Join(s.state, "m")} {
			_ = filepath.WalkDir(dir, func(path string, _ fs.DirEntry, _ error) error { all = append(all, path); return nil })
		}
		return all
	}
	before := look()
	for name, c := range map[string]struct {
		change func(*Session)
		want   error
	}{
		"missing":    {func(ses *Session) { ses.ExtensionRuntimePrep = nil }, ErrUnknownProvider},
		"empty":      {func(ses *Session) { ses.ExtensionRuntimePrep = &overlay.Overlay{} }, ErrInvalid},
		"another's":  {func(ses *Session) { ses.Provider = "acp:other" }, ErrInvalid},
		"an adapter": {func(ses *Session) { ses.Provider = "envoy" }, ErrInvalid},
	} {
		ses := s.extended("one", envoy())
		c.change(&ses)
		if p, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, c.want) || p != nil {
			t.Errorf("%s: %v, %v", name, p, err)
		}
	}
	if diff := cmp.Diff(before, look()); diff != "" {
		t.Error(diff)
	}
}

func TestC339_CopiesStayInTheirHome(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	s.write("home/.ssh/id", "canary")
	env := s.path("home/.envoy/.env")
	for name, c := range map[string]struct{ to, copied string }{
		"out": {s.path("home/.ssh/id"), ""}, "within": {s.path("home/.envoy/deep/state.bin"), "\x00\x01\xff"},
	} {
		if err := errors.Join(os.Remove(env), os.Symlink(c.to, env)); err != nil {
			t.Fatal(err)
		}
		ses := s.extended(name, envoy())
		p, err := s.host.Prepare(t.Context(), ses)
		if c.copied == "" {
			if !errors.Is(err, ErrLinkRefused) || !strings.Contains(err.Error(), "home:envoy/.env") {
				t.Errorf("%s: %v", name, err)
			}
			s.shownNowhereBut("canary", s.path("home/.ssh/id"))
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := s.read(filepath.Join(p.Dir, "envoy/.env")); got != c.copied {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// shownNowhereBut holds a text to the one file that it is in.
func (s *stage) shownNowhereBut(text, file string) {
	s.t.Helper()
	err := filepath.WalkDir(s.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || p == file {
			return err
		}
		data, err := os.ReadFile(p)
		if strings.Contains(string(data), text) {
			s.t.Errorf("it is in %s", p)
		}
		return err
	})
	if err != nil {
		s.t.Error(err)
	}
}

func TestC341_TooLarge(t *testing.T) {
	t.Parallel()
	for _, file := range []string{".env", "config.yaml"} {
		s := envoyStage(t)
		if err := os.Truncate(s.path("home/.envoy/"+file), 9<<20); err != nil {
			t.Fatal(err)
		}
		_, err := s.host.Prepare(t.Context(), s.extended("one", envoy()))
		if err == nil || !strings.Contains(err.Error(), file) || len(s.left()) > 0 {
			t.Errorf("%s: %v; left %v", file, err, s.left())
		}
	}
}

func TestH10_MissingConfigurationIsSaid(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("elsewhere/keep", "")
	s.host = s.open(func(c *Config) { c.Environ = append(c.Environ, "ENVOY_HOME="+s.path("elsewhere")) }, prop{provider: "prop"})
	p := s.prepare(s.extended("one", envoy()))
	i := slices.IndexFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "source_config_missing" })
	if i < 0 || !strings.Contains(p.Diagnostics[i].Text, "home:envoy/config.yaml") || !strings.Contains(p.Diagnostics[i].Text, "variable") {
		t.Errorf("diagnostics %v", p.Diagnostics)
	}
	ex, err := s.host.Explain(t.Context(), s.extended("one", envoy()))
	if err != nil || ex.Homes[0] != (HomeView{ID: "envoy", Path: s.path("elsewhere"), By: "variable", Exists: true}) {
		t.Errorf("homes %v, %v", ex.Homes, err)
	}
}

func TestH11_VariableIsTheHomeItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ value, want string }{
		"named": {"other", "other"}, "blank": {" \t", "home/.envoy"}, "empty": {"", "home/.envoy"},
	} {
		s := envoyStage(t)
		s.write("other/config.yaml", "model: other\n")
		value := c.value
		if strings.TrimSpace(value) != "" {
			value = s.path(value)
		}
		s.host = s.open(func(cfg *Config) { cfg.Environ = append(cfg.Environ, "ENVOY_HOME="+value) }, prop{provider: "prop"})
		ex, err := s.host.Explain(t.Context(), s.extended("one", envoy()))
		if err != nil || ex.Homes[0].Path != s.path(c.want) {
			t.Errorf("%s: %v, %v", name, ex.Homes, err)
		}
	}
}

func TestSourceHomeInAStateDirectoryIsRefused(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	first := s.prepare(s.extended("one", envoy()))
	if err := errors.Join(os.RemoveAll(s.path("home/.envoy")), os.Symlink(filepath.Join(first.Dir, "envoy"), s.path("home/.envoy"))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.host.Prepare(t.Context(), s.extended("two", envoy())); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), "home:envoy") {
		t.Errorf("a link into a session: %v", err)
	}
	if err := os.Remove(s.path("home/.envoy")); err != nil {
		t.Fatal(err)
	}
	h := s.open(func(c *Config) { c.Environ = append(c.Environ, "ENVOY_HOME="+filepath.Join(first.Dir, "envoy")) }, prop{provider: "prop"})
	p, err := h.Prepare(t.Context(), s.extended("two", envoy()))
	if err != nil || !slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "home_of_session" }) {
		t.Fatalf("a variable of a session: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(p.Dir, "envoy/.env")); err == nil {
		t.Error("it was copied from another session")
	}
}

func TestCopiedLogin(t *testing.T) {
	t.Parallel()
	said := func(p *Prepared) bool {
		return slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool {
			return d.Code == "single_use_login_copied" && strings.Contains(d.Text, "home:envoy/auth.json")
		})
	}
	login := `{"providers":{"x":{"refresh_token":"R1-canary"}}}`
	s := envoyStage(t)
	s.write("home/.envoy/auth.json", login)
	agent := envoy()
	agent.Prep.Home.CopyFiles = append(agent.Prep.Home.CopyFiles, "auth.json")
	p := s.prepare(s.extended("copied", agent))
	if data, _ := json.Marshal(p); !said(p) || strings.Contains(string(data), "R1-canary") {
		t.Errorf("diagnostics %v", p.Diagnostics)
	}
	agent = envoy()
	agent.Prep.Home.LoginFiles = []runtimeprep.LoginFile{{Path: "auth.json", Lock: "auth.lock"}}
	p = s.prepare(s.extended("declared", agent))
	if said(p) {
		t.Errorf("diagnostics %v", p.Diagnostics)
	}
	for _, f := range []string{"auth.json", "auth.lock"} {
		if to, err := os.Readlink(filepath.Join(p.Dir, "envoy", f)); err != nil || to != s.path("home/.envoy/"+f) {
			t.Errorf("%s leads to %q: %v", f, to, err)
		}
	}
}

func TestSecondTextGoesWithTheFirstPrompt(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	a := s.extended("a", envoy())
	a.Detail = General
	s.prepare(a)
	p := s.prepare(s.extended("b", envoy()))
	if p.FirstPrompt() == "" || !slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "workspace_held" }) {
		t.Errorf("first prompt %q, diagnostics %v", p.FirstPrompt(), p.Diagnostics)
	}
	agent := envoy()
	agent.Prep.HiddenBy = []string{".envoy.md"}
	s.write("work/.envoy.md", "of the project\n")
	if p = s.prepare(s.extended("hidden", agent)); p.FirstPrompt() == "" {
		t.Error("the instructions go to a file that the agent does not read")
	}
}

// A client that tells another number behind its version, and that makes itself a home to tell it, leaves nothing behind.
func TestVersionOfAClientThatMakesItselfAHome(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	must(s, os.Mkdir(s.path("tmp"), 0o700))
	s.write("bin/envoy", "#!/bin/sh\nmkdir -p \"$ENVOY_HOME/logs\" \"$HOME/more\"\necho x >\"$ENVOY_HOME/logs/a\"\necho 'Envoy v0.18.2 (2026.7.7.2)'\n")
	must(s, os.Chmod(s.path("bin/envoy"), 0o755))
	before := snapshot(t, s.dir, true)
	h := s.open(func(c *Config) {
		c.Environ = []string{"PATH=" + s.path("bin") + ":/usr/bin:/bin", "TMPDIR=" + s.path("tmp")}
	}, prop{provider: "prop"})
	ex, err := h.Explain(t.Context(), s.extended("one", envoy()))
	if err != nil || ex.Prepared.Version != "0.18.2" {
		t.Fatalf("version %q, %v", ex.Prepared.Version, err)
	}
	after := snapshot(t, s.dir, true)
	delete(before, "tmp")
	delete(after, "tmp")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("it left something:\n%s", diff)
	}
}
