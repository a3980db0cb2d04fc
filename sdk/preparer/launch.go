package preparer

// EnvOp is one change of the environment that the client is started with.
type EnvOp struct {
	Name string
	Op   EnvKind
	// Value is for EnvSet: a string-like value that is not empty. For EnvPrepend: a path.
	Value Value
	// Items are for EnvAppend, joined with Separator.
	Items     []string
	Separator string
}

// EnvKind is the kind of a change of the environment.
type EnvKind string

// The kinds.
const (
	EnvSet      EnvKind = "set"
	EnvSetEmpty EnvKind = "set_empty" // present and empty, to hide an inherited value
	EnvUnset    EnvKind = "unset"
	EnvPrepend  EnvKind = "prepend_path"
	EnvAppend   EnvKind = "append_list" // items that are not in the list yet, the user's kept
)

// Launch holds how the client is started.
type Launch struct {
	Before []Value // arguments in front of what the host or person adds
	After  []Value // arguments behind it
	// FirstPrompt is context that goes behind the user's blocks of the first prompt.
	FirstPrompt []Value
	// Actions are done over the protocol between the handshake and the first thread, in order.
	Actions []Action
	// Strip lists variable names that are taken out of the inherited environment; a trailing * stands for any ending.
	Strip []string
}

// Action is something to be done over the protocol. The set is closed, and one of a kind is enough: a snapshot comes
// first, then the roots, then the look at what the client found.
type Action struct {
	Kind ActionKind
	// At: ExtraRoots: where the session's skills are placed, nothing when it has none; SnapshotTree: the tree.
	At Place
	// Marker is the name of the file in the tree by which SnapshotTree knows that it is complete.
	Marker string
}

// ActionKind is the kind of an action.
type ActionKind string

// The actions.
const (
	// SnapshotTree puts a tree of skills that the client itself unpacks in its home into the host's store, under the digest
	// of its content, and a link to that in its place, so that its paths are the same in every session.
	SnapshotTree ActionKind = "snapshot_tree"
	// ExtraRoots tells the client the whole list of directories to look for skills in besides its own: the session's, then
	// those that the host brings. It also has the client look anew.
	ExtraRoots ActionKind = "extra_roots"
	// VerifySkills fails the start when the client does not list each of the session's skills.
	VerifySkills ActionKind = "verify_skills"
)

func (l *Layout) env(op EnvOp) { l.Env = append(l.Env, op) }

// Set sets a variable to a value that is not empty.
func (l *Layout) Set(name string, v Value) { l.env(EnvOp{Name: name, Op: EnvSet, Value: v}) }

// SetEach sets variables to one value that is not empty.
func (l *Layout) SetEach(v Value, names ...string) {
	for _, name := range names {
		l.Set(name, v)
	}
}

// SwitchOn sets variables to 1.
func (l *Layout) SwitchOn(names ...string) { l.SetEach(S("1"), names...) }

// SetEmpty sets variables to nothing, to hide inherited values.
func (l *Layout) SetEmpty(names ...string) {
	for _, name := range names {
		l.env(EnvOp{Name: name, Op: EnvSetEmpty})
	}
}

// Unset takes variables away.
func (l *Layout) Unset(names ...string) {
	for _, name := range names {
		l.env(EnvOp{Name: name, Op: EnvUnset})
	}
}

// PrependPath puts a directory first in a PATH-like variable.
func (l *Layout) PrependPath(name string, dir Value) {
	l.env(EnvOp{Name: name, Op: EnvPrepend, Value: dir})
}

// AppendList adds items to a list variable and keeps what the user has there.
func (l *Layout) AppendList(name, separator string, items ...string) {
	l.env(EnvOp{Name: name, Op: EnvAppend, Items: items, Separator: separator})
}

// Args adds arguments in front of what the host or person adds.
func (l *Layout) Args(args ...Value) { l.Launch.Before = append(l.Launch.Before, args...) }

// ArgsAfter adds arguments behind what the host or person adds.
func (l *Layout) ArgsAfter(args ...Value) { l.Launch.After = append(l.Launch.After, args...) }

// FirstPrompt adds context for the first prompt.
func (l *Layout) FirstPrompt(body ...Value) {
	l.Launch.FirstPrompt = append(l.Launch.FirstPrompt, body...)
}

// Action adds a protocol action.
func (l *Layout) Action(a Action) { l.Launch.Actions = append(l.Launch.Actions, a) }

// Strip takes inherited variables out of the client's environment.
func (l *Layout) Strip(names ...string) { l.Launch.Strip = append(l.Launch.Strip, names...) }
