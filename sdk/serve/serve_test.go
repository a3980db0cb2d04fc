package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/sdk/internal/process"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/greenroom-agents/greenroom/sdk/serve"
)

// The test binary plays the adapter and the host too, by its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "adapter":
			serve.Serve(loud{})
			return
		case "host", "host-without-lifeline":
			host(os.Args[1] == "host-without-lifeline")
			return
		}
	}
	os.Exit(m.Run())
}

// loud is an adapter that writes where it should not.
type loud struct{}

func (loud) Describe() preparer.Descriptor {
	fmt.Println("hello from describe")
	return preparer.Descriptor{Provider: "loud", Version: "1.2.3"}
}

func (loud) Prepare(_ context.Context, r preparer.Request) (*preparer.Layout, error) {
	switch r.Target.OS {
	case "panic":
		panic("boo")
	case "noise":
		for range 4000 { // more than a pipe holds
			fmt.Println("1|1|unix|/nowhere|grpc|", strings.Repeat("x", 60))
		}
		fmt.Fprintln(os.Stderr, "a word on standard error")
		fmt.Print(strings.Repeat("y", 200<<10))
	}
	l := preparer.NewLayout()
	l.File(preparer.Session("a"), r.Instructions.Text())
	return l, nil
}

// host starts an adapter, says which, and waits to be killed.
func host(noLifeline bool) {
	p, err := process.Start(process.Config{Path: os.Args[0], Args: []string{"adapter"}, NoLifeline: noLifeline})
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
	fmt.Println("adapter", p.Pid)
	select {}
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

func start(t *testing.T) (*process.Process, *buffer) {
	t.Helper()
	log := &buffer{}
	p, err := process.Start(process.Config{Path: os.Args[0], Args: []string{"adapter"}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Stop)
	return p, log
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("never: " + what)
}

func TestServe(t *testing.T) {
	t.Parallel()
	p, log := start(t)
	d, err := p.Describe(t.Context())
	if err != nil || d.Provider != "loud" {
		t.Fatalf("%+v, %v", d, err)
	}
	eventually(t, "the word of describe in the log", func() bool {
		return strings.Contains(log.String(), "hello from describe")
	})
}

func TestH46_StdoutNoiseGoesToTheLog(t *testing.T) {
	t.Parallel()
	p, log := start(t)
	for range 2 {
		l, err := p.Prepare(t.Context(), preparer.Request{Target: preparer.Target{OS: "noise"}})
		if err != nil || len(l.Entries) != 1 {
			t.Fatalf("%v, %v", l, err)
		}
	}
	eventually(t, "both streams in the log", func() bool {
		s := log.String()
		return strings.Contains(s, "standard output is not for adapters") && strings.Contains(s, "a word on standard error")
	})
	if p.Exited() {
		t.Fatal("the adapter died of its noise")
	}
}

func TestPanicIsAnErrorAndTheAdapterLives(t *testing.T) {
	t.Parallel()
	p, log := start(t)
	_, err := p.Prepare(t.Context(), preparer.Request{Target: preparer.Target{OS: "panic"}})
	var want *protocol.PanicError
	if !errors.As(err, &want) || want.Text != "boo" {
		t.Fatalf("got %v", err)
	}
	if _, err := p.Prepare(t.Context(), preparer.Request{}); err != nil {
		t.Fatalf("after a panic: %v", err)
	}
	eventually(t, "a trace in the log", func() bool { return strings.Contains(log.String(), "serve_test.loud.Prepare") })
}

func TestRunByHand(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0], "adapter")
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &errs, []string{}
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 2 {
		t.Fatalf("got %v", err)
	}
	if !strings.Contains(errs.String(), "the adapter for loud, version 1.2.3") {
		t.Fatalf("said %q", errs.String())
	}
}

// TestLifelineThatIsNone: a number that is no pipe is left alone, and the adapter works.
func TestLifelineThatIsNone(t *testing.T) {
	t.Parallel()
	for _, number := range []string{"3", "4", "99", "2", "x"} {
		p, err := process.Start(process.Config{
			Path: os.Args[0], Args: []string{"adapter"}, NoLifeline: true, Env: []string{protocol.LifelineEnv + "=" + number},
		})
		if err != nil {
			t.Fatalf("lifeline %s: %v", number, err)
		}
		t.Cleanup(p.Stop)
		for range 3 {
			if _, err := p.Prepare(t.Context(), preparer.Request{}); err != nil {
				t.Fatalf("lifeline %s: %v", number, err)
			}
		}
	}
}

// TestAdapterEndsWithItsHost kills a host by SIGKILL, with a lifeline and without.
func TestAdapterEndsWithItsHost(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a job object of the host does it there")
	}
	for _, kind := range []string{"host", "host-without-lifeline"} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			tmp, err := os.MkdirTemp("", "gr-") // short, for the socket
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { os.RemoveAll(tmp) })
			cmd := exec.Command(os.Args[0], kind)
			cmd.Env = []string{"TMPDIR=" + tmp}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { cmd.Process.Kill() })
			line := make([]byte, 200)
			n, err := out.Read(line)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(string(line[:n]), "adapter ")))
			if err != nil {
				t.Fatalf("the host said %q", line[:n])
			}
			if !process.Alive(pid) {
				t.Fatalf("adapter %d does not run", pid)
			}
			cmd.Process.Kill()
			cmd.Wait()
			killed := time.Now()
			eventually(t, "the adapter ends", func() bool { return !process.Alive(pid) })
			t.Logf("gone after %v", time.Since(killed).Round(time.Millisecond))
		})
	}
}
