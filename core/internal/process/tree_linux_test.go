package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/process"
)

// family is a shell with a child in its group, one that has left the group, one whose parent is gone besides, and one that
// does not listen to TERM. Each writes its number down.
const family = `
sleep 300 & echo $! >child
setsid sleep 300 & echo $! >away
sh -c 'setsid sleep 300 & echo $! >orphan'
sh -c 'trap "" TERM; echo $$ >deaf; while :; do sleep 1; done' &
while [ ! -s deaf ]; do sleep 0.01; done
echo ready >ready
wait`

func start(t *testing.T, script string, own bool) (*exec.Cmd, process.Tree, string) {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command("/bin/sh", "-c", script)
	cmd.Dir, cmd.SysProcAttr = dir, &syscall.SysProcAttr{Setpgid: own}
	tree := process.Tree{Mark: process.NewMark()}
	process.Put(cmd, tree.Mark)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var err error
	if tree.Leader, err = process.Of(cmd.Process.Pid); err != nil {
		t.Fatal(err)
	}
	for range 500 {
		if _, err := os.Stat(filepath.Join(dir, "ready")); err == nil {
			return cmd, tree, dir
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("the family does not begin")
	return nil, tree, ""
}

func runs(t *testing.T, dir, name string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(text)) + "/stat")
	return err == nil && !strings.Contains(string(stat), ") Z ")
}

var names = []string{"child", "away", "orphan", "deaf"}

func TestH53_TheWholeTreeEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		own    bool // it leads a group
		before func(*exec.Cmd)
		theirs bool
	}{
		"by its starter":                 {true, func(*exec.Cmd) {}, true},
		"by its starter, after its end":  {true, func(cmd *exec.Cmd) { _ = cmd.Process.Kill(); _ = cmd.Wait() }, true},
		"by somebody else":               {true, func(*exec.Cmd) {}, false},
		"by somebody else after its end": {true, func(cmd *exec.Cmd) { _ = cmd.Process.Kill(); _ = cmd.Wait() }, false},
		"in the group of its starter":    {false, func(*exec.Cmd) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, tree, dir := start(t, family, c.own)
			c.before(cmd)
			for _, n := range names {
				if !runs(t, dir, n) {
					t.Fatalf("%s does not run", n)
				}
			}
			begin := time.Now()
			if !tree.End(500*time.Millisecond, c.theirs) {
				t.Error("something is left")
			}
			if took := time.Since(begin); took < 500*time.Millisecond {
				t.Errorf("what does not listen was killed after %s", took)
			}
			_ = cmd.Wait()
			for _, n := range names {
				if runs(t, dir, n) {
					t.Errorf("%s is left", n)
				}
			}
			if tree.Any() {
				t.Error("it says that something is left")
			}
		})
	}
}

// A number that was given to another process is no reason to end that one.
func TestH53_AnotherProcessOfTheNumberIsLeftAlone(t *testing.T) {
	t.Parallel()
	cmd, tree, dir := start(t, `sleep 300 & echo $! >child; echo ready >ready; wait`, true)
	defer func() { tree.End(0, true); _ = cmd.Wait() }()
	for name, change := range map[string]func(*process.Tree){
		"started at another time": func(x *process.Tree) { x.Leader.Start++ },
		"of another system":       func(x *process.Tree) { x.Leader.Where = "1-2-3 pid:[1]" },
		"nobody":                  func(x *process.Tree) { x.Leader = process.ID{} },
	} {
		other := tree
		other.Mark = process.NewMark()
		change(&other)
		if other.Any() || !other.End(0, false) {
			t.Errorf("%s: it is taken for the same", name)
		}
		if !runs(t, dir, "child") {
			t.Fatalf("%s: it was ended", name)
		}
	}
	unmarked := tree
	unmarked.Mark = ""
	if !unmarked.Any() {
		t.Error("the process itself is not known any more")
	}
}

func TestGone(t *testing.T) {
	t.Parallel()
	self, err := process.Of(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	boot, space, _ := strings.Cut(self.Where, " ")
	for name, c := range map[string]struct {
		id   process.ID
		want bool
	}{
		"ourselves":                 {self, false},
		"a later one of the number": {process.ID{PID: self.PID, Start: self.Start - 1, Where: self.Where}, true},
		"before the system's start": {process.ID{PID: self.PID, Start: self.Start, Where: "0-0 " + space}, true},
		"one of another namespace":  {process.ID{PID: 1 << 22, Start: 1, Where: boot + " pid:[1]"}, false},
		"nobody":                    {process.ID{}, false},
		"a number that nobody has":  {process.ID{PID: 1<<22 + 1, Start: 1, Where: self.Where}, true},
	} {
		if got := c.id.Gone(); got != c.want {
			t.Errorf("%s: gone %v", name, got)
		}
	}
}

func TestPutReplacesAMarkThatWasInherited(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("true")
	cmd.Env = []string{"A=1", process.Mark + "=old", "B=2"}
	process.Put(cmd, "new")
	if got := strings.Join(cmd.Env, " "); got != "A=1 B=2 "+process.Mark+"=new" {
		t.Errorf("got %s", got)
	}
	if a, b := process.NewMark(), process.NewMark(); a == b || len(a) != 32 {
		t.Errorf("marks %s and %s", a, b)
	}
	if _, err := strconv.ParseUint(process.NewMark()[:16], 16, 64); err != nil {
		t.Error(err)
	}
}
