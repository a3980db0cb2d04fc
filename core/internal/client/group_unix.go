//go:build unix

package client

import (
	"os/exec"
	"syscall"
)

// group makes a process the leader of a process group of its own, and ends the whole group when its context ends.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
