package foreground

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"time"
)

// Run starts a program, passes signals to it until it ends, and gives its exit status: its own, or 128 and the number
// of the signal that ended it. An error means that it could not be started or waited for. The command must not be
// bound to a context that ends on the same signals. start starts it, nil as every command is started.
func Run(cmd *exec.Cmd, terminal bool, start func() error) (int, error) {
	group(cmd, terminal)
	// Whoever holds an inherited pipe open must not keep us here after the program itself has ended.
	cmd.WaitDelay = time.Second
	signals := make(chan os.Signal, 8)
	for _, s := range caught() {
		// What our caller has us ignore, as nohup does, stays ignored, and by the program too.
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	defer signal.Stop(signals)
	if start == nil {
		start = cmd.Start
	}
	if err := start(); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	for {
		select {
		case s := <-signals:
			pass(cmd, s, terminal)
		case err := <-done:
			var ended *exec.ExitError
			if err != nil && !errors.As(err, &ended) && !errors.Is(err, exec.ErrWaitDelay) {
				return 0, err
			}
			return status(cmd.ProcessState), nil
		}
	}
}
