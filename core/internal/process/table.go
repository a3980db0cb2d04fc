package process

import (
	"errors"
	"io/fs"
	"os"
	"strings"
)

// signal is what a process is sent.
type signal int

const (
	nothing signal = iota // to see whether it is there
	terminate
	kill
)

// stat is what the system says of a process.
type stat struct {
	pid, parent, group int
	start              uint64
	over               bool // it has ended, and waits to be collected
}

// table is what the system tells of its processes. There is one for each system.
type table interface {
	// where is the system since it was started, a space, and the namespace of process numbers that we are in.
	where() (string, error)
	// read is fs.ErrNotExist for a number that nobody has.
	read(pid int) (stat, error)
	// list are those that can be looked at, by their numbers.
	list() (map[int]stat, error)
	// marked says which of a list were started by a program with a mark, as far as can be seen.
	marked(list map[int]stat, mark string) map[int]bool
	// send signals a process, if it is still the one that was looked at. One that has ended by now is not there at the next
	// look.
	send(s stat, sig signal)
	// group signals the group of a process that is ours, where no process can be looked at. It says whether there is one.
	group(pid int, sig signal) bool
}

func of(x table, pid int) (ID, error) {
	at, err := x.where()
	if err != nil {
		return ID{}, err
	}
	s, err := x.read(pid)
	return ID{PID: pid, Start: s.start, Where: at}, err
}

func (id ID) gone(x table) bool {
	at, err := x.where()
	if err != nil || id.PID <= 0 {
		return false
	}
	if boot, _, _ := strings.Cut(at, " "); !strings.HasPrefix(id.Where, boot+" ") {
		return true
	}
	if id.Where != at {
		return false
	}
	s, err := x.read(id.PID)
	return errors.Is(err, fs.ErrNotExist) || err == nil && (s.start != id.Start || s.over)
}

// members are the processes of the tree that have not ended. Somebody in it who takes it away excepts themselves, and what
// they have started.
func (t Tree) members(x table, theirs bool) ([]stat, error) {
	at, err := x.where()
	if err != nil {
		return nil, err
	}
	if t.Leader.PID > 0 && t.Leader.Where != at {
		return nil, nil
	}
	all, err := x.list()
	if err != nil {
		return nil, err
	}
	in := map[int]bool{}
	if t.Mark != "" {
		in = x.marked(all, t.Mark)
	}
	leader, there := all[t.Leader.PID]
	same := there && leader.start == t.Leader.Start
	ours := t.Leader.PID > 0 && (same || theirs && !there)
	for pid, s := range all {
		// A group that outlives its leader keeps its number from being given to anybody else.
		group := ours && s.group == t.Leader.PID && s.start >= t.Leader.Start
		if group || ours && pid == t.Leader.PID && s.start == t.Leader.Start {
			in[pid] = true
		}
	}
	for _, id := range t.Rest {
		if s, ok := all[id.PID]; ok && id.Where == at && s.start == id.Start {
			in[id.PID] = true
		}
	}
	grow(in, all)
	spared := map[int]bool{}
	if self := os.Getpid(); in[self] {
		spared[self] = true
		grow(spared, all)
	}
	var list []stat
	for pid := range in {
		if s := all[pid]; !s.over && !spared[pid] {
			list = append(list, s)
		}
	}
	return list, nil
}

// grow adds what those that are in have started.
func grow(in map[int]bool, all map[int]stat) {
	for grown := true; grown; {
		grown = false
		for pid, s := range all {
			// Some systems go on to name a parent that has ended, whose number somebody later may have.
			if !in[pid] && in[s.parent] && s.start >= all[s.parent].start {
				in[pid], grown = true, true
			}
		}
	}
}

// signal signals everything that is left, and says whether there is anything.
func (t Tree) signal(x table, sig signal, theirs bool) bool {
	list, err := t.members(x, theirs)
	if err != nil { // a system that does not show its processes
		return theirs && t.Leader.PID > 0 && t.Leader.PID != os.Getpid() && x.group(t.Leader.PID, sig)
	}
	for _, s := range list {
		if sig == nothing {
			break
		}
		x.send(s, sig)
	}
	return len(list) > 0
}
