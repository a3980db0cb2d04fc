package process

import (
	"errors"
	"io/fs"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Told says whether the system tells what a program has started, and whether a process is still the same.
const Told = true

// native is the table of this system: what runs by a snapshot, and what a program has started by its job.
type native struct{}

func (native) where() (string, error) {
	host, err := os.Hostname()
	return "windows " + host, err // when a process was started is told for all times, so the start of the system does not matter
}

func (native) read(pid int) (stat, error) {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if errors.Is(err, windows.ERROR_INVALID_PARAMETER) {
		return stat{}, fs.ErrNotExist
	}
	if err != nil {
		return stat{}, err
	}
	defer windows.CloseHandle(p)
	return times(p, pid)
}

// times is what a handle tells of its process, which may have ended.
func times(p windows.Handle, pid int) (stat, error) {
	var begun, ended, kernel, user windows.Filetime
	err := windows.GetProcessTimes(p, &begun, &ended, &kernel, &user)
	return stat{pid: pid, start: uint64(begun.HighDateTime)<<32 | uint64(begun.LowDateTime), over: ended != windows.Filetime{}}, err
}

func (x native) list() (map[int]stat, error) {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return nil, err
	}
	defer windows.CloseHandle(snapshot)
	all := map[int]stat{}
	e := windows.ProcessEntry32{}
	e.Size = uint32(unsafe.Sizeof(e))
	for err = windows.Process32First(snapshot, &e); err == nil; err = windows.Process32Next(snapshot, &e) {
		pid := int(e.ProcessID)
		if s, err := x.read(pid); err == nil { // what others run cannot be looked at, and is not ours
			s.parent = int(e.ParentProcessID)
			all[pid] = s
		}
	}
	if errors.Is(err, windows.ERROR_NO_MORE_FILES) {
		err = nil
	}
	return all, err
}

// marked are the processes of the job of that mark.
func (native) marked(list map[int]stat, mark string) map[int]bool {
	in := map[int]bool{}
	job, err := open(mark)
	if err != nil {
		return in
	}
	defer windows.CloseHandle(job)
	ids, _ := within(job)
	for _, pid := range ids {
		if _, ok := list[int(pid)]; ok {
			in[int(pid)] = true
		}
	}
	return in
}

// within are the numbers of the processes of a job. Of one that has many, the first ones are told, and the next ones when
// these have ended.
func within(job windows.Handle) ([]uintptr, error) {
	var ids struct {
		assigned, listed uint32
		pids             [1024]uintptr
	}
	err := windows.QueryInformationJobObject(job, windows.JobObjectBasicProcessIdList, uintptr(unsafe.Pointer(&ids)), uint32(unsafe.Sizeof(ids)), nil)
	if err != nil && !errors.Is(err, windows.ERROR_MORE_DATA) {
		return nil, err
	}
	return ids.pids[:min(int(ids.listed), len(ids.pids))], nil
}

// send kills. There is no way to ask a program without a window to end, but to end its input.
func (native) send(s stat, sig signal) {
	if sig != kill {
		return
	}
	p, err := windows.OpenProcess(windows.PROCESS_TERMINATE|windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(s.pid))
	if err != nil {
		return
	}
	defer windows.CloseHandle(p)
	if now, err := times(p, s.pid); err == nil && now.start == s.start {
		_ = windows.TerminateProcess(p, 1)
	}
}

func (native) group(int, signal) bool { return false }

// open opens the job of a mark, or makes it.
func open(mark string) (windows.Handle, error) {
	name, err := windows.UTF16PtrFromString(`Local\greenroom-` + mark)
	if err != nil {
		return 0, err
	}
	return windows.CreateJobObject(nil, name)
}

// Tied is a program in the job of its mark, in which everything is that it starts from now on. The system ends the job when
// nobody holds it any more, as when we are killed.
type Tied struct{ job windows.Handle }

// Tie ties a program that was just started. One that cannot be is known by its number alone.
func Tie(p *os.Process, mark string) *Tied {
	job, err := open(mark)
	if err != nil {
		return &Tied{}
	}
	t := &Tied{job}
	if err = t.limit(windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE); err == nil {
		if wrong := p.WithHandle(func(handle uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(handle)) }); wrong != nil {
			err = wrong
		}
	}
	if err != nil {
		t.Close()
	}
	return t
}

func (t *Tied) limit(flags uint32) error {
	var limits windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	limits.BasicLimitInformation.LimitFlags = flags
	_, err := windows.SetInformationJobObject(t.job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	return err
}

// Close ends what is left of it.
func (t *Tied) Close() {
	if t != nil && t.job != 0 {
		windows.CloseHandle(t.job)
		t.job = 0
	}
}

// Leave leaves alone what is left of it. The name of a job goes with the last handle to it, so we keep ours as long as
// we run when anything is left: until then it can still be ended.
func (t *Tied) Leave() {
	if t == nil || t.job == 0 {
		return
	}
	_ = t.limit(0)
	if ids, err := within(t.job); err == nil && len(ids) == 0 {
		t.Close()
	}
}
