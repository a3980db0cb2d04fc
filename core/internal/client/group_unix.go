//go:build unix

package client

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes a process the leader of a process group of its own, and ends the whole group when its context ends.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
