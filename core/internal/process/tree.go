package process

import (
	"crypto/rand"
	"encoding/hex"
	"os/exec"
	"strings"
	"time"
)

// Mark is the variable that everything inherits which a marked program starts.
const Mark = "GREENROOM_RUN"

// ID is one process, now and for ever. The zero value is none.
type ID struct {
	PID   int    `json:"pid"`
	Start uint64 `json:"start"` // when it was started, as the system counts
	Where string `json:"where"` // the system, since it was started, and the namespace that the number is one of
}

// Tree is a program with everything that it has started. It is a value that can be kept.
type Tree struct {
	// Leader is the program itself. It may be none, when its starter was killed between starting it and looking at it.
	Leader ID `json:"leader"`
	// Mark is the value of the variable [Mark] in its environment.
	Mark string `json:"mark"`
	// Rest are what was left of it when its starter let go of it. They are known by their numbers besides, since one that
	// has put its environment away does not show the mark, and nobody says any more who has started it.
	Rest []ID `json:"rest,omitempty"`
}

// NewMark is a value that no other program has.
func NewMark() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // which never fails
	return hex.EncodeToString(b[:])
}

// Put marks a command that was not started yet.
func Put(cmd *exec.Cmd, mark string) {
	env := make([]string, 0, len(cmd.Env)+1)
	for _, kv := range cmd.Environ() {
		if name, _, _ := strings.Cut(kv, "="); name != Mark {
			env = append(env, kv)
		}
	}
	cmd.Env = append(env, Mark+"="+mark)
}

// Of is the process of a number.
func Of(pid int) (ID, error) { return of(native{}, pid) }

// Gone says that a process has ended for certain. Of one of another namespace nothing is certain.
func (id ID) Gone() bool { return id.gone(native{}) }

// Any says whether anything is left of a tree, for somebody who did not start it.
func (t Tree) Any() bool { return t.reach(native{}, nothing, false) }

// Left is the tree for those who come after its starter has let go of it, which is right after the leader was waited for. It
// says whether there is anything.
func (t Tree) Left() (Tree, bool) { return t.left(native{}) }

func (t Tree) left(of table) (Tree, bool) {
	at, err := of.where()
	if err != nil {
		return t, false
	}
	t.Rest = nil
	for range looks {
		list, _ := t.members(of, true)
		for _, s := range list {
			t.Rest = append(t.Rest, ID{PID: s.pid, Start: s.start, Where: at})
		}
		if len(list) > 0 {
			return t, true
		}
	}
	return t, false
}

// pause is how long to wait between two looks at what is left.
const pause = 20 * time.Millisecond

// End asks everything that is left of a tree to end, and kills after grace what has not. It says whether nothing is left.
// Whoever has started the leader may say that it is theirs, up to the moment at which they have waited for it: until then
// nobody else can have its number, and what has it as its group was started by it.
func (t Tree) End(grace time.Duration, theirs bool) bool { return t.end(native{}, grace, theirs) }

func (t Tree) end(of table, grace time.Duration, theirs bool) bool {
	if !t.reach(of, terminate, theirs) {
		return true
	}
	for until := time.Now().Add(grace); time.Now().Before(until); time.Sleep(pause) {
		if !t.reach(of, nothing, theirs) {
			return true
		}
	}
	// What is killed may have started another in the meantime.
	for range 100 {
		if !t.reach(of, kill, theirs) {
			return true
		}
		time.Sleep(pause)
	}
	return false
}

// looks is how often nothing has to be seen before there is nothing. A table is read one process after another: what starts
// a successor and ends meanwhile is in none of its places, and what is just becoming another program shows no environment.
const looks = 2

// reach signals everything that is left, and says whether there is anything.
func (t Tree) reach(of table, sig signal, theirs bool) bool {
	for range looks {
		if t.signal(of, sig, theirs) {
			return true
		}
	}
	return false
}
