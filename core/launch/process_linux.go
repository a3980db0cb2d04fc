package launch

import (
	"os/exec"
	"syscall"
)

// endWithUs has the system ask a client to end when the thread that has started it is gone. That thread waits for the
// client, so that it is gone before only when the whole process is.
func endWithUs(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM
}
