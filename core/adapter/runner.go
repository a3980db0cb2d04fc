package adapter

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/hashicorp/go-plugin/runner"
)

// child is one adapter process as go-plugin's runner sees it. go-plugin's own would hand over the host's standard input
// and hold nothing to a digest.
type child struct {
	source Source
	run    runDir
	fork   *forker
	redact func(string) string
	tail   *tail
	pause  func(time.Duration)

	env     []string // what go-plugin wants the process to know, of which environment takes its choice
	sockets string   // where its sockets must be

	cmd     *exec.Cmd
	line    *lifeline
	out     *stdout
	err     *stderr
	drained chan struct{} // both outputs were read to their end
	exited  chan struct{} // the process is gone, and its group
	once    sync.Once

	mu     sync.Mutex
	digest string
	failed error // why it did not start
	state  string
	killed bool
	abort  context.CancelFunc // of a start that is under way
}

var _ runner.Runner = (*child)(nil)

const (
	busyWait  = 50 * time.Millisecond
	drainWait = time.Second
)

// Start verifies the binary and executes it.
func (c *child) Start(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c.mu.Lock()
	c.abort = cancel
	c.mu.Unlock()
	err := c.start(ctx)
	c.mu.Lock()
	c.failed = err
	c.mu.Unlock()
	return err
}

func (c *child) start(ctx context.Context) error {
	outR, outW, err := os.Pipe()
	if err != nil {
		return err
	}
	defer outW.Close()
	errR, errW, err := os.Pipe()
	if err != nil {
		outR.Close()
		return err
	}
	defer errW.Close()
	if err := c.execute(ctx, outW, errW); err != nil {
		outR.Close()
		errR.Close()
		return err
	}
	c.out, c.err = &stdout{pipeEnd: pipeEnd{outR}}, newStderr(errR, c.redact, c.tail)
	go c.wait()
	return nil
}

// execute starts the process, a second time when the binary was busy.
func (c *child) execute(ctx context.Context, out, err *os.File) error {
	started := c.launch(ctx, out, err)
	if busy(started) {
		c.pause(busyWait)
		started = c.launch(ctx, out, err)
	}
	return started
}

// launch checks the digest and executes the binary, with nothing in between.
func (c *child) launch(ctx context.Context, out, err *os.File) error {
	cmd := &exec.Cmd{
		Path:   c.source.Path,
		Args:   append([]string{filepath.Base(c.source.Path)}, c.source.Args...),
		Env:    environment(c.env, c.run),
		Dir:    c.run.work(),
		Stdout: out,
		Stderr: err,
	}
	line, tied := tie(cmd)
	if tied != nil {
		return tied
	}
	digest, failed := verify(ctx, c.source)
	if failed == nil {
		if failed = c.fork.start(cmd); failed != nil {
			failed = unstartable(c.source, failed)
		}
	}
	if failed != nil {
		line.cut()
		return failed
	}
	c.mu.Lock()
	c.cmd, c.line, c.digest = cmd, line, digest
	killed := c.killed
	c.mu.Unlock()
	if err := line.started(cmd.Process); err != nil || killed {
		line.killGroup(cmd.Process)
	}
	return nil
}

// wait sees the process to its end, and what it left in its group.
func (c *child) wait() {
	c.cmd.Wait()
	c.line.killGroup(c.cmd.Process)
	c.line.cut()
	c.mu.Lock()
	c.state = c.cmd.ProcessState.String()
	c.mu.Unlock()
	// A descendant that left the group may hold the pipes open for ever.
	select {
	case <-c.drained:
	case <-time.After(drainWait):
	}
	c.out.Close()
	c.err.Close()
	close(c.exited)
}

// Wait is called by go-plugin when both outputs have ended.
func (c *child) Wait(context.Context) error {
	c.once.Do(func() { close(c.drained) })
	<-c.exited
	return nil
}

// Kill ends the process and its group, or keeps it from starting.
func (c *child) Kill(context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.killed = true
	if c.abort != nil {
		c.abort()
	}
	if c.cmd == nil || c.state != "" {
		return nil
	}
	return c.line.killGroup(c.cmd.Process)
}

// ending is how the process ended, "" while it runs, and why it never ran.
func (c *child) ending() (state string, failed error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state, c.failed
}

// taken is the digest of the binary that was executed.
func (c *child) taken() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.digest
}

// ID is the process id, "" before there is one.
func (c *child) ID() string {
	if pid := c.pid(); pid != 0 {
		return strconv.Itoa(pid)
	}
	return ""
}

func (c *child) pid() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cmd == nil {
		return 0
	}
	return c.cmd.Process.Pid
}

// Name is how go-plugin calls the process in its log.
func (c *child) Name() string { return stderrName }

// Stdout is where the handshake is read.
func (c *child) Stdout() io.ReadCloser { return c.out }

// Stderr is where the adapter's log is read.
func (c *child) Stderr() io.ReadCloser { return c.err }

// Diagnose has nothing to add: package adapter explains a failed start by itself.
func (c *child) Diagnose(context.Context) string { return "" }

var errForeignAddress = errors.New("it listens outside its own directory")

// PluginToHost holds the adapter to its private socket directory.
func (c *child) PluginToHost(network, address string) (string, string, error) {
	if runtime.GOOS != "windows" && (network != "unix" || filepath.Dir(address) != c.sockets) {
		return "", "", errForeignAddress
	}
	return network, address, nil
}

// HostToPlugin is the identity: both run on one system.
func (c *child) HostToPlugin(network, address string) (string, string, error) {
	return network, address, nil
}
