package merge

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// strings lists the strings that a path with wildcards names: a string itself, and the strings of a list. Other kinds
// are handed to other, which may be nil.
func (e *editor) strings(path preparer.KeyPath, other func(p place, k kind) error) ([]place, error) {
	var out []place
	for _, p := range expand(e.tree, path) {
		n, _ := find(e.tree, p)
		switch k := e.tree.kind(n); k {
		case kindString:
			out = append(out, p)
		case kindList:
			for i := range e.tree.size(n) {
				s := step{index: i, list: true}
				if c, _ := e.tree.child(n, s); e.tree.kind(c) == kindString {
					out = append(out, p.then(s))
				} else if other != nil {
					if err := other(p.then(s), e.tree.kind(c)); err != nil {
						return nil, err
					}
				}
			}
		case kindNull:
		default:
			if other != nil {
				if err := other(p, k); err != nil {
					return nil, err
				}
			}
		}
	}
	return out, nil
}

func (e *editor) rebase(x *Edit) error {
	if !filepath.IsAbs(x.RebaseTo) {
		return badEdit(e.env.Label, "edit %q of key %s without an absolute directory", x.Op, x.Path)
	}
	places, err := e.strings(x.Path, nil)
	if err != nil {
		return err
	}
	for _, p := range places {
		n, _ := find(e.tree, p)
		if v := e.tree.text(n); relative(v) {
			e.put(p, under(x.RebaseTo, v))
			e.moved = append(e.moved, p.String())
		}
	}
	return nil
}

// relative says whether a value is a path below a directory that it does not name itself.
func relative(v string) bool {
	return v != "" && !expanded(v) && v[0] != '/' && v[0] != '\\' && !drive(v) && !filepath.IsAbs(v)
}

// expanded says whether the client puts something of its own in the place of the beginning.
func expanded(v string) bool { return v[0] == '~' || v[0] == '$' }

func drive(v string) bool {
	c := v[0] | 0x20
	return len(v) > 1 && 'a' <= c && c <= 'z' && v[1] == ':'
}

// under joins a directory and a relative path. With ".." in it the path is not cleaned: where a directory is a link,
// its parent is not what the text says.
func under(dir, v string) string {
	if climbs(v) {
		return strings.TrimRight(dir, string(filepath.Separator)) + string(filepath.Separator) + v
	}
	return filepath.Join(dir, v)
}

func climbs(v string) bool {
	return slices.Contains(strings.FieldsFunc(v, func(r rune) bool { return r == '/' || r == '\\' }), "..")
}

func (e *editor) require(x *Edit) error {
	if x.Target != "file" && x.Target != "dir" {
		return badEdit(e.env.Label, "edit %q of key %s with target %q", x.Op, x.Path, x.Target)
	}
	what := "an existing regular file"
	if x.Target == "dir" {
		what = "an existing directory"
	}
	places, err := e.strings(x.Path, func(p place, k kind) error {
		return e.dependency(p, fmt.Sprintf("is %s, where %s must be named", k, what))
	})
	if err != nil {
		return err
	}
	for _, p := range places {
		n, _ := find(e.tree, p)
		v := e.tree.text(n)
		switch {
		case v == "":
			return e.dependency(p, "is empty, where "+what+" must be named")
		case expanded(v):
			continue // only the client knows what it stands for
		case climbs(v):
			return e.dependency(p, fmt.Sprintf("names %q by a path with .. in it", baseName(v)))
		}
		at := v
		if relative(v) {
			at = filepath.Join(e.env.Base, v)
		}
		var dir, file bool
		if e.env.Stat != nil {
			dir, file = e.env.Stat(at)
		}
		if x.Target == "dir" && !dir || x.Target == "file" && !file {
			return e.dependency(p, fmt.Sprintf("names %q, which is not %s", baseName(v), what))
		}
	}
	return nil
}

func (e *editor) dependency(p place, what string) error {
	return fault.New(fault.ConfigDependency, opMerge, e.env.Label, fmt.Sprintf("key %s%s %s", p, atLine(e.tree.line(p)), what)).
		WithHint("mend or remove the key in the user's own configuration")
}

// baseName is the last element of a path of either kind.
func baseName(v string) string {
	return v[strings.LastIndexAny(strings.TrimRight(v, `/\`), `/\`)+1:]
}
