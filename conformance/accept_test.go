package conformance_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// validate runs the commands by which the client judges its own files, as the descriptor names them.
func (g *greenroom) validate(p *core.Prepared) []rig.Result {
	g.Helper()
	var results []rig.Result
	for _, arguments := range g.client.descriptor().Client.Validators {
		args := make([]string, len(arguments))
		for i, a := range arguments {
			args[i] = strings.ReplaceAll(a, "{session}", p.Dir)
		}
		// Not by Command: what the session puts in front of arguments is for a run, not for a subcommand.
		cmd := exec.Command(p.Executable, args...)
		cmd.Dir, cmd.Env = g.cwd, p.Environ(g.environ)
		results = append(results, rig.Run(cmd, patience))
	}
	if len(results) == 0 {
		g.Fatal("the descriptor names no validator")
	}
	return results
}

// The client's own judgement of what was prepared for it, with everything of the user's and with nothing.
func TestC233_ClientAcceptsItsFiles(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c)
		g := s.open()
		for _, preset := range []core.Preset{core.Desktop, core.Automation} {
			p := g.prepare(g.session(string(preset), preset))
			for _, result := range g.validate(p) {
				if result.Err != nil {
					t.Errorf("%s: %v\n%s%s", preset, result.Err, tail(result.Stdout), tail(result.Stderr))
				}
			}
		}
		// The judgement is worth something: it finds a fault.
		p := g.prepare(g.session("broken", core.Desktop))
		c.spoil(g, p)
		for _, result := range g.validate(p) {
			if result.Err == nil {
				t.Errorf("the client accepts a broken file: %s", tail(result.Stdout))
			}
		}
	})
}

// Rules that the user wrote reach the session and parse there. The client runs without any when one does not.
func TestC233_CodexRulesParse(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex)
	const rule = `prefix_rule(pattern = ["git", "status"], decision = "allow")` + "\n"
	rig.Write(t, s.inHome(".codex/rules/mine.rules"), rule)
	g := s.open()
	p := g.prepare(g.session("rules", core.Desktop))
	files, err := filepath.Glob(filepath.Join(codexHome(g, p), "rules", "*.rules"))
	if err != nil || len(files) == 0 {
		t.Fatalf("the session has the rules %q, %v", files, err)
	}
	for _, file := range files {
		if info, err := os.Lstat(file); err != nil || !info.Mode().IsRegular() {
			t.Errorf("%s is no private copy, and the client appends to rules: %v", filepath.Base(file), err)
		}
		cmd := exec.Command(p.Executable, "execpolicy", "check", "--rules", file, "git", "status")
		cmd.Dir, cmd.Env = g.cwd, p.Environ(g.environ)
		result := rig.Run(cmd, patience)
		if result.Err != nil || !strings.Contains(result.Stdout, `"allow"`) {
			t.Errorf("%s: %v\n%s%s", filepath.Base(file), result.Err, result.Stdout, result.Stderr)
		}
	}
}

// Claude Code says at the start of a run what it loaded. A plugin that it does not accept is missing there in silence.
func TestC256_ClaudeListsPluginAndSkills(t *testing.T) {
	t.Parallel()
	s := newStage(t, claude, upstream.Say("done"))
	g := s.open()
	p := g.prepare(g.session("init", core.Desktop))
	result := g.run(p, claude.turn("hello")...)

	var init struct {
		Subtype string
		Skills  []string
		Plugins []struct{ Name string }
	}
	for line := range strings.Lines(result.Stdout) {
		if strings.Contains(line, `"subtype":"init"`) {
			if err := json.Unmarshal([]byte(line), &init); err != nil {
				t.Fatal(err)
			}
		}
	}
	names := map[string]int{}
	for _, plugin := range init.Plugins {
		names[plugin.Name]++
	}
	if names["tutti-cli"] != 1 {
		t.Errorf("the plugins are %v, want tutti-cli once", init.Plugins)
	}
	names = map[string]int{}
	for _, skill := range init.Skills {
		names[skill]++
	}
	for _, skill := range p.Skills {
		if names[skill.Name] != 1 {
			t.Errorf("%s is listed %d times", skill.Name, names[skill.Name])
		}
	}
	if names["user-notes"] != 1 {
		t.Errorf("the user's skill is listed %d times", names["user-notes"])
	}
}

// What stands in the host's state and in its log after preparing holds no credential of the user's: logins are links.
func TestC234_NoSecretInStateOrLog(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c)
		secrets := []string{userSecret, "sk-test"}
		if c.name == "claude" {
			rig.Write(t, s.inHome(".claude/.credentials.json"), `{"claudeAiOauth":{"accessToken":"sk-test-51c2"}}`)
		}
		g := s.open()
		for _, preset := range []core.Preset{core.Desktop, core.Automation} {
			p := g.prepare(g.session(string(preset), preset))
			shown := encode(t, p)
			for _, secret := range secrets {
				if strings.Contains(shown, secret) || strings.Contains(g.log.String(), secret) {
					t.Errorf("%s: a credential is shown or logged", preset)
				}
			}
		}
		for name, entry := range s.take(g.state) {
			if !entry.Mode.IsRegular() {
				continue
			}
			data, err := os.ReadFile(filepath.Join(g.state, name))
			if err != nil {
				t.Fatal(err)
			}
			for _, secret := range secrets {
				if strings.Contains(string(data), secret) {
					t.Errorf("%s holds a credential", name)
				}
			}
		}
	})
}
