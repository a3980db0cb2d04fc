//go:build unix

package foreground

import (
	"os"
	"os/exec"
	"syscall"
)

func group(cmd *exec.Cmd, terminal bool) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	// A group of its own would be a background job to the terminal, and be stopped at the first read.
	cmd.SysProcAttr.Setpgid = !terminal
}

func caught() []os.Signal {
	return []os.Signal{
		syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2,
	}
}

func pass(cmd *exec.Cmd, s os.Signal, terminal bool) {
	sig, ok := s.(syscall.Signal)
	switch {
	case !ok:
	case !terminal:
		_ = syscall.Kill(-cmd.Process.Pid, sig)
	case sig == syscall.SIGINT || sig == syscall.SIGQUIT:
		// The terminal has sent it to the program as well.
	default:
		_ = cmd.Process.Signal(sig)
	}
}

func status(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return state.ExitCode()
}
