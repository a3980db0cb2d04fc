package conformance_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// other is what a host in a process of its own is told.
type other struct {
	State, Home string
	Environ     []string
	Path        []string
	Adapters    []adapter.Source
	Session     core.Session
}

const otherVar = "GREENROOM_TEST_HOST"

// otherMain drives a session until it is killed, when the process is to be such a host: a turn, and another one.
func otherMain() {
	text := os.Getenv(otherVar)
	if text == "" {
		return
	}
	if err := drive(text); err != nil {
		fmt.Fprintln(os.Stderr, "the host:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func drive(text string) error {
	var o other
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return err
	}
	ctx := context.Background()
	h, err := core.New(ctx, core.Config{StateDir: o.State, Home: o.Home, Environ: o.Environ, Adapters: o.Adapters, Path: o.Path, Commands: command.Fixed()})
	if err != nil {
		return err
	}
	p, err := h.Prepare(ctx, o.Session)
	if err != nil {
		return err
	}
	c, err := launch.Open(ctx, p, launch.Options{Host: h, Environ: o.Environ, Policy: allowOnce})
	if err != nil {
		return err
	}
	if _, err := c.NewSession(ctx); err != nil {
		return err
	}
	more := bufio.NewScanner(os.Stdin)
	for more.Scan() {
		for e := range c.Prompt(ctx, launch.Block{Text: more.Text()}) {
			if e.Err != nil {
				return e.Err
			}
		}
		fmt.Println("over")
	}
	return c.Close()
}

// left are the processes that the session of a host, which is another process, has started: the client, and all of them,
// which have its tools on their PATH.
func (g *greenroom) left(host int) (client bool, all []string) {
	g.Helper()
	records, _ := filepath.Glob(filepath.Join(g.state, "c", "*"))
	leaders := map[string]bool{}
	for _, file := range records {
		var r struct {
			Tree struct{ Leader struct{ PID int } }
		}
		if data, err := os.ReadFile(file); err == nil && json.Unmarshal(data, &r) == nil {
			leaders[strconv.Itoa(r.Tree.Leader.PID)] = true
		}
	}
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid := filepath.Base(dir)
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !strings.Contains(string(environ), "PATH="+g.first) || pid == strconv.Itoa(host) {
			continue
		}
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			continue
		}
		line, _ := os.ReadFile(filepath.Join(dir, "cmdline"))
		all = append(all, pid+" "+strings.ReplaceAll(string(line), "\x00", " "))
		client = client || leaders[pid]
	}
	return client, all
}

// lingers is how long a client may take to end with its host: five seconds, and as much again on a machine that is busy.
const lingers = 10 * time.Second

// H53: a host is killed outright. Its client ends, between turns and in one; what the client leaves running, the next host
// ends.
func TestH53_LaunchHostIsKilled(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		for name, turn := range map[string]bool{"between turns": false, "in a turn": true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				g := driven(t, c)
				g.up.Script(upstream.Say("answer-one"), c.risky(g.marker("begun")+"; sleep 300"))
				host, say, over := g.elsewhere(g.session("left", core.Desktop))
				say("hello")
				over()
				if turn {
					say("wait")
					begun := make(chan struct{})
					g.whenMarked("begun", func() { close(begun) })
					<-begun
				}
				if client, _ := g.left(host.Pid); !client {
					t.Fatal("no client runs")
				}
				if err := host.Kill(); err != nil {
					t.Fatal(err)
				}
				begin := time.Now()
				client, all := g.left(host.Pid)
				for client && time.Since(begin) < lingers {
					time.Sleep(20 * time.Millisecond)
					client, all = g.left(host.Pid)
				}
				if client {
					t.Errorf("the client still runs after %s: %s", lingers, strings.Join(all, "; "))
				}
				t.Logf("the client took %s to end, and has left %d processes", time.Since(begin).Round(10*time.Millisecond), len(all))
				if _, err := g.host.Recover(t.Context()); err != nil {
					t.Error(err)
				}
				if _, all := g.left(host.Pid); len(all) > 0 {
					t.Errorf("after the next host has begun there is left: %s", strings.Join(all, "; "))
				}
			})
		}
	})
}

// elsewhere starts a host in a process of its own. It gives the process, and how to have it begin a turn and wait for the
// end of one.
func (g *greenroom) elsewhere(session core.Session) (host *os.Process, say func(string), over func()) {
	g.Helper()
	sources, err := buildAdapters()
	if err != nil {
		g.Fatal(err)
	}
	text, err := json.Marshal(other{State: g.state, Home: g.home, Environ: g.environ, Path: []string{g.first}, Adapters: sources, Session: session})
	if err != nil {
		g.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), otherVar+"="+string(text))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		g.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		g.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		g.Fatal(err)
	}
	g.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	lines := bufio.NewReader(out)
	return cmd.Process, func(prompt string) { fmt.Fprintln(in, prompt) }, func() {
		g.Helper()
		if line, err := lines.ReadString('\n'); err != nil {
			g.Fatalf("the host said %q, %v", line, err)
		}
	}
}
