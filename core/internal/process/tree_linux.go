package process

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Told says whether the system tells what a program has started, and whether a process is still the same.
const Told = true

const (
	nothing   = syscall.Signal(0)
	terminate = syscall.SIGTERM
	kill      = syscall.SIGKILL
)

// stat is what the system says of a process.
type stat struct {
	pid, parent, group int
	start              uint64
	over               bool // it has ended, and waits to be collected
}

// read reads what the system says of a process. Fields 1, 2, 3, 4, 5 and 22 of proc_pid_stat(5); the second one is the name
// in parentheses, and may hold any character.
func read(pid int) (stat, error) {
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

// where is the system since it was started, and the namespace of process numbers that we are in.
func where() (string, error) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", err
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	return strings.TrimSpace(string(boot)) + " " + space, err
}

// Of is the process of a number.
func Of(pid int) (ID, error) {
	at, err := where()
	if err != nil {
		return ID{}, err
	}
	s, err := read(pid)
	return ID{PID: pid, Start: s.start, Where: at}, err
}

// Gone says that a process has ended for certain. Of one of another namespace nothing is certain.
func (id ID) Gone() bool {
	at, err := where()
	if err != nil || id.PID <= 0 {
		return false
	}
	if boot, _, _ := strings.Cut(at, " "); !strings.HasPrefix(id.Where, boot+" ") {
		return true
	}
	if id.Where != at {
		return false
	}
	s, err := read(id.PID)
	return errors.Is(err, os.ErrNotExist) || err == nil && (s.start != id.Start || s.over)
}

// members are the processes of the tree that have not ended, ourselves excepted.
func (t Tree) members(theirs bool) ([]stat, error) {
	at, err := where()
	if err != nil {
		return nil, err
	}
	if t.Leader.PID > 0 && t.Leader.Where != at {
		return nil, nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	all, in := map[int]stat{}, map[int]bool{}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			if s, err := read(pid); err == nil {
				all[pid] = s
			}
		}
	}
	leader, there := all[t.Leader.PID]
	same := there && leader.start == t.Leader.Start
	ours := t.Leader.PID > 0 && (same || theirs && !there)
	for pid, s := range all {
		// A group that outlives its leader keeps its number from being given to anybody else.
		group := ours && s.group == t.Leader.PID && s.start >= t.Leader.Start
		if group || ours && pid == t.Leader.PID && s.start == t.Leader.Start || t.marked(pid) {
			in[pid] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for pid, s := range all {
			if !in[pid] && in[s.parent] {
				in[pid], grown = true, true
			}
		}
	}
	var list []stat
	for pid := range in {
		if s := all[pid]; !s.over && pid != os.Getpid() {
			list = append(list, s)
		}
	}
	return list, nil
}

// marked says whether a process was started by the tree, however far from it it is now. What other users run cannot be
// looked at, and is not ours.
func (t Tree) marked(pid int) bool {
	if t.Mark == "" {
		return false
	}
	environ, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+Mark+"="+t.Mark+"\x00"))
}

// signal signals everything that is left, and says whether there is anything.
func (t Tree) signal(sig syscall.Signal, theirs bool) bool {
	list, err := t.members(theirs)
	if err != nil { // a system that does not show its processes
		return theirs && t.Leader.PID > 0 && syscall.Kill(-t.Leader.PID, sig) == nil
	}
	for _, s := range list {
		if sig == nothing {
			break
		}
		p, err := os.FindProcess(s.pid)
		if err != nil {
			continue
		}
		// The handle holds on to one process; that it is still the one that was looked at is seen only now.
		if now, err := read(s.pid); err == nil && now.start == s.start {
			_ = p.Signal(sig) // one that has ended by now is not there at the next look
		}
		_ = p.Release()
	}
	return len(list) > 0
}
