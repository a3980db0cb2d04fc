package conformance_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/rtk"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// shortened is what the double prints in front of the output of a command.
const shortened = "shortened-51c2"

// buildDouble builds the double of rtk once.
var buildDouble = sync.OnceValues(func() (rtk.Artefact, error) {
	path := filepath.Join(adapterDir, "rtk")
	if out, err := exec.Command("go", "build", "-o", path, "./cmd/rtkdouble").CombinedOutput(); err != nil {
		return rtk.Artefact{}, fmt.Errorf("build the double of rtk: %w\n%s", err, out)
	}
	data, err := os.ReadFile(path)
	sum := sha256.Sum256(data)
	return rtk.Artefact{Path: path, SHA256: hex.EncodeToString(sum[:])}, err
})

// withRTK opens a host that has the double.
func (s *stage) withRTK() *greenroom {
	s.Helper()
	a, err := buildDouble()
	if err != nil {
		s.Fatal(err)
	}
	return s.open(func(c *core.Config) { c.RTK = rtk.Fixed(a) })
}

// shortening prepares a session with rtk.
func (g *greenroom) shortening(preset core.Preset) *core.Prepared {
	g.Helper()
	session := g.session("rtk", preset)
	session.RTK = true
	return g.prepare(session)
}

// calls are the command lines that the double was called with.
func (g *greenroom) calls(p *core.Prepared) string {
	g.Helper()
	data, err := os.ReadFile(filepath.Join(p.Dir, "rtk/tee/calls.log"))
	if err != nil && !os.IsNotExist(err) {
		g.Fatal(err)
	}
	return string(data)
}

// result is the conversation after a command of the model's was run.
func (g *greenroom) result(p *core.Prepared, flags ...string) string {
	g.Helper()
	g.run(p, g.client.turn("first-prompt", flags...)...)
	turns := g.up.Turns()
	if len(turns) < 2 {
		g.Fatalf("the model was asked %d times", len(turns))
	}
	return g.text(turns[len(turns)-1])
}

var rewriters = map[string]core.RTKLayer{"claude": core.RTKHook, "opencode": core.RTKPlugin}

// What the model asks to run is run through the session's own program where the client can, and everywhere the agent is told
// of it first and finds it by its name. Switched off, nothing of it is left.
func TestC304_RTKRunsTheCommandsOfASession(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		layer, rewrites := rewriters[c.name]
		command := "echo plain-51c2"
		if !rewrites {
			layer, command = core.RTKInstructions, "rtk echo plain-51c2"
		}
		s := newStage(t, c, c.shell(command), upstream.Say("done"))
		g := s.withRTK()
		home := s.take(s.home)
		p := g.shortening(core.Desktop)
		if p.RTK != layer {
			t.Errorf("the layer is %q, want %q", p.RTK, layer)
		}
		text := g.result(p)
		if !strings.Contains(text, shortened+" plain-51c2") {
			t.Errorf("the command was not run through rtk; it was called with\n%s\nand the model saw %s", g.calls(p), tail(text))
		}
		first := s.text(s.up.Turns()[0])
		s.counts(first, map[string]int{"# Short output\n": 1})
		if ours := strings.Index(first, "# Short output"); ours < 0 || ours > strings.Index(first, "# "+product) && strings.Contains(first, "# "+product) {
			t.Errorf("rtk is told of at %d", ours)
		}
		s.unchanged("the home", home, s.take(s.home), c.ownState()...)

		off := g.prepare(g.session("rtk", core.Desktop))
		if _, err := os.Lstat(filepath.Join(off.Dir, "rtk")); !os.IsNotExist(err) || off.RTK != "" {
			t.Errorf("C310: switched off, it leaves %v and %q", err, off.RTK)
		}
		g.cleanup(g.session("rtk", core.Desktop))
	})
}

// A program that hangs, is gone or answers nonsense holds nothing up: the command runs as it is, what is denied stays denied, and
// the client writes down what became of rtk. Prepared again, the session has its program, and the host is told that it had not.
func TestH63_ACommandRunsWithoutAnAnswerOfRTK(t *testing.T) {
	t.Parallel()
	for _, c := range []client{claude, opencode} { // the others run no command through rtk by themselves
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for name, fault := range map[string]struct{ word, program, claude, opencode string }{
				"hangs":     {"hang-51c2", "", `"timedOut":true`, "no answer in time"},
				"is gone":   {"plain-51c2", "gone", `rtk/bin/rtk: not found`, "cannot be run"},
				"is broken": {"plain-51c2", "#!/bin/sh\necho 'garbage {'\necho noise >&2\nexit 7\n", `"stdout":"garbage {\n","exitCode":7`, "cannot be run"},
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					s := newStage(t, c, c.shell("echo "+fault.word), c.shell("echo denied-51c2 > ran"), upstream.Say("done"))
					s.deny("echo denied-51c2")
					g := s.withRTK()
					p := g.shortening(core.Desktop)
					program := filepath.Join(p.Dir, "rtk/bin/rtk")
					if fault.program != "" {
						if err := os.Remove(program); err != nil {
							t.Fatal(err)
						}
					}
					if strings.HasPrefix(fault.program, "#!") {
						rig.WriteProgram(t, program, fault.program)
					}
					text := g.result(p)
					if !strings.Contains(text, fault.word) || strings.Contains(text, shortened) {
						t.Errorf("the model saw %s", tail(text))
					}
					if _, err := os.Lstat(s.inProject("ran")); !os.IsNotExist(err) {
						t.Errorf("the denied command ran: %v", err)
					}
					want, where := fault.claude, ".claude/projects"
					if c.name == opencode.name {
						want, where = fault.opencode, ".local/share/opencode/log"
					}
					if told := s.readAll(s.inHome(where)); !strings.Contains(told, want) {
						t.Errorf("no %q in what the client wrote down: %s", want, tail(told))
					}
					again := g.shortening(core.Desktop)
					if said(again, "rewritten") != (fault.program != "") {
						t.Errorf("the host is told %v", again.Diagnostics)
					}
					cmd := exec.Command(program, "echo", "again")
					cmd.Env = again.Environ(s.environ)
					if out, err := cmd.Output(); err != nil || !strings.HasPrefix(string(out), shortened) {
						t.Errorf("the session's program says %q, %v", out, err)
					}
					// A rewritten command calls it by its name alone, and finds it where only the session leads to it.
					better := g.rewritten(again, "git status")
					cmd = exec.Command("/bin/sh", "-c", better)
					cmd.Dir, cmd.Env = s.cwd, again.Environ([]string{"PATH=/usr/bin:/bin", "HOME=" + s.home})
					if out, err := cmd.Output(); better != "rtk git status" || err != nil || !strings.HasPrefix(string(out), shortened+" On branch ") {
						t.Errorf("%q in a bare shell says %q, %v", better, out, err)
					}
				})
			}
		})
	}
}

// rewritten is what the session's program makes of a command, whatever it says of permission.
func (g *greenroom) rewritten(p *core.Prepared, command string) string {
	g.Helper()
	cmd := exec.Command(filepath.Join(p.Dir, "rtk/bin/rtk"), "rewrite", command)
	cmd.Env = p.Environ(g.environ)
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		g.Fatal(err)
	}
	return string(out)
}

// deny has the project deny commands that begin with some words.
func (s *stage) deny(words string) {
	s.Helper()
	switch s.client.name {
	case claude.name:
		rig.Write(s, s.inProject(".claude/settings.json"), encode(s, map[string]any{"permissions": map[string]any{"deny": []string{"Bash(" + words + ":*)"}}}))
	case opencode.name:
		rig.Write(s, s.inProject("opencode.json"), encode(s, map[string]any{"permission": map[string]any{"bash": map[string]any{"*": "allow", words + "*": "deny"}}}))
	}
}

// readAll is what the files below a directory hold.
func (s *stage) readAll(dir string) string {
	s.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		all.Write(data)
		return err
	})
	if err != nil {
		s.Error(err)
	}
	return all.String()
}

// What the user denied stays denied, and the program is not asked, or not heard, on it.
func TestH65_ADenyRuleHoldsWithRTK(t *testing.T) {
	t.Parallel()
	for _, c := range []client{claude, opencode} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, c, c.shell("echo denied-51c2 > ran"), c.shell("echo allowed-51c2"), upstream.Say("done"))
			s.deny("echo denied-51c2")
			g := s.withRTK()
			p := g.shortening(core.Desktop)
			text := g.result(p)
			if _, err := os.Lstat(s.inProject("ran")); !os.IsNotExist(err) {
				t.Errorf("the denied command ran: %v", err)
			}
			if !strings.Contains(text, shortened+" allowed-51c2") {
				t.Errorf("the other one did not run through rtk: %s", tail(text))
			}
		})
	}
	// A rule for all commands that begin so, beside a hook of the user's own, which sees what the model wrote.
	t.Run("settings of a switcher", func(t *testing.T) {
		t.Parallel()
		s := newStage(t, claude, claude.shell("git push --force origin nowhere"), claude.shell("git status"), upstream.Say("done"))
		guard, seen := filepath.Join(s.tools, "guard.sh"), filepath.Join(s.marks, "guarded")
		rig.WriteProgram(t, guard, "#!/bin/sh\ncat >> '"+seen+"'\n")
		settings := strings.NewReplacer("http://127.0.0.1:15721", s.up.URL(), "/home/dev/bin/guard.sh", guard).Replace(s.fixture("claude-user-settings-switcher.json"))
		rig.Write(t, s.inHome(".claude/settings.json"), settings)
		g := s.withRTK()
		p := g.shortening(core.Desktop)
		g.run(p, claude.turn("first-prompt")...)
		results, err := s.turns(3)[2].ToolResults()
		if err != nil || len(results) != 2 {
			t.Fatalf("the commands gave %q, %v", results, err)
		}
		calls := g.calls(p)
		if !strings.Contains(results[0], "denied") || strings.Contains(calls, "push") {
			t.Errorf("the denied command gave %s; rtk was called with\n%s", results[0], calls)
		}
		if p.RTK != core.RTKHook || !strings.Contains(results[1], shortened+" On branch ") {
			t.Errorf("the layer is %q, and the other command gave %s", p.RTK, results[1])
		}
		hooked := s.readAll(s.marks)
		s.counts(hooked, map[string]int{`"command":"git push --force origin nowhere"`: 1, `"command":"git status"`: 1})
	})
}

// What a client looks at by the names of programs, it looks at with rtk too: the folders outside of the project that OpenCode
// asks for, and the files that the user denied in Claude Code, where a session has the instructions then.
func TestH65_ARuleForFilesHoldsWithRTK(t *testing.T) {
	t.Parallel()
	for _, c := range []client{claude, opencode} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := map[string]string{"claude": "secret", "opencode": "../secret"}[c.name]
			s := newStage(t, c, c.shell("cat "+file), upstream.Say("done"))
			rig.Write(t, s.inProject(file), "secret-51c2\n")
			if c.name == "claude" {
				rig.Write(t, s.inProject(".claude/settings.json"), encode(t, map[string]any{"permissions": map[string]any{"deny": []string{"Read(./secret)"}}}))
			}
			g := s.withRTK()
			p := g.shortening(core.Desktop)
			g.run(p, c.turn("first-prompt")...) // OpenCode ends it where nobody is there to be asked
			text := ""
			for _, turn := range g.up.Turns() {
				text += g.text(turn)
			}
			calls := g.calls(p)
			if text == "" || strings.Contains(text, "secret-51c2") {
				t.Errorf("the file was read, rtk was called with\n%s\nand the model saw %s", calls, tail(text))
			}
			want := map[string]struct {
				layer core.RTKLayer
				calls string
			}{"claude": {core.RTKInstructions, ""}, "opencode": {core.RTKPlugin, "rewrite cat ../secret\n"}}[c.name]
			if p.RTK != want.layer || calls != want.calls {
				t.Errorf("the layer is %q, and rtk was called with %q", p.RTK, calls)
			}
		})
	}
}

// A repository that is not trusted allows nothing, and rtk says for it neither what the client does not ask it. In one that is
// trusted its rules count, with rtk as without.
func TestH65_ARepositoryAllowsNothingThroughRTK(t *testing.T) {
	t.Parallel()
	for trust, runs := range map[preparer.Trust]bool{"": false, preparer.UserSaidYes: true} {
		t.Run(fmt.Sprintf("trusted=%v", runs), func(t *testing.T) {
			t.Parallel()
			const command = "echo repository-51c2 > ran"
			s := newStage(t, claude, claude.shell(command), upstream.Say("done"))
			rig.Write(t, s.inProject(".claude/settings.json"), encode(t, map[string]any{"permissions": map[string]any{"allow": []string{"Bash(" + command + ")"}}}))
			rig.WriteProgram(t, s.inProject("rtk"), "#!/bin/sh\n: > ran\n") // nobody looks for it there
			g := s.withRTK()
			session := g.session("rtk", core.Desktop)
			session.RTK, session.TrustWorkspace = true, trust
			p := g.prepare(session)
			g.run(p, "-p", "--output-format", "stream-json", "--verbose", "first-prompt")
			if calls := g.calls(p); !strings.Contains(calls, "hook claude") {
				t.Errorf("rtk was called with %q", calls)
			}
			if _, err := os.Lstat(s.inProject("ran")); os.IsNotExist(err) == runs {
				t.Errorf("the command ran: %v, want %v; the model saw %s", !runs, runs, tail(s.text(s.up.Turns()[1])))
			}
		})
	}
}
