package client

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes a process the leader of a process group of its own.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// Terminate has no meaning for a process without a console: the end of its input has asked it to end already.
func Terminate(*exec.Cmd) {}

// EndGroup does nothing: Windows does not know what a process has started.
func EndGroup(*exec.Cmd) {}
