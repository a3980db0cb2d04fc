package conformance_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// terminal is an answer of the model's that runs a command in Hermes Agent.
func terminal(command string) upstream.Step {
	return upstream.Use("terminal", map[string]any{"command": command, "timeout": 60})
}

// hermesRTK is a stage of Hermes Agent with a host that has the double of rtk. Lines are added to the user's configuration.
func hermesRTK(t *testing.T, lines string, steps ...upstream.Step) (*greenroom, core.Session) {
	t.Helper()
	g, session := hermesOn(t, func(s *stage) *greenroom { return s.withRTK() }, append(steps, upstream.Say("done"))...)
	file := g.inHome(".hermes/config.yaml")
	rig.Write(t, file, g.read(file)+lines)
	one := session("rtk")
	one.RTK = true
	return g, one
}

// lastText is what the model saw last.
func (g *greenroom) lastText() string {
	g.Helper()
	turns := g.up.Turns()
	return g.text(turns[len(turns)-1])
}

// The plugin that the package brings runs what the model asks for through the session's own rtk, and what the agent itself
// puts rtk in front of. The user's list of plugins is kept; switched off, nothing of it is left, what the agent compiled
// beside it included, and switched on again it is there again.
func TestC305_HermesRunsCommandsThroughRTK(t *testing.T) {
	t.Parallel()
	g, session := hermesRTK(t, "plugins:\n  enabled:\n    - theirs # beside ours\n", terminal("echo plain-51c2"), terminal("rtk echo own-51c2"))
	home := g.take(g.home)
	off := session
	off.RTK = false
	before := g.prepare(off)
	had := g.take(before.Dir)
	p := g.prepare(session)
	if p.RTK != core.RTKPlugin {
		t.Errorf("the layer is %q", p.RTK)
	}
	g.speak(p, "first-prompt")
	text := g.lastText()
	for _, want := range []string{shortened + " plain-51c2", shortened + " own-51c2"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q: rtk was called with\n%s\nand the model saw %s", want, g.calls(p), tail(text))
		}
	}
	g.counts(g.text(g.up.Turns()[0]), map[string]int{"# Short output\n": 1})
	plugin := filepath.Join(p.Dir, "hermes/plugins/session-rtk")
	for _, name := range []string{"plugin.yaml", "__init__.py", "session.json"} {
		if info, err := os.Lstat(filepath.Join(plugin, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(plugin, "__pycache__")); err != nil {
		t.Errorf("the agent compiled nothing, so that nothing of it can be left: %v", err)
	}
	config := g.read(filepath.Join(p.Dir, "hermes/config.yaml"))
	if theirs, ours := strings.Index(config, "- theirs # beside ours"), strings.Index(config, "- session-rtk"); theirs < 0 || ours < theirs {
		t.Errorf("the list of plugins:\n%s", config)
	}
	g.unchanged("the home", home, g.take(g.home), ".hermes/bin")

	g.prepare(off)
	for _, gone := range []string{"hermes/plugins", "rtk"} {
		if _, err := os.Lstat(filepath.Join(p.Dir, gone)); !os.IsNotExist(err) {
			t.Errorf("C310: %s is left: %v", gone, err)
		}
	}
	for _, change := range had.Changes(g.take(p.Dir)) {
		if made, ok := strings.CutPrefix(change, "created "); !ok || strings.Contains(made, "rtk") {
			t.Errorf("C310: %s", change)
		}
	}
	if config := g.read(filepath.Join(p.Dir, "hermes/config.yaml")); strings.Contains(config, "session-rtk") || !strings.Contains(config, "- theirs") {
		t.Errorf("C310: the list of plugins:\n%s", config)
	}
	again := g.prepare(session)
	if diff := cmp.Diff(config, g.read(filepath.Join(again.Dir, "hermes/config.yaml"))); diff != "" || again.RTK != core.RTKPlugin {
		t.Errorf("switched on again it has %q: %s", again.RTK, diff)
	}
	resumed := g.prepare(session)
	if resumed.Generation != again.Generation {
		t.Errorf("going on wrote: generation %d after %d", resumed.Generation, again.Generation)
	}
	g.cleanup(session)
	g.nothingLeft()
}

// A program that hangs or is gone holds nothing up, and the agent's log says so.
func TestH63_HermesRunsACommandWithoutAnAnswerOfRTK(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ word, says string }{
		"hangs": {"hang-51c2", "gave no answer in time"}, "is gone": {"plain-51c2", "cannot be asked: FileNotFoundError"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, session := hermesRTK(t, "", terminal("echo "+c.word))
			p := g.prepare(session)
			if name == "is gone" {
				if err := os.Remove(filepath.Join(p.Dir, "rtk/bin/rtk")); err != nil {
					t.Fatal(err)
				}
			}
			log := g.overACP(p, func(map[string]any) {}, "first-prompt")
			text := g.lastText()
			if !strings.Contains(text, `"output": "`+c.word) || strings.Contains(text, shortened) {
				t.Errorf("the model saw %s", tail(text))
			}
			if strings.Count(log, c.says) == 0 || strings.Contains(log, "rtk "+c.word) {
				t.Errorf("the log says %s", tail(log))
			}
		})
	}
}

// What the user denied stays denied, in the words in which they wrote it, and what their hook refuses as well; a command
// that the agent takes for dangerous is judged as the model wrote it.
func TestH65_ADenyRuleHoldsWithRTKInHermes(t *testing.T) {
	t.Parallel()
	g, session := hermesRTK(t, "approvals:\n  deny:\n    - echo denied-51c2*\n",
		terminal("echo denied-51c2 > ran"), terminal("git reset --hard && echo dangerous-51c2 > ran"), terminal("echo allowed-51c2"))
	p := g.prepare(session)
	g.speak(p, "first-prompt")
	text := g.lastText()
	if _, err := os.Lstat(g.inProject("ran")); !os.IsNotExist(err) {
		t.Errorf("a denied command ran: %v", err)
	}
	if calls := g.calls(p); strings.Contains(calls, "denied-51c2") || strings.Contains(calls, "dangerous-51c2") {
		t.Errorf("rtk was called with %s", calls)
	}
	if !strings.Contains(text, "matches the user-defined deny rule") || !strings.Contains(text, shortened+" allowed-51c2") {
		t.Errorf("the model saw %s", tail(text))
	}
}

// askingMiddleware loads the plugin as the agent does, in its own Python, and has it stand in front of a tool. The agent's guards
// are stand-ins, which a word names.
const askingMiddleware = `import importlib.util, json, logging, sys, threading, time, types
approval, tirith = types.ModuleType("approval"), types.ModuleType("tirith_security")
approval.detect_hardline_command = lambda c: ("ruled hard" in c, "")
approval._check_sudo_stdin_guard = lambda c: ("ruled sudo" in c, "")
approval._match_user_deny_rule = lambda c: c if c.startswith("rtk asked denied") or "ruled deny" in c else None
approval.detect_dangerous_command = lambda c: ("ruled danger" in c, "", "")
tirith.check_command_security = lambda c: {"action": "warn" if "ruled warn" in c else "allow"}
tools = types.ModuleType("tools")
tools.approval, tools.tirith_security = approval, tirith
sys.modules["tools"] = tools
logged = []
handler = logging.Handler()
handler.emit = lambda record: logged.append(record.getMessage())
logging.getLogger().addHandler(handler)
spec = importlib.util.spec_from_file_location("plugin", sys.argv[1])
plugin = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plugin)
class Context:
    def register_middleware(self, kind, call): self.call = call
context = Context()
plugin.register(context)
got = [None] * len(sys.argv[2:])
def one(i, command):
    began = time.monotonic()
    args = {"command": command.replace("LONG", "x" * 200000), "timeout": 7}
    seen = context.call(tool_name="terminal", args=args, next_call=lambda a: a)
    got[i] = {**seen, "command": seen["command"].replace("x" * 200000, "LONG"), "took": time.monotonic() - began}
threads = [threading.Thread(target=one, args=pair) for pair in enumerate(sys.argv[2:])]
for t in threads: t.start()
for t in threads: t.join()
print(json.dumps({"got": got, "logged": logged, "limit": plugin.LIMIT}))
`

// What the plugin takes of rtk is a command with exit code 0 or 3, which nothing speaks against in either form. In all other
// cases, and in whatever way rtk fails, the command stays as it is, byte for byte, and so do the other arguments of the tool.
func TestH66_ThePluginOfHermesTakesARewriteAndNothingElse(t *testing.T) {
	t.Parallel()
	g, session := hermesOn(t, func(s *stage) *greenroom { return s.withAnswering() }, upstream.Say("done"))
	one := session("rtk")
	one.RTK = true
	p := g.prepare(one)
	start, err := os.ReadFile(filepath.Join(g.bin, "hermes"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(start), `exec "`)
	python, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatalf("the agent is started by %q", start)
	}
	script := filepath.Join(g.dir, "asking.py")
	rig.Write(t, script, askingMiddleware)
	cases := []struct{ command, want string }{
		{"allowed x", "rtk allowed x"}, {"asked x", "rtk asked x"}, {"loud x", "rtk loud x"}, {"reads x", "rtk reads x"}, {"held x", "rtk held x"},
		{"asked 'a b' \"$HOME\" `id`\nécho \\", "rtk asked 'a b' \"$HOME\" `id`\nécho \\"},
		{"unknown x", "unknown x"}, {"denied x", "denied x"}, {"broken x", "broken x"}, {"silent x", "silent x"}, {"blank x", "blank x"},
		{"flood x", "flood x"}, {"hangs x", "hangs x"}, {"asked LONG", "asked LONG"}, {"  nothing\n", "  nothing\n"},
		{"asked ruled hard", "asked ruled hard"}, {"asked ruled sudo", "asked ruled sudo"}, {"asked ruled deny", "asked ruled deny"},
		{"asked ruled danger", "asked ruled danger"}, {"asked ruled warn", "asked ruled warn"}, {"asked denied behind rtk", "asked denied behind rtk"},
	}
	args := []string{script, filepath.Join(p.Dir, "hermes/plugins/session-rtk/__init__.py")}
	for _, c := range cases {
		args = append(args, c.command)
	}
	cmd := exec.Command(python, args...)
	cmd.Dir, cmd.Env = g.cwd, p.Environ(g.environ)
	result := rig.Run(cmd, patience)
	var answer struct {
		Got []struct {
			Command string
			Timeout int
			Took    float64 // seconds
		}
		Logged []string
		Limit  float64 // what the plugin waits, in seconds
	}
	if err := json.Unmarshal([]byte(result.Stdout), &answer); err != nil || len(answer.Got) != len(cases) {
		t.Fatalf("%v: %s%s", err, result.Stdout, result.Stderr)
	}
	for i, c := range cases {
		got := answer.Got[i]
		if strings.HasPrefix(c.want, "rtk ") { // a login shell may have set PATH anew
			lead, text, _ := strings.Cut(got.Command, "}; ")
			if !strings.HasPrefix(lead, "PATH=") || strings.Count(lead, filepath.Join(p.Dir, "rtk/bin:")) != 2 {
				t.Errorf("%q: in front stands %q", c.command, lead)
			}
			got.Command = text
		}
		if diff := cmp.Diff(c.want, got.Command); diff != "" || got.Timeout != 7 || got.Took > 30 {
			t.Errorf("%q: %+v: %s", c.command, got, diff)
		}
		if c.command == "hangs x" && got.Took < answer.Limit {
			t.Errorf("an rtk that hangs was given up after %.1f s", got.Took)
		}
	}
	if answer.Limit != 2 {
		t.Errorf("rtk has %v s for an answer, want 2", answer.Limit)
	}
	if len(answer.Logged) != 1 || !strings.HasSuffix(answer.Logged[0], "commands run as they are") {
		t.Errorf("it logs %q, and is to say once that rtk fails", answer.Logged)
	}
}
