package process

// Told says whether the system tells what a program has started, and whether a process is still the same.
const Told = false

const (
	nothing = iota
	terminate
	kill
)

// Of is the process of a number, without what would tell it from a later one.
func Of(pid int) (ID, error) { return ID{PID: pid}, nil }

// Gone is never certain here.
func (ID) Gone() bool { return false }

// signal does nothing: Windows does not know what a process has started.
func (Tree) signal(int, bool) bool { return false }
