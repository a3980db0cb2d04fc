package launch

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/client"
)

// process is a client that runs, with the group of everything that it started and that did not leave the group.
type process struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *os.File
	tail   *tail
	kill   context.CancelFunc
	done   chan struct{} // closed when the client has ended and was waited for
	err    error         // what Wait said, to be read after done
}

// start starts the client. Its input ends with our process, however that ends, and well-behaved clients end with it.
func start(command func(context.Context) (*exec.Cmd, error), redact func(string) string) (*process, error) {
	ctx, kill := context.WithCancel(context.Background())
	cmd, err := command(ctx)
	if err != nil {
		kill()
		return nil, err
	}
	p := &process{cmd: cmd, kill: kill, tail: newTail(redact), done: make(chan struct{})}
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
	if p.stdin, err = cmd.StdinPipe(); err == nil {
		err = cmd.Start()
	}
	write.Close()
	if err != nil {
		read.Close()
		kill()
		return nil, err
	}
	go func() {
		p.err = cmd.Wait()
		// The client is gone, and what it left running in its group has nobody to serve.
		client.EndGroup(cmd)
		close(p.done)
	}()
	return p, nil
}

// stop ends the client and its group: the end of its input, then TERM, then KILL, with grace between them. It returns
// when nothing is left of the group.
func (p *process) stop(grace time.Duration) {
	defer p.stdout.Close()
	defer p.kill()
	p.stdin.Close()
	if p.endsIn(grace) {
		return
	}
	client.Terminate(p.cmd)
	if p.endsIn(grace) {
		return
	}
	p.kill()
	<-p.done
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
