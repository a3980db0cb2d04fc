//go:build !unix

package foreground

import (
	"os"
	"os/exec"
)

func group(*exec.Cmd, bool) {}

func caught() []os.Signal { return []os.Signal{os.Interrupt} }

// pass does nothing: the console sends its events to every program on it.
func pass(*exec.Cmd, os.Signal, bool) {}

func status(state *os.ProcessState) int { return state.ExitCode() }
