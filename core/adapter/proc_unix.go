//go:build !windows

package adapter

import (
	"errors"
	"os"
	"os/exec"
	"syscall"

	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// lifeline is our end of a pipe that nobody writes to. The adapter reads the other end, and sees its end of file when
// we die, however that happens.
type lifeline struct{ ours, theirs *os.File }

// tie makes the lifeline of a command that is about to start, and gives it a process group of its own.
func tie(cmd *exec.Cmd) (*lifeline, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd.ExtraFiles = []*os.File{theirs} // descriptor 3
	cmd.Env = append(cmd.Env, protocol.LifelineEnv+"=3")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	dieWithParent(cmd.SysProcAttr)
	return &lifeline{ours: ours, theirs: theirs}, nil
}

// started is called when the command runs.
func (l *lifeline) started(*os.Process) error { return l.theirs.Close() }

// cut tells the adapter that it is not wanted any more.
func (l *lifeline) cut() {
	l.theirs.Close()
	l.ours.Close()
}

// killGroup kills the process, also when it has left its group, and whatever it started that is still in there.
func (l *lifeline) killGroup(p *os.Process) error {
	alone, group := p.Kill(), syscall.Kill(-p.Pid, syscall.SIGKILL)
	if errors.Is(alone, os.ErrProcessDone) {
		alone = nil
	}
	if errors.Is(group, syscall.ESRCH) {
		group = nil
	}
	return errors.Join(alone, group)
}

// busy says that a program could not be executed because a process that was forked a moment ago still holds it open
// for writing. It is over when that one executes.
func busy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

// maxSocketPath is the longest path of a socket on the strictest system, without the final NUL.
const maxSocketPath = 103
