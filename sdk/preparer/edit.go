package preparer

import "slices"

// Base is what a merged file or a block begins as.
type Base struct {
	Kind  BaseKind
	Input string // with BaseInput
}

// BaseKind is the kind of a base.
type BaseKind string

// The base kinds.
const (
	// BaseCurrent is the file as it stands. A file with this base is seeded: the client owns it once it exists.
	BaseCurrent BaseKind = "current"
	BaseInput   BaseKind = "input"
	BaseEmpty   BaseKind = "empty"
)

// Current is the file as it stands.
func Current() Base { return Base{Kind: BaseCurrent} }

// FromInput is the content of an input, read afresh at each preparation.
func FromInput(name string) Base { return Base{Kind: BaseInput, Input: name} }

// Empty is an empty file. Without it, a file whose other bases do not exist is not written at all.
func Empty() Base { return Base{Kind: BaseEmpty} }

// Edit is one change of a parsed tree. A key path may hold "*" only where said.
type Edit struct {
	Op    EditOp
	Path  KeyPath
	Value Value // Set, Replace, DeleteIfEqual, Append, Upsert, Splice
	// Items are the list elements of Append, or the values that Names of DeleteIfEqual must have.
	Items []Value
	// Names are the children that Keep keeps, or the keys of the root that DeleteIfEqual takes along.
	Names []string
	// List says how the elements of Append are compared, and where new ones go.
	List ListKind
	Head bool // Append: in front instead of behind
	// Unique is the key by which Upsert finds the object to replace.
	Unique string
	// Home is the client home that Rebase makes relative paths absolute under, and whose path Rekey replaces.
	Home string
	// Target is what Require wants to stand at the path: "file" or "dir".
	Target string
	// At is the place whose absolute path is the last key of SetFor.
	At Place
}

// EditOp is the kind of an edit.
type EditOp string

// The edits.
const (
	OpSet           EditOp = "set"
	OpDelete        EditOp = "delete"
	OpDeleteIfEqual EditOp = "delete_if_equal"
	OpReplace       EditOp = "replace"
	OpKeep          EditOp = "keep"
	OpAppend        EditOp = "append"
	OpUpsert        EditOp = "upsert"
	OpRebase        EditOp = "rebase"
	OpRequire       EditOp = "require"
	OpSplice        EditOp = "splice"
	OpRekey         EditOp = "rekey"
	OpDistinct      EditOp = "distinct"
	OpSetFor        EditOp = "set_for"
)

// ListKind is what the elements of a list are.
type ListKind string

// The list kinds.
const (
	ListIDs   ListKind = "ids"   // compared as they stand
	ListPaths ListKind = "paths" // compared as clean paths; written as they stand
)

// Set sets one value and leaves its neighbours; tables on the way are made.
func Set(path KeyPath, v Value) Edit { return Edit{Op: OpSet, Path: path, Value: v} }

// Delete removes a key and all below it, in whatever spelling it stands. Absent is fine. "*" matches any key.
func Delete(path KeyPath) Edit { return Edit{Op: OpDelete, Path: path} }

// DeleteIfEqual removes a key when its value equals v, with no key more and none less.
func DeleteIfEqual(path KeyPath, v Value) Edit {
	return Edit{Op: OpDeleteIfEqual, Path: path, Value: v}
}

// Together makes a DeleteIfEqual take a key of the document's root along: all of them have the given values and are
// removed, or none is.
func (e Edit) Together(key string, v Value) Edit {
	e.Names, e.Items = append(slices.Clone(e.Names), key), append(slices.Clone(e.Items), v)
	return e
}

// Replace puts v in the place of whatever stands at the path, so that nothing of an old table is left.
func Replace(path KeyPath, v Value) Edit { return Edit{Op: OpReplace, Path: path, Value: v} }

// Keep removes all children of the table at the path but the named ones. An empty path is the whole document.
func Keep(path KeyPath, names ...string) Edit { return Edit{Op: OpKeep, Path: path, Names: names} }

// Append adds elements that are not there yet to a list, which is made when absent or null.
func Append(path KeyPath, list ListKind, items ...Value) Edit {
	return Edit{Op: OpAppend, Path: path, List: list, Items: items}
}

// Upsert puts an object into a list of objects, in the place of the one whose unique key is equal, else at the end.
func Upsert(path KeyPath, unique string, v Object) Edit {
	return Edit{Op: OpUpsert, Path: path, Unique: unique, Value: v}
}

// Rebase makes a relative path value absolute under a client home. "*" matches any key. Values that begin with "~",
// "$" or a drive stay.
func Rebase(path KeyPath, home string) Edit { return Edit{Op: OpRebase, Path: path, Home: home} }

// Require fails preparation with a typed error when the value at the path, if there is one, does not name an existing
// regular file ("file") or directory ("dir"). The error names the key and the base name only.
func Require(path KeyPath, target string) Edit {
	return Edit{Op: OpRequire, Path: path, Target: target}
}

// Splice keeps our text as a managed part at the end of a string value; an empty text takes the part out, and the key
// too when nothing else is left.
func Splice(path KeyPath, text Value) Edit { return Edit{Op: OpSplice, Path: path, Value: text} }

// Rekey renames the keys of the table at a path that begin with the path of a client home: the beginning becomes the
// path of a place. It is for what a client files by the path of a file that has moved. A key that is there already
// under the new name stays, and the old one goes.
func Rekey(path KeyPath, home string, to Place) Edit {
	return Edit{Op: OpRekey, Path: path, Home: home, Value: to.Value()}
}

// Distinct removes each element of a list of strings that stands there before, letter for letter. An element that is
// something else than a string fails the preparation.
func Distinct(path KeyPath) Edit { return Edit{Op: OpDistinct, Path: path} }

// SetFor is a Set below a table in which a client files things by the path of a directory or file: the last key is the path
// of a place, with its links resolved. Where a link is on the way, the path as it is spelt is set too.
func SetFor(table KeyPath, at Place, v Value) Edit {
	return Edit{Op: OpSetFor, Path: table, At: at, Value: v}
}
