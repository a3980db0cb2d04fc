package process

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// fake is a table that a test makes up. What is sent to a process ends it, unless it is deaf to that.
type fake struct {
	at     string
	err    error
	all    map[int]stat
	marks  map[int]string
	deaf   map[int]bool // to TERM
	reborn int          // a number that somebody else gets before anything is sent
	sent   map[int][]signal
	groups map[int]bool
}

func (f *fake) where() (string, error)       { return f.at, f.err }
func (f *fake) list() (map[int]stat, error)  { return maps.Clone(f.all), f.err }
func (f *fake) group(pid int, _ signal) bool { return f.groups[pid] }

func (f *fake) read(pid int) (stat, error) {
	if s, ok := f.all[pid]; ok {
		return s, f.err
	}
	return stat{}, errors.Join(f.err, fs.ErrNotExist)
}

func (f *fake) marked(list map[int]stat, mark string) map[int]bool {
	in := map[int]bool{}
	for pid := range list {
		if f.marks[pid] == mark {
			in[pid] = true
		}
	}
	return in
}

func (f *fake) send(s stat, sig signal) {
	if f.reborn == s.pid {
		f.all[s.pid] = stat{pid: s.pid, start: s.start + 1000}
	}
	if now := f.all[s.pid]; now.start != s.start {
		return
	}
	f.sent[s.pid] = append(f.sent[s.pid], sig)
	if sig == kill || !f.deaf[s.pid] {
		delete(f.all, s.pid)
	}
}

const here = "boot space"

func newFake(list ...stat) *fake {
	f := &fake{at: here, all: map[int]stat{}, marks: map[int]string{}, deaf: map[int]bool{}, sent: map[int][]signal{}, groups: map[int]bool{}}
	for _, s := range list {
		f.all[s.pid] = s
	}
	return f
}

// Whatever the system, the same follows from what it tells.
func TestH53_WhatBelongsToATree(t *testing.T) {
	t.Parallel()
	leader := ID{PID: 10, Start: 5, Where: here}
	for name, c := range map[string]struct {
		tree   Tree
		list   []stat
		marks  map[int]string
		theirs bool
		want   []int
	}{
		"leader, group, children": {Tree{Leader: leader}, []stat{{pid: 10, group: 10, start: 5}, {pid: 11, group: 10, start: 6}, {pid: 12, parent: 10, group: 12, start: 7},
			{pid: 13, parent: 12, group: 13, start: 8}, {pid: 20, group: 20, start: 9}}, nil, false, []int{10, 11, 12, 13}},
		"another of the leader's number":            {Tree{Leader: leader}, []stat{{pid: 10, group: 10, start: 6}, {pid: 11, group: 10, parent: 10, start: 7}}, nil, false, nil},
		"a leader that is over, but has not gone":   {Tree{Leader: leader}, []stat{{pid: 10, group: 10, start: 5, over: true}, {pid: 11, group: 10, start: 6}}, nil, false, []int{11}},
		"the group of a leader that we waited for":  {Tree{Leader: leader}, []stat{{pid: 11, group: 10, start: 6}}, nil, true, []int{11}},
		"the same, to somebody else":                {Tree{Leader: leader}, []stat{{pid: 11, group: 10, start: 6}}, nil, false, nil},
		"a group that was there before":             {Tree{Leader: leader}, []stat{{pid: 11, group: 10, start: 4}}, nil, true, nil},
		"what is marked, and its children":          {Tree{Leader: leader, Mark: "m"}, []stat{{pid: 11, start: 6}, {pid: 12, parent: 11, start: 7}, {pid: 13, start: 8}}, map[int]string{11: "m", 13: "n"}, false, []int{11, 12}},
		"no leader, but a mark":                     {Tree{Mark: "m"}, []stat{{pid: 11, start: 6}}, map[int]string{11: "m"}, false, []int{11}},
		"what was there before its parent's number": {Tree{Leader: leader}, []stat{{pid: 10, start: 5}, {pid: 11, parent: 10, start: 4}}, nil, false, []int{10}},
		"one of another system, or namespace":       {Tree{Leader: ID{PID: 10, Start: 5, Where: "boot other"}, Mark: "m"}, []stat{{pid: 10, start: 5}}, map[int]string{10: "m"}, false, nil},
		"ourselves":                                 {Tree{Mark: "m"}, []stat{{pid: os.Getpid(), start: 6}}, map[int]string{os.Getpid(): "m"}, false, nil},
		"ourselves in it, and what we have started": {Tree{Mark: "m"}, []stat{{pid: 11, start: 5}, {pid: os.Getpid(), parent: 11, start: 6}, {pid: 12, parent: os.Getpid(), start: 7},
			{pid: 13, parent: 11, start: 8}}, map[int]string{11: "m", os.Getpid(): "m", 12: "m"}, false, []int{11, 13}},
		"what was left, by its numbers": {Tree{Leader: leader, Mark: "m", Rest: []ID{{PID: 11, Start: 6, Where: here}, {PID: 12, Start: 7, Where: here}, {PID: 13, Start: 8, Where: "boot other"}}},
			[]stat{{pid: 11, start: 6}, {pid: 12, start: 9}, {pid: 13, start: 8}, {pid: 14, parent: 11, start: 9}, {pid: 15, start: 9}}, map[int]string{}, false, []int{11, 14}},
		"nothing without a mark, where all have none": {Tree{}, []stat{{pid: 11, start: 6}}, map[int]string{}, true, nil},
	} {
		f := newFake(c.list...)
		if c.marks != nil {
			f.marks = c.marks
		}
		list, err := c.tree.members(f, c.theirs)
		var got []int
		for _, s := range list {
			got = append(got, s.pid)
		}
		slices.Sort(got)
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestH53_EndAsksBeforeItKills(t *testing.T) {
	t.Parallel()
	f := newFake(stat{pid: 10, group: 10, start: 5}, stat{pid: 11, group: 10, start: 6}, stat{pid: 12, parent: 11, start: 7}, stat{pid: 20, start: 8})
	f.deaf[11], f.reborn = true, 12
	tree := Tree{Leader: ID{PID: 10, Start: 5, Where: here}}
	if !tree.end(f, 3*pause, true) {
		t.Error("something is left")
	}
	// Who has got a number meanwhile, and who has nothing to do with it, are left alone.
	if diff := cmp.Diff([]int{12, 20}, slices.Sorted(maps.Keys(f.all))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[int][]signal{10: {terminate}, 11: {terminate, kill}}, f.sent); diff != "" {
		t.Error(diff)
	}
}

// slippery is a table in which a program is seen at every second look only, as one that starts a successor and ends.
type slippery struct {
	*fake
	looks int
}

func (x *slippery) list() (map[int]stat, error) {
	if x.looks++; x.looks%2 == 1 {
		return map[int]stat{}, nil
	}
	return x.fake.list()
}

func TestH53_OneLookThatSeesNothingIsNotEnough(t *testing.T) {
	t.Parallel()
	tree := Tree{Leader: ID{PID: 10, Start: 5, Where: here}}
	x := &slippery{fake: newFake(stat{pid: 10, group: 10, start: 5})}
	if left, any := tree.left(x); !any || len(left.Rest) != 1 || left.Rest[0] != tree.Leader {
		t.Errorf("left is %+v, %v", left, any)
	}
	x.looks, x.deaf[10] = 0, true
	if !tree.end(x, 3*pause, true) || len(x.all) > 0 {
		t.Errorf("%v is left", x.all)
	}
	if diff := cmp.Diff(map[int][]signal{10: {terminate, kill}}, x.sent); diff != "" {
		t.Error(diff)
	}
}

func TestH53_ASystemThatTellsNothing(t *testing.T) {
	t.Parallel()
	f := newFake()
	f.err = errors.New("no")
	tree := Tree{Leader: ID{PID: 10}}
	f.groups[10] = true
	if !tree.signal(f, terminate, true) || tree.signal(f, terminate, false) {
		t.Error("the group is its starter's to end, and nobody else's")
	}
	if (Tree{Leader: ID{PID: os.Getpid()}}).signal(f, kill, true) || (Tree{}).signal(f, kill, true) {
		t.Error("it would end what is not started")
	}
	if left, any := (Tree{Leader: ID{PID: 10}}).left(f); any || left.Rest != nil {
		t.Errorf("left is %+v", left)
	}
	if id, err := of(f, 10); err == nil || id.gone(f) {
		t.Errorf("%+v, %v", id, err)
	}
}

func TestH53_GoneIsCertain(t *testing.T) {
	t.Parallel()
	f := newFake(stat{pid: 10, start: 5}, stat{pid: 11, start: 6, over: true})
	for id, want := range map[ID]bool{
		{PID: 10, Start: 5, Where: here}:          false,
		{PID: 10, Start: 4, Where: here}:          true,
		{PID: 11, Start: 6, Where: here}:          true,
		{PID: 12, Start: 6, Where: here}:          true,
		{PID: 12, Start: 6, Where: "boot other"}:  false,
		{PID: 10, Start: 5, Where: "older space"}: true,
		{Start: 5, Where: here}:                   false,
	} {
		if id.gone(f) != want {
			t.Errorf("%+v: gone is not %v", id, want)
		}
	}
	if id, err := of(f, 10); err != nil || id != (ID{PID: 10, Start: 5, Where: here}) {
		t.Errorf("%+v, %v", id, err)
	}
	f.err = errors.New("no")
	if (ID{PID: 12, Start: 6, Where: here}).gone(f) {
		t.Error("a system that does not tell says that it is gone")
	}
}
