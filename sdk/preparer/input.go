package preparer

// Input is one thing of the user's that the host looks at for the adapter. Look-ups are data, so that a closed,
// printable list says what an adapter can learn.
type Input struct {
	Name string    `json:"name,omitempty"`
	Kind InputKind `json:"kind,omitempty"`
	// At lists where to look. A file is the first that exists; names are those of all places together.
	At []Location `json:"at,omitempty"`
	// Filter chooses the children of InputNames: FilterSkills, FilterSkillTrees, FilterLinkedSkillTrees,
	// FilterDirs, or a file name suffix such as ".toml".
	Filter string `json:"filter,omitempty"`
	Learn  Learn  `json:"learn,omitempty"`
	// Format and Values are for LearnValues of a file: its format, and the key paths to read.
	Format Format    `json:"format,omitempty"`
	Values []KeyPath `json:"values,omitempty"`
	// NotBlank passes over a file that holds nothing but white space, as many clients do with instructions.
	NotBlank bool `json:"notBlank,omitempty"`
	// Inside refuses a file of a home of the user's, or of what lies there, that a link leads out of that home: it is copied
	// for somebody who was trusted with the home alone.
	Inside bool `json:"inside,omitempty"`
	// Secret marks a file that holds a credential. Its content and values are never learned.
	Secret bool `json:"secret,omitempty"`
	// Carries says what of the user's set-up comes along by this input, for the report of inherited items.
	Carries []Carry `json:"carries,omitempty"`
	// Displaced are key paths, in a parsed file, of what has no effect in a session on a model endpoint, because something of
	// the endpoint's stands in its place. What it carries there is reported as displaced, and not as coming along.
	Displaced []KeyPath `json:"displaced,omitempty"`
}

// InputKind is what is looked at.
type InputKind string

// The input kinds.
const (
	InputFile  InputKind = "file"
	InputNames InputKind = "names" // children of directories
)

// Filters for InputNames besides a file name suffix. Names that begin with a dot are never listed.
const (
	// FilterSkills lists directories, or links to directories, that hold a regular SKILL.md with front matter that
	// names it. The name of the item is that of the directory.
	FilterSkills = "skills"
	// FilterSkillTrees lists what FilterSkills does, and directories in which skills lie deeper, for a client that looks
	// for them there. Nothing is listed of what lies deeper: the directory stands for it.
	FilterSkillTrees = "skill_trees"
	// FilterLinkedSkillTrees lists what FilterSkillTrees does, also where a SKILL.md is a link to a file, for a client
	// that reads through it.
	FilterLinkedSkillTrees = "linked_skill_trees"
	FilterDirs             = "dirs"
)

// Learn is what the adapter is told of an input.
type Learn string

// What can be learned.
const (
	LearnExists  Learn = ""        // whether it exists
	LearnValues  Learn = "values"  // named values of a file, or the names of children
	LearnContent Learn = "content" // the whole file; shown to people, refused for a secret
)

// Location is a place of the user's.
type Location struct {
	Base LocationBase `json:"base,omitempty"`
	Home string       `json:"home,omitempty"` // with BaseHome: id of a Home
	Path string       `json:"path,omitempty"` // clean, relative, with slashes
	// ToGitRoot looks in the working directory and in each parent up to the git root.
	ToGitRoot bool `json:"toGitRoot,omitempty"`
}

// LocationBase is what a location is relative to.
type LocationBase string

// The bases.
const (
	BaseHome      LocationBase = "home"      // a client home of the descriptor
	BaseUser      LocationBase = "user"      // the user's home directory
	BaseWorkspace LocationBase = "workspace" // the session's working directory
)

// At is a path in a client home.
func At(home, path string) Location { return Location{Base: BaseHome, Home: home, Path: path} }

// AtUser is a path in the user's home directory.
func AtUser(path string) Location { return Location{Base: BaseUser, Path: path} }

// AtWorkspace is a path in the working directory.
func AtWorkspace(path string) Location { return Location{Base: BaseWorkspace, Path: path} }

// UpToGitRoot is the location, looked for in each parent up to the git root too.
func (l Location) UpToGitRoot() Location { l.ToGitRoot = true; return l }

// Carry says that an input brings things of one kind.
type Carry struct {
	Kind Kind `json:"kind,omitempty"`
	// Keys are key paths in a parsed file; an item is the last segment that a final "*" matched, or the last segment
	// itself. Without keys the input as a whole is one item, or for InputNames each child is.
	Keys []KeyPath `json:"keys,omitempty"`
	// Stays says that the client gives no way to leave these out, even where it does for others of the kind. They are
	// reported as what cannot be left out.
	Stays bool `json:"stays,omitempty"`
}

// Found is what the adapter is told of an input.
type Found struct {
	Exists bool
	Index  int              // which location of a file was taken
	Values map[string]Value // literals, by KeyPath.String(); absent keys are absent
	Names  []string         // sorted; only for LearnValues
	// Content is only for LearnContent.
	Content []byte
	// Withheld says that the host gives the session none of this, whether or not it exists: nothing was looked at. What is
	// bound to it, as settings can be to a login, should stay behind as well.
	Withheld bool
}

// InputPath is the absolute path of an input as the agent will see it, as a value. For InputNames it is the path of
// the first location that exists.
type InputPath struct{ Input string }

// KeyPath names a value in a parsed document. A segment "*" stands for any key.
type KeyPath []string

// Key makes a KeyPath.
func Key(segments ...string) KeyPath { return segments }

// Covers says whether the path names a value or one above it.
func (k KeyPath) Covers(key KeyPath) bool {
	if len(k) > len(key) {
		return false
	}
	for i, want := range k {
		if want != "*" && want != key[i] {
			return false
		}
	}
	return true
}

// String joins the segments with slashes, "~" and "/" inside a segment written as ~0 and ~1 (RFC 6901).
func (k KeyPath) String() string {
	var b []byte
	for i, s := range k {
		if i > 0 {
			b = append(b, '/')
		}
		for j := 0; j < len(s); j++ {
			switch s[j] {
			case '~':
				b = append(b, "~0"...)
			case '/':
				b = append(b, "~1"...)
			default:
				b = append(b, s[j])
			}
		}
	}
	return string(b)
}
