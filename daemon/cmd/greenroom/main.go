// Greenroom gets coding agents ready before they go on stage. What it can do is in package cli; this file hands it the
// process.
package main

import (
	"context"
	"crypto/rand"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/cli"
)

func main() {
	os.Exit(run())
}

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// Whoever reads our output may have gone, as head does. By itself that would end the process at the next write, with
	// a session and its client left. Notify, since what is ignored is ignored by clients too.
	ctx, unread := context.WithCancelCause(ctx)
	defer unread(nil)
	gone := make(chan os.Signal, 1)
	signal.Notify(gone, syscall.SIGPIPE)
	defer signal.Stop(gone)
	go func() {
		for {
			select {
			case <-gone: // of whatever was written to: a client's input too
				if nobodyReads(os.Stdout) {
					unread(cli.ErrUnread)
				}
			case <-ctx.Done():
				return
			}
		}
	}()
	s := cli.System{
		Args: os.Args[1:], Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Environ: os.Environ(),
		TempDir: os.TempDir(), GOOS: runtime.GOOS, Now: time.Now, Rand: rand.Reader,
	}
	// What cannot be found is empty, and package cli says so where it is needed.
	s.Home, _ = os.UserHomeDir()
	s.Cwd, _ = os.Getwd()
	s.Hostname, _ = os.Hostname()
	if exe, err := os.Executable(); err == nil {
		if s.Executable, err = filepath.EvalSymlinks(exe); err != nil {
			s.Executable = exe
		}
	}
	return cli.Run(ctx, s)
}
