//go:build unix

package documented

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// stage is a user with a home and a project that hold things of theirs for the client.
type stage struct {
	*testing.T
	home, cwd, state string
	environ          []string
	host             *core.Host
	before           rig.Snapshot
}

// newStage sets the stage, with more directories in front of the user's PATH.
func newStage(t *testing.T, path ...string) *stage {
	t.Helper()
	root, dir := rig.Root(t, 2), t.TempDir()
	s := &stage{T: t, home: filepath.Join(dir, "home"), cwd: filepath.Join(dir, "work"), state: filepath.Join(dir, "state")}
	hooks, err := os.ReadFile(filepath.Join(root, "conformance", "testdata", "configs", "cursor-user-hooks.json"))
	if err != nil {
		t.Fatal(err)
	}
	rig.Write(t, filepath.Join(s.home, ".cursor", "hooks.json"), string(hooks))
	rig.Write(t, filepath.Join(s.home, ".cursor", "mcp.json"), `{"mcpServers":{"docs":{"command":"docs-server"}}}`)
	rig.Write(t, filepath.Join(s.home, ".cursor", "cli-config.json"), `{"version":1,"permissions":{"allow":["Shell(ls)"],"deny":[]}}`)
	rig.WriteSkill(t, filepath.Join(s.home, ".cursor", "skills", "tutti-handoff"), "tutti-handoff", "of the user", "theirs")
	rig.Write(t, filepath.Join(s.cwd, "AGENTS.md"), "rules of the project\r\n")
	rig.Write(t, filepath.Join(s.cwd, ".cursor", "hooks.json"), `{"version":1,"hooks":{}}`)
	rig.WriteSkill(t, filepath.Join(s.cwd, ".cursor", "skills", "project-notes"), "project-notes", "of the project", "theirs")

	bin := filepath.Join(dir, "greenroom-cursor")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/greenroom-cursor")
	cmd.Dir = filepath.Join(root, "providers", "cursor")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	s.environ = []string{"PATH=" + strings.Join(append(path, "/usr/bin", "/bin"), ":"), "HOME=" + s.home}
	s.host, err = core.New(t.Context(), core.Config{
		Commands: command.Fixed(),
		StateDir: s.state, Home: s.home, Environ: s.environ,
		Adapters: []adapter.Source{{Path: bin, UnsafeAnyDigest: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.host.Close() })
	s.before = s.users()
	return s
}

// users is everything of the user's.
func (s *stage) users() rig.Snapshot {
	s.Helper()
	all := rig.Snapshot{}
	for _, dir := range []string{s.home, s.cwd} {
		snapshot, err := rig.Take(dir)
		if err != nil {
			s.Fatal(err)
		}
		for path, what := range snapshot {
			all[filepath.Join(filepath.Base(dir), path)] = what
		}
	}
	return all
}

func (s *stage) session() core.Session {
	return core.Session{Workspace: "w", ID: "one", Provider: "cursor", Cwd: s.cwd}
}

func (s *stage) prepare(ses core.Session) *core.Prepared {
	s.Helper()
	p, err := s.host.Prepare(s.Context(), ses)
	if err != nil {
		s.Fatal(err)
	}
	if changed := s.before.Changes(s.users()); len(changed) > 0 {
		s.Errorf("preparing changed what is the user's: %q", changed)
	}
	return p
}

// skills are the names of what stands in the plugin's directory of skills.
func (s *stage) skills(p *core.Prepared) (names []string) {
	s.Helper()
	entries, err := os.ReadDir(filepath.Join(p.Dir, "cursor", "plugin", "skills"))
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestC128_C232_C243_CursorsPluginStandsOutsideOfTheProject(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session())
	plugin := filepath.Join(p.Dir, "cursor", "plugin")
	if diff := cmp.Diff([]string{"--plugin-dir", plugin}, p.Args); diff != "" || len(p.ArgsAfter) > 0 {
		t.Errorf("C245: %s, %q", diff, p.ArgsAfter)
	}
	if rel, err := filepath.Rel(s.cwd, plugin); err != nil || !strings.HasPrefix(rel, "..") {
		t.Errorf("the plugin is in the project: %s", rel)
	}
	var manifest map[string]any
	data, err := os.ReadFile(filepath.Join(plugin, ".cursor-plugin", "plugin.json"))
	if err != nil || json.Unmarshal(data, &manifest) != nil || manifest["name"] != "tutti-cli" || manifest["skills"] != "./skills/" {
		t.Errorf("the manifest is %s, %v", data, err)
	}
	err = filepath.WalkDir(plugin, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if err != nil || !d.IsDir() && !d.Type().IsRegular() || fi.Mode().Perm() != want {
			t.Errorf("%s is %v, %v", path, fi.Mode(), err)
		}
		if strings.Contains(path, "hooks") {
			t.Errorf("%s: there are no hooks", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	text := p.FirstPrompt()
	if len(p.Skills) < 5 || strings.Count(text, "## Where the skills lie") != 1 {
		t.Fatalf("%d skills, and the first prompt is\n%s", len(p.Skills), text)
	}
	if strings.HasPrefix(text, "## Where") || strings.Index(text, "## Environment") > strings.Index(text, "## Where") {
		t.Error("the catalog does not come last")
	}
	for _, skill := range p.Skills {
		if _, err := os.Stat(skill.Path); err != nil || strings.Count(text, skill.Path) != 1 {
			t.Errorf("%s: at its path %v, told %d times", skill.Name, err, strings.Count(text, skill.Path))
		}
	}
	// The user's skill keeps its name, and ours gives way.
	if names := s.skills(p); slices.Contains(names, "tutti-handoff") || !slices.Contains(names, "tutti-handoff-tutti") {
		t.Errorf("C100: ours are %q", names)
	}
	for _, want := range []string{"mcp_servers docs", "hooks preToolUse", "hooks stop", "skills tutti-handoff", "model_settings permissions"} {
		if !slices.ContainsFunc(p.Inherited, func(i core.Inherited) bool {
			return strings.HasPrefix(string(i.Kind)+" "+i.Name, want) && i.State == core.CameAlong
		}) {
			t.Errorf("H28: it is not said that %s comes along: %v", want, p.Inherited)
		}
	}
	if _, err := s.host.Cleanup(t.Context(), s.session().Ref(), core.CleanupOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(p.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("C122: after clean-up: %v", err)
	}
	if changed := s.before.Changes(s.users()); len(changed) > 0 {
		t.Errorf("clean-up changed what is the user's: %q", changed)
	}
}

func TestC102_C104_CursorsStaleSkillsGoAndOthersStay(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	plain := s.skills(s.prepare(s.session()))
	more := s.session()
	more.ExtraSkills = []capability.SkillSpec{{Skill: skill.Skill{
		Name: "of-the-session", Files: map[string][]byte{"SKILL.md": []byte("---\nname: of-the-session\ndescription: for one session\n---\n")},
	}}}
	p := s.prepare(more)
	added := s.skills(p)
	if len(added) != len(plain)+1 {
		t.Fatalf("skills are %q, and before %q", added, plain)
	}
	dir := filepath.Join(p.Dir, "cursor", "plugin", "skills")
	rig.Write(t, filepath.Join(dir, "not-ours", "note"), "kept")
	rig.Write(t, filepath.Join(dir, plain[0], "SKILL.md"), "changed")

	want := append(slices.Clone(plain), "not-ours")
	slices.Sort(want)
	for range 3 {
		p := s.prepare(s.session())
		if diff := cmp.Diff(want, s.skills(p)); diff != "" {
			t.Fatal(diff)
		}
		if strings.Contains(p.FirstPrompt(), "of-the-session") {
			t.Error("a skill that is gone is still listed")
		}
	}
	if data, err := os.ReadFile(filepath.Join(dir, plain[0], "SKILL.md")); err != nil || string(data) == "changed" {
		t.Errorf("what was changed stays: %s, %v", data, err)
	}
}

// Files of the user's that we only list must not stop a session, however they are broken.
func TestH18_CursorsBrokenFilesStopNothing(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range []string{"hooks.json", "mcp.json", "cli-config.json"} {
		rig.Write(t, filepath.Join(s.home, ".cursor", name), "{\"hooks\": [")
	}
	s.before = s.users()
	p := s.prepare(s.session())
	if len(p.Skills) == 0 {
		t.Error("no skills")
	}
	for _, name := range []string{"cursor/hooks.json", "cursor/mcp.json", "config/cli-config.json"} {
		if !slices.ContainsFunc(p.Diagnostics, func(d core.Diagnostic) bool { return strings.HasPrefix(d.Text, "home:"+name+": does not parse") }) {
			t.Errorf("nothing is said of %s: %v", name, p.Diagnostics)
		}
	}
}

func TestC263_CursorTakesNoEndpoint(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session()
	ses.Endpoint = &modelendpoint.Endpoint{
		Protocol: preparer.OpenAI, BaseURL: "http://127.0.0.1:1/v1", Models: []modelendpoint.Model{{ID: "m"}}, Key: modelendpoint.NewKey("k"),
	}
	if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, core.ErrRefused) {
		t.Errorf("got %v", err)
	}
	if entries, err := os.ReadDir(filepath.Join(s.state, "s")); err == nil && len(entries) > 0 {
		t.Error("something of the session stands")
	}
}
