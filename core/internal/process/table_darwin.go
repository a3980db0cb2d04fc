package process

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Told says whether the system tells what a program has started, and whether a process is still the same.
const Told = true

// native is the table of this system, sysctl(3).
type native struct{ signals }

// zombie is the state of a process that has ended, SZOMB of sys/proc.h.
const zombie = 5

func (native) where() (string, error) {
	boot, err := unix.Sysctl("kern.bootsessionuuid")
	return boot + " darwin", err
}

func (native) read(pid int) (stat, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.pid", pid)
	if err != nil {
		return stat{}, err
	}
	if len(list) == 0 {
		return stat{}, fs.ErrNotExist
	}
	return statOf(list[0]), nil
}

func (native) list() (map[int]stat, error) {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	all := map[int]stat{}
	for _, p := range list {
		s := statOf(p)
		all[s.pid] = s
	}
	return all, err
}

func statOf(p unix.KinfoProc) stat {
	at := p.Proc.P_starttime
	return stat{pid: int(p.Proc.P_pid), parent: int(p.Eproc.Ppid), group: int(p.Eproc.Pgid),
		start: uint64(at.Sec)*1e6 + uint64(at.Usec), over: p.Proc.P_stat == zombie}
}

// marked looks into the arguments and environments, which the system shows of what the same user runs, its own programs
// excepted.
func (native) marked(list map[int]stat, mark string) map[int]bool {
	in := map[int]bool{}
	for pid := range list {
		if environ, err := unix.SysctlRaw("kern.procargs2", pid); err == nil && holds(environ, mark) {
			in[pid] = true
		}
	}
	return in
}

// send looks again right before: a handle that holds on to a process there is not.
func (x native) send(s stat, sig signal) {
	if now, err := x.read(s.pid); err != nil || now.start != s.start {
		return
	}
	if p, err := os.FindProcess(s.pid); err == nil {
		x.tell(p, sig)
	}
}
