//go:build unix

package core

import (
	"os/exec"
	"syscall"
)

// ownGroup makes a client the leader of a process group of its own, and ends the whole group when its context ends.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
