package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// added is how much later an event may come out of Conn.Prompt than out of the client's pipe, at the median.
const added = time.Millisecond

// wire is what a client of a protocol is told to begin a turn at once, by somebody who only reads its pipe.
var wire = map[preparer.Transport]string{
	preparer.ACP:              `{"jsonrpc":"2.0","id":1,"method":"session/prompt","params":{"sessionId":"s-1","prompt":[{"type":"text","text":%q}]}}`,
	preparer.CodexAppServer:   `{"id":1,"method":"turn/start","params":{"threadId":"s-1","input":[{"type":"text","text":%q}]}}`,
	preparer.ClaudeStreamJSON: `{"type":"user","message":{"role":"user","content":[{"type":"text","text":%q}]}}`,
}

// troupe is a host with the fake agent, which says what time it is.
type troupe struct {
	host      *core.Host
	transport preparer.Transport
	env       []string
	cwd       string
}

func newTroupe(t testing.TB, transport preparer.Transport) *troupe {
	t.Helper()
	dir := t.TempDir()
	x := &troupe{transport: transport, cwd: filepath.Join(dir, "work"),
		env: []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + launchtest.Install(t) + ":" + os.Getenv("PATH")}}
	for _, d := range []string{x.cwd, filepath.Join(dir, "home")} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	x.host, err = core.New(t.Context(), core.Config{StateDir: filepath.Join(dir, "state"), Home: filepath.Join(dir, "home"), Environ: x.env,
		Commands: command.Fixed(), Adapters: []adapter.Source{{InProcess: launchtest.Adapter{Transport: transport}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.host.Close() })
	return x
}

// driven gives the age of each event of a turn when the host has it.
func (x *troupe) driven(t testing.TB, n int) []time.Duration {
	t.Helper()
	p, err := x.host.Prepare(t.Context(), core.Session{Workspace: "w", ID: "one", Provider: launchtest.Provider, Cwd: x.cwd})
	if err != nil {
		t.Fatal(err)
	}
	c, err := launch.Open(t.Context(), p, launch.Options{Host: x.host, Environ: x.env})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := c.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	var ages []time.Duration
	for e := range c.Prompt(t.Context(), launch.Block{Text: stamps(n)}) {
		if e.Kind == launch.Text {
			ages = append(ages, age(t, []byte(e.Text)))
		}
	}
	return ages
}

// piped gives the age of each message of a turn to somebody who reads the client's pipe, and does nothing else.
func (x *troupe) piped(t testing.TB, n int) []time.Duration {
	t.Helper()
	args := launchtest.Adapter{Transport: x.transport}.Describe().Client.TransportArgs
	cmd := exec.CommandContext(t.Context(), filepath.Join(filepath.SplitList(x.env[1][len("PATH="):])[0], launchtest.Provider), args...)
	cmd.Env = x.env
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err == nil {
		_, err = fmt.Fprintf(in, wire[x.transport]+"\n", stamps(n))
	}
	if err != nil {
		t.Fatal(err)
	}
	var ages []time.Duration
	seen := map[string]bool{} // a text that was told in a piece is told whole too
	for r := bufio.NewReaderSize(out, 64<<10); len(ages) < n; {
		line, err := r.ReadSlice('\n')
		if err != nil {
			t.Fatal(err)
		}
		if at := stamp.Find(line); at != nil && !seen[string(at)] {
			seen[string(at)] = true
			ages = append(ages, age(t, at))
		}
	}
	in.Close()
	_ = cmd.Wait()
	return ages
}

var stamp = regexp.MustCompile(`\b1[0-9]{18}\b`)

func stamps(n int) string { return fmt.Sprintf("stamp %d 1ms", n) }

func age(t testing.TB, text []byte) time.Duration {
	t.Helper()
	now := time.Now().UnixNano()
	then, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(now - then)
}

// events measures n events in each way, in turns, so that a busy machine slows both.
func events(t testing.TB, transport preparer.Transport, n int) (through, direct time.Duration) {
	t.Helper()
	const rounds = 10
	x := newTroupe(t, transport)
	var ours, theirs []time.Duration
	for range rounds {
		ours, theirs = append(ours, x.driven(t, n/rounds)...), append(theirs, x.piped(t, n/rounds)...)
	}
	if len(ours) != len(theirs) || len(ours) < n/rounds*rounds {
		t.Fatalf("%d events came through, and %d messages", len(ours), len(theirs))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	return median(ours), median(theirs)
}

// An event comes out of Prompt at most a millisecond after it came out of the client's pipe, at the median.
func TestSpeedEvents(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("measures for some seconds, and without the race detector")
	}
	for transport := range wire {
		t.Run(string(transport), func(t *testing.T) {
			through, direct := events(t, transport, 400)
			t.Logf("an event is %s old after Prompt and %s at the pipe: %s are added", through, direct, through-direct)
			if through-direct > added {
				t.Errorf("%s are added, allowed are %s", through-direct, added)
			}
		})
	}
}

func BenchmarkEvents(b *testing.B) {
	for transport := range wire {
		b.Run(string(transport), func(b *testing.B) {
			through, direct := events(b, transport, max(b.N, 100))
			b.ReportMetric(float64(through), "ns/op")
			b.ReportMetric(float64(direct), "pipe-ns/op")
			b.ReportMetric(float64(through-direct), "added-ns/op")
		})
	}
}
