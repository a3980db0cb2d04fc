package conformance_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/rtk"
)

// answeringRTK is an rtk that gives what the first word of a command asks for. What it leaves behind holds its output open for
// longer than anybody waits, and heeds no signal that can be heeded.
const answeringRTK = `#!/bin/sh
stay() { trap '' TERM HUP INT; exec sleep 60; }
case "$2" in
allowed*) echo "rtk $2" ;;
asked*) echo "rtk $2"; exit 3 ;;
unknown*) echo "rtk $2"; exit 1 ;;
denied*) echo "rtk $2"; exit 2 ;;
broken*) echo "rtk $2"; exit 7 ;;
silent*) exit 3 ;;
blank*) printf ' \n\n'; exit 3 ;;
loud*) echo "noise of $2" >&2; echo "rtk $2"; exit 3 ;;
flood*) exec head -c 3000000 /dev/zero ;;
reads*) cat; echo "rtk $2"; exit 3 ;;
held*) stay & echo "rtk $2"; exit 3 ;;
hangs*) stay & stay ;;
cat*) echo "rtk read ${2#cat }"; exit 3 ;;
cd*) echo "cd /x && rtk ${2#*&& }"; exit 3 ;;
esac
`

// withAnswering opens a host that has it.
func (s *stage) withAnswering() *greenroom {
	s.Helper()
	program := filepath.Join(s.dir, "an rtk", "rtk")
	rig.WriteProgram(s, program, answeringRTK)
	sum := sha256.Sum256([]byte(answeringRTK))
	return s.open(func(c *core.Config) {
		c.RTK = rtk.Fixed(rtk.Artefact{Path: program, SHA256: hex.EncodeToString(sum[:])})
	})
}

// askingPlugin loads a plugin as the client does, in the client's own runtime, and asks it for commands, all at once.
const askingPlugin = `const [file, rules, ...commands] = process.argv.slice(2)
const { ShortOutput } = await import(file)
const logged = []
const hooks = await ShortOutput({ client: { app: { log: async ({ body }) => void logged.push(body.message) } } })
await hooks.config(JSON.parse(rules))
const got = await Promise.all(commands.map(async (command) => {
  const output = { args: { command: command.replace("LONG", "x".repeat(200000)), description: "kept", timeout: 7 } }
  const began = Date.now()
  await hooks["tool.execute.before"]({ tool: "bash" }, output)
  output.args.command = output.args.command.replaceAll("x".repeat(200000), "LONG")
  return { ...output.args, late: Date.now() - began > 30000 }
}))
console.log(JSON.stringify({ got, logged }))
process.exit(0)
`

// What the plugin takes of rtk is a command with exit code 0 or 3. With anything else, and in whatever way rtk fails, the
// command stays as it is, byte for byte, the other fields of the tool's input as well; and nothing that rtk leaves behind is
// waited for.
func TestH66_ThePluginOfOpenCodeTakesARewriteAndNothingElse(t *testing.T) {
	t.Parallel()
	s := newStage(t, opencode, upstream.Say("done"))
	g := s.withAnswering()
	p := g.shortening(core.Desktop)
	script := filepath.Join(s.dir, "asking.mjs")
	rig.Write(t, script, askingPlugin)
	cases := []struct{ command, want string }{
		{"allowed x", "rtk allowed x"}, {"asked x", "rtk asked x"}, {"loud x", "rtk loud x"}, {"reads x", "rtk reads x"}, {"held x", "rtk held x"},
		{"asked 'a b' \"$HOME\" `id`\nécho \\", "rtk asked 'a b' \"$HOME\" `id`\nécho \\"},
		{"unknown x", "unknown x"}, {"denied x", "denied x"}, {"broken x", "broken x"}, {"silent x", "silent x"}, {"blank x", "blank x"},
		{"flood x", "flood x"}, {"hangs x", "hangs x"}, {"asked LONG", "asked LONG"}, {"  nothing\n", "  nothing\n"},
		{"asked ruled x", "asked ruled x"}, {"allowed ruled", "allowed ruled"}, {"asked of another tool", "rtk asked of another tool"},
		{"cat ../x", "cat ../x"}, {"cd /x && asked y", "cd /x && rtk asked y"},
	}
	rules := encode(t, map[string]any{"permission": map[string]any{"ba?h": map[string]any{"* ruled*": "ask"}, "bas": "deny", "mcp_*": "deny"}})
	args := []string{script, filepath.Join(p.Dir, "opencode/plugins/rtk.js"), rules}
	for _, c := range cases {
		args = append(args, c.command)
	}
	cmd := exec.Command(filepath.Join(s.bin, "opencode"), args...)
	cmd.Dir, cmd.Env = s.cwd, append(p.Environ(s.environ), "BUN_BE_BUN=1")
	out := g.play(cmd).Stdout
	var answer struct {
		Got []struct {
			Command, Description string
			Timeout              int
			Late                 bool
		}
		Logged []string
	}
	if err := json.Unmarshal([]byte(out), &answer); err != nil || len(answer.Got) != len(cases) {
		t.Fatalf("%v: %s", err, out)
	}
	for i, c := range cases {
		got := answer.Got[i]
		if diff := cmp.Diff(c.want, got.Command); diff != "" || got.Description != "kept" || got.Timeout != 7 || got.Late {
			t.Errorf("%q: %+v: %s", c.command, got, diff)
		}
	}
	if len(answer.Logged) != 1 || strings.Contains(answer.Logged[0], "x") {
		t.Errorf("it logs %q, and is to say once that rtk fails", answer.Logged)
	}
}
