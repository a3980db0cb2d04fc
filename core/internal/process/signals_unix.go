//go:build unix

package process

import (
	"bytes"
	"os"
	"syscall"
)

// signals are those that every Unix has.
type signals struct{}

func (signals) of(sig signal) syscall.Signal {
	return map[signal]syscall.Signal{terminate: syscall.SIGTERM, kill: syscall.SIGKILL}[sig]
}

// tell sends a signal. One that was stopped, as a job that somebody has put aside, hears it only when it goes on.
func (x signals) tell(p *os.Process, sig signal) {
	_ = p.Signal(x.of(sig))
	if sig == terminate {
		_ = p.Signal(syscall.SIGCONT)
	}
}

func (x signals) group(pid int, sig signal) bool { return syscall.Kill(-pid, x.of(sig)) == nil }

// holds says whether an environment, as the system keeps it, has a mark.
func holds(environ []byte, mark string) bool {
	return bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+Mark+"="+mark+"\x00"))
}

// Tied is nothing here: what outlives us is found by its mark.
type Tied struct{}

// Tie does nothing.
func Tie(*os.Process, string) *Tied { return nil }

// Close does nothing.
func (*Tied) Close() {}

// Leave does nothing.
func (*Tied) Leave() {}
