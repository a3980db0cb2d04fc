package launch

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
	"time"

	"github.com/greenroom-agents/greenroom/core"
)

// process is a client that runs, with everything that it has started.
type process struct {
	run    *core.Run
	stdin  io.WriteCloser
	stdout *os.File
	tail   *tail
	kill   context.CancelFunc
	done   chan struct{} // closed when the client has ended and was waited for
	err    error         // what Wait said, to be read after done
	clear  chan struct{} // closed when nothing is left of what it has started
}

// start starts the client. Its input ends with our process, however that ends, and most clients end with it; where the
// system can, it also asks them to. What is left all the same is ended by the next host, which the lease has the record for.
// What the client leaves running has nobody to serve, and is ended too: asked, and killed after grace.
func start(lease *core.Lease, command func(context.Context) (*exec.Cmd, error), redact func(string) string, grace time.Duration) (*process, error) {
	ctx, kill := context.WithCancel(context.Background())
	cmd, err := command(ctx)
	if err != nil {
		kill()
		return nil, err
	}
	p := &process{kill: kill, tail: newTail(redact), done: make(chan struct{}), clear: make(chan struct{})}
	// Our own pipe, not that of the command: what was written before the end is read to its end, although the process
	// was already waited for.
	read, write, err := os.Pipe()
	if err != nil {
		kill()
		return nil, err
	}
	p.stdout, cmd.Stdout, cmd.Stderr = read, write, p.tail
	// A grandchild that keeps the error stream open does not keep us from seeing the end of the client.
	cmd.WaitDelay = 500 * time.Millisecond
	if p.stdin, err = cmd.StdinPipe(); err != nil {
		write.Close()
		read.Close()
		kill()
		return nil, err
	}
	endWithUs(cmd)
	started := make(chan error)
	go func() {
		// The system takes the thread that has started a client for its parent, and waiting for it needs a thread anyway.
		runtime.LockOSThread()
		var err error
		p.run, err = lease.Start(cmd)
		started <- err
		if err != nil {
			return
		}
		p.err = cmd.Wait()
		close(p.done)
		p.run.End(grace)
		close(p.clear)
	}()
	err = <-started
	write.Close()
	if err != nil {
		read.Close()
		kill()
		return nil, err
	}
	return p, nil
}

// stop ends the client and everything that it has started: the end of its input, then TERM, then KILL, with grace between
// them. It returns when nothing is left.
func (p *process) stop(grace time.Duration) {
	defer p.stdout.Close()
	defer p.kill()
	p.stdin.Close()
	if !p.endsIn(grace) {
		p.run.End(grace)
		p.kill() // where End knows of nothing to end
	}
	<-p.clear
}

func (p *process) endsIn(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-p.done:
		return true
	case <-t.C:
		return false
	}
}

// exit says how the client ended, "" when it ended well.
func (p *process) exit() string {
	if ended, ok := errors.AsType[*exec.ExitError](p.err); ok {
		return ended.String()
	}
	return ""
}
