package adapter

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// lifeline is a job object that the system ends, with all processes in it, when the last handle to it is closed.
type lifeline struct{ job windows.Handle }

// tie makes the lifeline of a command that is about to start.
func tie(cmd *exec.Cmd) (*lifeline, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		windows.CloseHandle(job)
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP, HideWindow: true}
	return &lifeline{job: job}, nil
}

// started puts the process into the job.
func (l *lifeline) started(p *os.Process) error {
	process, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(p.Pid))
	if err != nil {
		return err
	}
	defer windows.CloseHandle(process)
	return windows.AssignProcessToJobObject(l.job, process)
}

// cut ends the job.
func (l *lifeline) cut() { windows.CloseHandle(l.job) }

// killGroup ends the process and whatever it started.
func (l *lifeline) killGroup(*os.Process) error { return windows.TerminateJobObject(l.job, 1) }

func busy(error) bool { return false }

const maxSocketPath = windows.MAX_PATH
