package rig

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"time"
)

// waitDelay is how long a killed process may keep its output open.
const waitDelay = 5 * time.Second

// ErrTimeout says that a process was killed because it took too long.
var ErrTimeout = errors.New("the process took too long and was killed")

// Result is what a process left.
type Result struct {
	Stdout string
	Stderr string
	Err    error // nil for exit code 0; ErrTimeout; else as by exec.Cmd.Wait
}

// Run runs a process with nothing on its standard input. It gets a process group of its own, which is killed when the
// process has ended, and when the time is over.
func Run(cmd *exec.Cmd, limit time.Duration) Result {
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = nil, &stdout, &stderr
	ownGroup(cmd)
	cmd.WaitDelay = waitDelay
	if err := cmd.Start(); err != nil {
		return Result{Err: err}
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	var err error
	select {
	case err = <-done:
		killGroup(cmd)
	case <-ctx.Done():
		killGroup(cmd)
		<-done
		err = ErrTimeout
	}
	return Result{Stdout: stdout.String(), Stderr: stderr.String(), Err: err}
}
