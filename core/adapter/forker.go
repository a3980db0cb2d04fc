package adapter

import (
	"errors"
	"os/exec"
	"runtime"
	"sync"
)

// forker starts all processes of a pool on one thread that lives as long as the pool. Linux sends the signal for a
// dead parent when the thread that forked ends, not the process, and Go ends and makes threads as it likes.
type forker struct {
	jobs chan func()
	end  chan struct{}
	once sync.Once
	gone sync.WaitGroup
}

var errForkerClosed = errors.New("the pool is closed")

func newForker() *forker {
	f := &forker{jobs: make(chan func()), end: make(chan struct{})}
	f.gone.Go(func() {
		// Never unlocked: the thread shall end with this goroutine, and with it whatever was left running.
		runtime.LockOSThread()
		for {
			select {
			case job := <-f.jobs:
				job()
			case <-f.end:
				return
			}
		}
	})
	return f
}

// start starts a command.
func (f *forker) start(cmd *exec.Cmd) error {
	done := make(chan error, 1)
	select {
	case f.jobs <- func() { done <- cmd.Start() }:
		return <-done
	case <-f.end:
		return errForkerClosed
	}
}

func (f *forker) close() {
	f.once.Do(func() { close(f.end) })
	f.gone.Wait()
}
