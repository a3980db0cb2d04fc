package client

import (
	"os/exec"
	"syscall"
)

// OwnGroup makes a process the leader of a process group of its own.
func OwnGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
