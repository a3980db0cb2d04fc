package merge

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

type tomlTree struct {
	ordered
	stmts []statement // of the base, when asked for
}

func openTOML(data []byte, label string) (tree, error) {
	root, err := readTOML(data, label)
	if err != nil {
		return nil, err
	}
	t := &tomlTree{ordered: ordered{label: label, base: data, number: func(v any) any { return v }}}
	t.top = tomlNode(root).(*table)
	return t, nil
}

func readTOML(data []byte, label string) (root map[string]any, err error) {
	if err := boundTOML(data, label); err != nil {
		return nil, err
	}
	if err := toml.Unmarshal(data, &root); err != nil {
		return nil, tomlError(err, label)
	}
	return root, nil
}

// tomlError says where and, in words of our own, what: those of the library may quote the file.
func tomlError(err error, label string) error {
	what := "not valid toml"
	if msg := err.Error(); strings.Contains(msg, "already") {
		what = "a key or table stands twice"
	}
	var d *toml.DecodeError
	if errors.As(err, &d) {
		line, col := d.Position()
		return unparsable(label, "%s at line %d, column %d", what, line, col)
	}
	return unparsable(label, "%s", what)
}

// tomlNode makes a node of what the library decoded. Keys are sorted: their order in the file is not known.
func tomlNode(v any) any {
	switch v := v.(type) {
	case map[string]any:
		t := &table{members: make([]member, 0, len(v))}
		for key, val := range v {
			t.members = append(t.members, member{key: key, val: tomlNode(val)})
		}
		slices.SortFunc(t.members, func(a, b member) int { return strings.Compare(a.key, b.key) })
		return t
	case []any:
		l := &list{items: make([]any, len(v))}
		for i, item := range v {
			l.items[i] = tomlNode(item)
		}
		return l
	}
	return v
}

// tomlValue is the way back.
func tomlValue(n any) any {
	switch n := n.(type) {
	case *table:
		m := make(map[string]any, len(n.members))
		for i := range n.members {
			m[n.members[i].key] = tomlValue(n.members[i].val)
		}
		return m
	case *list:
		l := make([]any, len(n.items))
		for i, item := range n.items {
			l[i] = tomlValue(item)
		}
		return l
	}
	return n
}

func (t *tomlTree) encode() ([]byte, error) {
	buf := bytes.NewBuffer(make([]byte, 0, len(t.base)+512))
	if err := toml.NewEncoder(buf).Encode(tomlValue(t.top)); err != nil {
		return nil, misread(t.label)
	}
	out := buf.Bytes()
	if len(out) > maxBytes {
		return nil, unparsable(t.label, "larger than %d MiB after the edits", maxBytes>>20)
	}
	back, err := readTOML(out, t.label)
	if err != nil || !reads(t.top, back) {
		return nil, misread(t.label)
	}
	return out, nil
}

// reads says whether the library decoded a node to v.
func reads(node, v any) bool {
	switch n := node.(type) {
	case *table:
		m, ok := v.(map[string]any)
		if !ok || len(m) != len(n.members) {
			return false
		}
		for i := range n.members {
			if v, ok := m[n.members[i].key]; !ok || !reads(n.members[i].val, v) {
				return false
			}
		}
		return true
	case *list:
		l, ok := v.([]any)
		return ok && slices.EqualFunc(n.items, l, reads)
	}
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return same(node, v, false)
}
