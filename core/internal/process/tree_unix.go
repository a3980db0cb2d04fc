//go:build unix && !linux

package process

import (
	"os"
	"syscall"
)

// Told says whether the system tells what a program has started, and whether a process is still the same.
const Told = false

const (
	nothing   = syscall.Signal(0)
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

// Of is the process of a number, without what would tell it from a later one.
func Of(pid int) (ID, error) { return ID{PID: pid}, nil }

// Gone is never certain here.
func (ID) Gone() bool { return false }

// signal signals the group of the leader. Nobody may but its starter.
func (t Tree) signal(sig syscall.Signal, theirs bool) bool {
	if t.Leader.PID <= 0 || !theirs || t.Leader.PID == os.Getpid() {
		return false
	}
	return syscall.Kill(-t.Leader.PID, sig) == nil
}
