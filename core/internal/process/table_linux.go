package process

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Told says whether the system tells what a program has started, and whether a process is still the same.
const Told = true

// native is the table of this system, /proc.
type native struct{ signals }

// read reads what the system says of a process. Fields 1, 2, 3, 4, 5 and 22 of proc_pid_stat(5); the second one is the name
// in parentheses, and may hold any character.
func (native) read(pid int) (stat, error) {
	data, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return stat{}, err
	}
	fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
	if len(fields) < 20 {
		return stat{}, errors.New("the system says less of a process than it should")
	}
	s := stat{pid: pid, over: fields[0] == "Z" || fields[0] == "X"}
	var errs [3]error
	s.parent, errs[0] = strconv.Atoi(fields[1])
	s.group, errs[1] = strconv.Atoi(fields[2])
	s.start, errs[2] = strconv.ParseUint(fields[19], 10, 64)
	return s, errors.Join(errs[:]...)
}

func (native) where() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space, err
}

func (x native) list() (map[int]stat, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	all := map[int]stat{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if s, err := x.read(pid); err == nil {
				all[pid] = s
			}
		}
	}
	return all, nil
}

// marked looks into the environments. What other users run cannot be looked at, and is not ours.
func (native) marked(list map[int]stat, mark string) map[int]bool {
	in := map[int]bool{}
	for pid := range list {
		environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
		if err == nil && holds(environ, mark) {
			in[pid] = true
		}
	}
	return in
}

func (x native) send(s stat, sig signal) {
	p, err := os.FindProcess(s.pid)
	if err != nil {
		return
	}
	// The handle holds on to one process; that it is still the one that was looked at is seen only now.
	if now, err := x.read(s.pid); err == nil && now.start == s.start {
		x.tell(p, sig)
	}
	_ = p.Release()
}
