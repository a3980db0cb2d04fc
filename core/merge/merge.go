package merge

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Edit is one change of a parsed tree, its handles resolved. Its fields mean what they mean in preparer.Edit.
type Edit struct {
	Op   preparer.EditOp
	Path preparer.KeyPath
	// Value is nil or a string, bool, int64, float64, []any or map[string]any of such.
	Value  any
	Items  []any
	Names  []string
	List   preparer.ListKind
	Head   bool
	Unique string
	// RebaseTo is the absolute directory that Rebase makes relative values absolute under.
	RebaseTo string
	Target   string
}

// Env is what edits may ask of the world.
type Env struct {
	// Label names the file in errors, e.g. "home:codex/config.toml".
	Label string
	// Stat tells what stands at an absolute path. Only Require asks; nil: nothing stands anywhere.
	Stat func(path string) (isDir, isFile bool)
	// Base is the directory that relative values of Require are relative to.
	Base string
	// Moved is told of the values that Rebase made absolute, by their key paths. nil: nobody asks.
	Moved func(keys []string)
}

// Apply carries out edits, in order, on a base of the given format. A base without content is an empty document. When
// nothing changes, the answer is the base itself. Errors: fault.Unparsable for a base that cannot be used as it is,
// with a line; fault.ConfigDependency for Require; fault.Conflict for a damaged managed part; fault.LayoutRefused for
// an edit that cannot be right.
func Apply(format preparer.Format, base []byte, edits []Edit, env Env) ([]byte, error) {
	r, err := carryOut(format, base, edits, env)
	if err != nil {
		return nil, err
	}
	env.tell(r.moved)
	return r.data, nil
}

func (e Env) tell(moved []string) {
	if e.Moved != nil && len(moved) > 0 {
		e.Moved(moved)
	}
}

// outcome is what edits came to.
type outcome struct {
	data    []byte
	rekeyed bool     // a Rekey renamed something
	moved   []string // what Rebase made absolute
}

func carryOut(format preparer.Format, base []byte, edits []Edit, env Env) (outcome, error) {
	t, err := open(format, base, env.Label)
	if err != nil {
		return outcome{}, err
	}
	e := editor{tree: t, env: env, format: format}
	for i := range edits {
		if err := e.apply(&edits[i]); err != nil {
			return outcome{}, err
		}
	}
	if !e.changed && len(bytes.TrimSpace(bytes.TrimPrefix(base, bom))) > 0 {
		return outcome{data: base}, nil
	}
	data, err := t.encode()
	return outcome{data, e.rekeyed, e.moved}, err
}

// Encode writes a document of plain values in canonical form: keys sorted, a newline at the end.
func Encode(format preparer.Format, root map[string]any) ([]byte, error) {
	const label = "document"
	if err := checkValue(label, format, root, 0); err != nil {
		return nil, err
	}
	t, err := open(format, nil, label)
	if err != nil {
		return nil, err
	}
	for _, key := range sortedKeys(root) {
		t.put(place{{key: key}}, root[key])
	}
	return t.encode()
}

// Parse reads a document into plain values, as Values does; null is nil.
func Parse(format preparer.Format, data []byte, label string) (map[string]any, error) {
	t, err := open(format, data, label)
	if err != nil {
		return nil, err
	}
	return t.plain(t.root()).(map[string]any), nil
}

// Values reads the values at key paths into plain values, by KeyPath.String() of the concrete path: "*" segments are
// replaced by what they matched, elements of a list by their index. Absent and null values are absent. Of JSON only what
// lies at the paths counts for the limits, and the last of several equal keys. Integers that
// are too large for int64 become float64, dates and times strings.
func Values(format preparer.Format, data []byte, paths []preparer.KeyPath, label string) (map[string]any, error) {
	t, err := openFor(format, data, paths, label)
	if err != nil {
		return nil, err
	}
	out := map[string]any{}
	for _, path := range paths {
		for _, p := range expand(t, path) {
			if n, ok := find(t, p); ok && t.kind(n) != kindNull {
				out[p.String()] = t.plain(n)
			}
		}
	}
	return out, nil
}

// openFor is open for a document of which only the values at some paths are read.
func openFor(format preparer.Format, data []byte, paths []preparer.KeyPath, label string) (tree, error) {
	whole := func(p preparer.KeyPath) bool { return len(p) == 0 }
	if format != preparer.JSON || slices.ContainsFunc(paths, whole) {
		return open(format, data, label)
	}
	return openJSONFor(data, paths, label)
}

var bom = []byte("\ufeff")

// open parses a document after the checks that hold for every format.
func open(format preparer.Format, data []byte, label string) (tree, error) {
	if len(data) > maxBytes {
		return nil, unparsable(label, "larger than %d MiB", maxBytes>>20)
	}
	marks := 0
	for _, c := range []byte(",[{\n") {
		marks += bytes.Count(data, []byte{c})
	}
	if marks > maxMarks {
		return nil, unparsable(label, "more than %d entries", maxMarks)
	}
	data = bytes.TrimPrefix(data, bom)
	if !utf8.Valid(data) {
		line, col := position(data, invalidAt(data))
		return nil, unparsable(label, "not utf-8 at line %d, column %d", line, col)
	}
	switch format {
	case preparer.TOML:
		return openTOML(data, label)
	case preparer.JSON, preparer.JSONC:
		return openJSON(data, label, format == preparer.JSONC)
	case preparer.YAML:
		return openYAML(data, label)
	}
	return nil, badEdit(label, "no format %q for a document", format)
}

func invalidAt(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n <= 1 {
			return i
		}
		i += n
	}
	return len(data)
}
