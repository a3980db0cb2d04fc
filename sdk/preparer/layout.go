package preparer

// Layout is what a session should look like, not how to get there. The order of entries does not matter; two entries
// for one place are an error. Directories above an entry are made without saying so.
type Layout struct {
	Entries     []Entry
	Env         []EnvOp
	Launch      Launch
	Diagnostics []Diagnostic
}

// NewLayout makes an empty layout.
func NewLayout() *Layout { return &Layout{} }

// An Entry is one thing that the session should have. The set is closed.
type Entry interface{ Place() Place }

// Dir is a directory, 0700.
type Dir struct {
	At Place
	// Scratch has it go with all that is in it once the session shall not have it any more: for what the client makes beside
	// files of ours, such as compiled forms of them. Nothing of the user's can stand below it.
	Scratch bool
}

// File is a file of ours, 0600 (0700 when Executable), made of parts.
type File struct {
	At         Place
	Body       []Value
	Executable bool
	// Named is for a client that files something by the path of the workspace: At is a directory then, and the file's name
	// in it is made of that path.
	Named *PathName
}

// PathName is how a client makes the name of a file of the path of a directory: Prefix, then up to Slug letters of its last
// name, in lower case and with a hyphen for each run of what is no ASCII letter, digit, dot, underscore or hyphen, then an
// underscore and the first Digest hexadecimal digits of the SHA-256 of the whole path with forward slashes. A path that has
// links in it is filed both ways, as it is spelt and resolved.
type PathName struct {
	Prefix       string
	Slug, Digest int
}

// TypedDocument is a file of ours in a structured format.
type TypedDocument struct {
	At     Place
	Format Format
	Root   Object
}

// Merge is a structured file that begins as the first existing base and is then edited on its parsed tree.
type Merge struct {
	At     Place
	Format Format
	Base   []Base
	Edits  []Edit
}

// Block is a text file that begins as the first existing base and holds our text in a managed block. In the workspace
// the only base is Current, the block is shared by sessions with equal text, and clean-up takes it out again.
type Block struct {
	At   Place
	Base []Base
	Body []Value
	// Lead is one line that the file begins with, in front of all that it is made of, and a blank line behind it. A file that
	// begins as it stands has none.
	Lead []Value
}

// Link is a symbolic link to another place, which may not exist yet. Client writes go through it.
type Link struct {
	At Place
	To Place
}

// Copy is an opaque private copy of an input file, made afresh at each preparation, 0600.
type Copy struct {
	At    Place
	Input string
}

// Expose places each child that an InputNames lists below a directory of the session, as a link or as a private copy.
type Expose struct {
	At     Place
	Input  string
	Except []string // names to leave out
	Only   []string // when not nil, the names to take
	Copy   bool     // files only: a private copy, for what the client may write to
}

// Share is a link to a directory of the user's that the client reads and writes. It is left out when that does not
// exist, unless Make.
type Share struct {
	At   Place
	From Location
	// Make has the directory made when it is missing, for what all sessions need and none should fetch again. While it is
	// empty, it is filled from the newest session of the provider that has a directory of its own at the place; one that
	// this session has there is moved into it. It must be among the descriptor's OwnState.
	Make bool
}

// Login exposes a login file of the user's: as a link, or as a copy with guarded write-back where links do not work.
// What the client writes in its place is brought back to the user's file when that has not changed since, so that
// never two live copies of one login exist. It is left out when the input does not exist, but the link may dangle
// later.
type Login struct {
	At    Place
	Input string // an InputFile marked Secret
	JSON  bool   // a new version must parse as JSON to be brought back
	// Fresher is the key of a time stamp or counter in a JSON login that tells which of two versions is newer; "" for
	// none.
	Fresher KeyPath
	// Lock is the name of a file beside the login that the client locks while it refreshes it, "" for none. The session's is
	// a link to the user's, which may not exist yet, so that two clients lock one file.
	Lock string
}

// PlaceSkills places the session's skills below a directory: one link to a read-only bundle where the client follows
// links, else copies. In the workspace, in a folder that is the user's, each skill is a link of its own.
type PlaceSkills struct {
	At Place
	// Reserve lists inputs of kind InputNames whose names must not be taken by a skill of ours.
	Reserve []string
	Copy    bool
	// Keep leaves the skills of the first preparation in place, for a client that cannot take new ones on resume.
	Keep bool
}

// Check is something that the client would ignore when it is malformed or missing, so that the host looks at it after
// writing and before the session counts as ready.
type Check struct {
	At   Place
	Kind CheckKind
	Keys []KeyPath // with a parse check: keys that must be there
}

// CheckKind is what is checked.
type CheckKind string

// The checks.
const (
	CheckTOML   CheckKind = "toml"
	CheckJSON   CheckKind = "json"
	CheckDir    CheckKind = "dir"
	CheckTarget CheckKind = "target" // a link resolves
)

// Place implements Entry.
func (e Dir) Place() Place           { return e.At }
func (e File) Place() Place          { return e.At }
func (e TypedDocument) Place() Place { return e.At }
func (e Merge) Place() Place         { return e.At }
func (e Block) Place() Place         { return e.At }
func (e Link) Place() Place          { return e.At }
func (e Copy) Place() Place          { return e.At }
func (e Expose) Place() Place        { return e.At }
func (e Share) Place() Place         { return e.At }
func (e Login) Place() Place         { return e.At }
func (e PlaceSkills) Place() Place   { return e.At }

// Place implements Entry. A check shares the place of the entry it checks.
func (e Check) Place() Place { return e.At }

func (l *Layout) add(e Entry) { l.Entries = append(l.Entries, e) }

// Dir adds a directory. Only one that would else be empty has to be said.
func (l *Layout) Dir(p Place) { l.add(Dir{At: p}) }

// ScratchDir adds a directory that goes with all that is in it.
func (l *Layout) ScratchDir(p Place) { l.add(Dir{At: p, Scratch: true}) }

// File adds a file of ours, 0600.
func (l *Layout) File(p Place, body ...Value) { l.add(File{At: p, Body: body}) }

// FileNamed adds a file of ours below a directory, whose name is made of the path of the workspace.
func (l *Layout) FileNamed(dir Place, name PathName, body ...Value) {
	l.add(File{At: dir, Named: &name, Body: body})
}

// Program adds an executable file of ours, 0700.
func (l *Layout) Program(p Place, body ...Value) { l.add(File{At: p, Body: body, Executable: true}) }

// Document adds a structured file.
func (l *Layout) Document(p Place, f Format, root Object) {
	l.add(TypedDocument{At: p, Format: f, Root: root})
}

// CheckedDocument adds a structured file, and has the host look that it parses and has the keys.
func (l *Layout) CheckedDocument(p Place, f Format, root Object, keys ...KeyPath) {
	l.Document(p, f, root)
	l.Check(p, CheckKind(f), keys...)
}

// Merge adds an edited structured file.
func (l *Layout) Merge(p Place, f Format, base []Base, edits ...Edit) {
	l.add(Merge{At: p, Format: f, Base: base, Edits: edits})
}

// CheckedMerge adds an edited structured file, and has the host look that it parses and has the keys.
func (l *Layout) CheckedMerge(p Place, f Format, base []Base, edits []Edit, keys ...KeyPath) {
	l.Merge(p, f, base, edits...)
	l.Check(p, CheckKind(f), keys...)
}

// Block adds a managed block.
func (l *Layout) Block(p Place, base []Base, body ...Value) {
	l.add(Block{At: p, Base: base, Body: body})
}

// Link adds a link.
func (l *Layout) Link(p, to Place) { l.add(Link{At: p, To: to}) }

// Copy adds a private copy of an input.
func (l *Layout) Copy(p Place, input string) { l.add(Copy{At: p, Input: input}) }

// Expose adds the children of an input of kind InputNames.
func (l *Layout) Expose(e Expose) { l.add(e) }

// Share adds a link to a directory of the user's.
func (l *Layout) Share(p Place, from Location) { l.add(Share{At: p, From: from}) }

// MakeShare adds a link to a directory of the user's, which is made when it is missing.
func (l *Layout) MakeShare(p Place, from Location) { l.add(Share{At: p, From: from, Make: true}) }

// Login adds a login.
func (l *Layout) Login(e Login) { l.add(e) }

// Skills adds the session's skills.
func (l *Layout) Skills(e PlaceSkills) { l.add(e) }

// Check adds a check.
func (l *Layout) Check(p Place, kind CheckKind, keys ...KeyPath) {
	l.add(Check{At: p, Kind: kind, Keys: keys})
}

// Note adds a diagnostic.
func (l *Layout) Note(d Diagnostic) { l.Diagnostics = append(l.Diagnostics, d) }

// Diagnostic is something that a person should know about a session.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Code     string   `json:"code"` // stable, "provider.what"
	Text     string   `json:"text"` // lower case, no user path, no secret
	Hint     string   `json:"hint,omitempty"`
}

// Severity is how much a diagnostic matters.
type Severity string

// The severities.
const (
	Info    Severity = "info"
	Warning Severity = "warning"
)

// Warn makes a warning.
func Warn(code, text, hint string) Diagnostic {
	return Diagnostic{Severity: Warning, Code: code, Text: text, Hint: hint}
}

// Tell makes a piece of information.
func Tell(code, text, hint string) Diagnostic {
	return Diagnostic{Severity: Info, Code: code, Text: text, Hint: hint}
}
