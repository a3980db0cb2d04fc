package cli

import (
	"fmt"
	"time"
)

const (
	quiet = time.Second            // what is done sooner says nothing
	pace  = 100 * time.Millisecond // of the picture
)

// during does work and says so on the terminal when it takes longer than a second. The line is gone when it is done.
func (a *app) during(what string, work func() error) error {
	if a.json || !terminal(a.Stderr) || a.env("TERM") == "dumb" {
		return work()
	}
	done := make(chan error, 1)
	go func() { done <- work() }()
	select {
	case err := <-done:
		return err
	case <-time.After(quiet):
	}
	ticker := time.NewTicker(pace)
	defer ticker.Stop()
	defer fmt.Fprint(a.Stderr, "\r\x1b[K")
	started := a.Now().Add(-quiet)
	frames := []rune("⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏")
	for i := 0; ; i++ {
		fmt.Fprintf(a.Stderr, "\r\x1b[K%s %s %s", a.notes.Accent(string(frames[i%len(frames)])), what,
			a.notes.Dim(fmt.Sprintf("%.0f s", a.Now().Sub(started).Seconds())))
		select {
		case err := <-done:
			return err
		case <-ticker.C:
		}
	}
}
