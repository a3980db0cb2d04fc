package preparer

// A Value is a literal, a handle, or a list or object of them. Core resolves handles, and encodes the result for the
// format it stands in.
type Value interface{ value() }

// The literals.
type (
	String string
	Bool   bool
	Int    int64
	Float  float64
	List   []Value
	// Object is written with its keys sorted.
	Object map[string]Value
)

// Text is a document of core's, or one section of it.
type Text struct{ Document, Section string }

// SkillCatalog is a list of the session's skills, with what each is for and the absolute path at which it lies, as core
// renders it. At is the place of the PlaceSkills that brings them. It is for a client that does not show the skills of
// a plugin to its model, and may stand in the first prompt only. Without skills it is empty.
type SkillCatalog struct{ At Place }

// PathValue is the absolute path of a place as the agent will see it.
type PathValue struct{ Place Place }

// Secret is the handle of a credential. It may stand in the environment, and in a file of the session root only where
// the descriptor says Model.SecretFile.
type Secret struct{ Name string }

// Concat is one string made of string-like values: String, Text, PathValue, InputPath, Secret, Quoted, Concat.
type Concat []Value

// Quoted is a string-like value written in the syntax of a format, for bodies that are built of parts, such as a
// shell script.
type Quoted struct {
	As    Format
	Value Value
}

// Quote makes a Quoted.
func Quote(as Format, v Value) Quoted { return Quoted{As: as, Value: v} }

// S makes a literal string.
func S(s string) String { return String(s) }

// Strings makes a list of literal strings.
func Strings(items ...string) List {
	l := make(List, len(items))
	for i, s := range items {
		l[i] = String(s)
	}
	return l
}

func (String) value()       {}
func (Bool) value()         {}
func (Int) value()          {}
func (Float) value()        {}
func (List) value()         {}
func (Object) value()       {}
func (Text) value()         {}
func (PathValue) value()    {}
func (InputPath) value()    {}
func (SkillCatalog) value() {}
func (Secret) value()       {}
func (Concat) value()       {}
func (Quoted) value()       {}

// Path is the path of the input as a value.
func (i Input) Path() InputPath { return InputPath{Input: i.Name} }

// Format is the syntax of a file.
type Format string

// The formats.
const (
	JSON  Format = "json"
	JSONC Format = "jsonc" // read with comments and trailing commas; written as JSON
	TOML  Format = "toml"
	YAML  Format = "yaml"
	Shell Format = "shell" // for Quote only: one POSIX shell word
)

// Each is an object that has one value under each of some keys.
func Each(v Value, keys ...string) Object {
	o := Object{}
	for _, key := range keys {
		o[key] = v
	}
	return o
}

// In is the object below a path of keys. It is made where it is missing.
func (o Object) In(path ...string) Object {
	for _, key := range path {
		next, ok := o[key].(Object)
		if !ok {
			next = Object{}
			o[key] = next
		}
		o = next
	}
	return o
}

// Append adds a value to the list at a key, which is made where it is missing.
func (o Object) Append(key string, v Value) {
	list, _ := o[key].(List)
	o[key] = append(list, v)
}
