package merge

import (
	"slices"
	"strconv"

	"gopkg.in/yaml.v3"
)

func (t *yamlTree) root() any { return t.doc.Content[0] }

func (t *yamlTree) kind(node any) kind {
	n := resolved(node.(*yaml.Node))
	switch n.Kind {
	case yaml.MappingNode:
		return kindTable
	case yaml.SequenceNode:
		return kindList
	}
	switch n.ShortTag() {
	case "!!null":
		return kindNull
	case "!!str", "!!merge":
		return kindString
	case "!!bool":
		return kindBool
	case "!!int", "!!float":
		return kindNumber
	case "!!timestamp":
		return kindTime
	}
	return kindOther
}

// keys lists a table's own scalar keys, then those that merge keys bring in.
func (t *yamlTree) keys(node any) []string {
	n := resolved(node.(*yaml.Node))
	var keys []string
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := resolved(n.Content[i]); k.Kind == yaml.ScalarNode && !isMerge(k) {
			keys = append(keys, k.Value)
		}
	}
	sources := merged(n)
	if len(sources) == 0 {
		return keys
	}
	seen := make(map[string]bool, len(keys))
	for _, key := range keys {
		seen[key] = true
	}
	for _, source := range sources {
		for _, key := range t.keys(source) {
			if !seen[key] {
				seen[key] = true
				keys = append(keys, key)
			}
		}
	}
	return keys
}

func (t *yamlTree) size(node any) int { return len(resolved(node.(*yaml.Node)).Content) }

func (t *yamlTree) child(node any, s step) (any, bool) {
	n := resolved(node.(*yaml.Node))
	switch {
	case n.Kind == yaml.SequenceNode && s.list && s.index >= 0 && s.index < len(n.Content):
		return n.Content[s.index], true
	case n.Kind == yaml.MappingNode && !s.list:
		if v := lookup(n, s.key); v != nil {
			return v, true
		}
	}
	return nil, false
}

func (t *yamlTree) text(node any) string { return resolved(node.(*yaml.Node)).Value }

func (t *yamlTree) line(p place) int {
	if len(p) == 0 {
		return resolved(t.doc.Content[0]).Line
	}
	parent, ok := find(t, p[:len(p)-1])
	if !ok {
		return 0
	}
	n := resolved(parent.(*yaml.Node))
	if i := ownKey(n, p[len(p)-1].key); n.Kind == yaml.MappingNode && i >= 0 {
		return n.Content[i].Line
	}
	if c, ok := t.child(n, p[len(p)-1]); ok {
		return c.(*yaml.Node).Line
	}
	return 0
}

func (t *yamlTree) commented(place) bool { return false }

// own is the node at a place, made free to be changed: tables on the way are made, what was brought in by a merge key
// or an alias becomes a copy, and what other aliases mean moves to the first of them.
func (t *yamlTree) own(p place) *yaml.Node {
	n := t.doc.Content[0]
	for _, s := range p {
		slot := s.index
		if !s.list {
			i := ownKey(n, s.key)
			if i < 0 {
				v := lookup(n, s.key)
				if v == nil {
					v = newMapping()
				} else {
					v = bare(v)
				}
				n.Content = append(n.Content, newKey(s.key), v)
				i = len(n.Content) - 2
			}
			slot = i + 1
		}
		c := n.Content[slot]
		if c.Kind == yaml.AliasNode {
			copied := bare(c)
			copied.HeadComment, copied.LineComment, copied.FootComment = c.HeadComment, c.LineComment, c.FootComment
			n.Content[slot], c = copied, copied
		}
		t.release(c, c)
		if c.Kind == yaml.ScalarNode { // null: checked by the editor
			makeMapping(c)
			if !s.list {
				remarkToKey(n.Content[slot-1], c)
			}
		}
		n = c
	}
	return n
}

// remarkToKey moves the remark beside a value to its key. A table or list has no place for one in its first line.
func remarkToKey(key, value *yaml.Node) {
	if key.LineComment == "" {
		key.LineComment, value.LineComment = value.LineComment, ""
	}
}

func (t *yamlTree) put(p place, v any) {
	parent, s := t.own(p[:len(p)-1]), p[len(p)-1]
	fresh := yamlNode(v)
	slot := s.index
	if !s.list {
		i := ownKey(parent, s.key)
		if i < 0 {
			parent.Content = append(parent.Content, newKey(s.key), fresh)
			return
		}
		slot = i + 1
	}
	old := parent.Content[slot]
	t.releaseAll(old)
	fresh.HeadComment, fresh.LineComment, fresh.FootComment = old.HeadComment, old.LineComment, old.FootComment
	if fresh.Kind != yaml.ScalarNode && !s.list {
		remarkToKey(parent.Content[slot-1], fresh)
	}
	parent.Content[slot] = fresh
}

func (t *yamlTree) drop(p place) {
	parent, s := t.own(p[:len(p)-1]), p[len(p)-1]
	if s.list {
		t.releaseAll(parent.Content[s.index])
		parent.Content = slices.Delete(parent.Content, s.index, s.index+1)
		return
	}
	if slices.ContainsFunc(merged(parent), func(m *yaml.Node) bool { return lookup(m, s.key) != nil }) {
		t.flatten(parent)
	}
	if i := ownKey(parent, s.key); i >= 0 {
		t.releaseAll(parent.Content[i])
		t.releaseAll(parent.Content[i+1])
		parent.Content = slices.Delete(parent.Content, i, i+2)
	}
}

func (t *yamlTree) insert(p place, at int, vs []any) {
	n := t.own(p)
	fresh := make([]*yaml.Node, len(vs))
	for i, v := range vs {
		fresh[i] = yamlNode(v)
	}
	n.Content = slices.Insert(n.Content, at, fresh...)
}

// flatten turns what merge keys bring in into keys of the table's own.
func (t *yamlTree) flatten(n *yaml.Node) {
	var own []*yaml.Node
	for _, key := range t.keys(n) {
		if ownKey(n, key) < 0 {
			own = append(own, newKey(key), bare(lookup(n, key)))
		}
	}
	for i := len(n.Content) - 2; i >= 0; i -= 2 {
		if isMerge(n.Content[i]) {
			t.releaseAll(n.Content[i+1])
			n.Content = slices.Delete(n.Content, i, i+2)
		}
	}
	n.Content = append(n.Content, own...)
}

// releaseAll releases a subtree that is about to go.
func (t *yamlTree) releaseAll(top *yaml.Node) {
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		t.release(n, top)
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(top)
}

// release makes the first alias of a node, outside of top, its new anchor, so that the node can change or go.
func (t *yamlTree) release(n, top *yaml.Node) {
	if n.Anchor == "" {
		return
	}
	var heir *yaml.Node
	var walk func(m *yaml.Node)
	walk = func(m *yaml.Node) {
		if m == top {
			return
		}
		if m.Kind == yaml.AliasNode && m.Alias == n {
			if heir == nil {
				c := bare(m)
				heir = m
				m.Kind, m.Style, m.Tag, m.Value, m.Alias, m.Content = c.Kind, c.Style, c.Tag, c.Value, nil, c.Content
				m.Anchor = n.Anchor
				return
			}
			m.Alias = heir
		}
		for _, c := range m.Content {
			walk(c)
		}
	}
	walk(t.doc)
	if heir != nil {
		n.Anchor = ""
	}
}

// lookup is the value of a key, the table's own or brought in by a merge key; nil when there is none.
func lookup(n *yaml.Node, key string) *yaml.Node {
	if i := ownKey(n, key); i >= 0 {
		return n.Content[i+1]
	}
	for _, source := range merged(n) {
		if v := lookup(source, key); v != nil {
			return v
		}
	}
	return nil
}

// ownKey is the index of a table's own key, or -1. A string wins over a number that is written the same.
func ownKey(n *yaml.Node, key string) int {
	found := -1
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := resolved(n.Content[i])
		if k.Kind != yaml.ScalarNode || k.Value != key || isMerge(k) {
			continue
		}
		if k.ShortTag() == "!!str" {
			return i
		}
		if found < 0 {
			found = i
		}
	}
	return found
}

// merged lists the tables that merge keys name, the strongest first.
func merged(n *yaml.Node) []*yaml.Node {
	var out []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Kind != yaml.MappingNode || !isMerge(n.Content[i]) {
			continue
		}
		v := resolved(n.Content[i+1])
		if v.Kind == yaml.SequenceNode {
			for _, c := range v.Content {
				if m := resolved(c); m.Kind == yaml.MappingNode {
					out = append(out, m)
				}
			}
		} else if v.Kind == yaml.MappingNode {
			out = append(out, v)
		}
	}
	return out
}

func isMerge(n *yaml.Node) bool {
	const quoted = yaml.SingleQuotedStyle | yaml.DoubleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == yaml.ScalarNode && n.Value == "<<" && n.Style&quoted == 0 &&
		(n.Tag == "" || n.Tag == "!" || n.ShortTag() == "!!merge")
}

// bare is a copy of what a node means, without comments and anchors.
func bare(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = resolved(n)
	}
	c := &yaml.Node{Kind: n.Kind, Style: n.Style, Tag: n.Tag, Value: n.Value}
	for _, child := range n.Content {
		if child.Kind == yaml.AliasNode {
			c.Content = append(c.Content, &yaml.Node{Kind: yaml.AliasNode, Value: child.Value, Alias: child.Alias})
			continue
		}
		c.Content = append(c.Content, bare(child))
	}
	return c
}

func newMapping() *yaml.Node { return &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"} }

// makeMapping turns a null into a table in its place; its comments stay.
func makeMapping(n *yaml.Node) {
	n.Kind, n.Tag, n.Value, n.Style = yaml.MappingNode, "!!map", "", 0
}

func newKey(key string) *yaml.Node { return yamlNode(key) }

// yamlNode is the node of a plain value. Strings are quoted, since YAML 1.1 readers take many plain ones for something
// else; only plain words and paths are not.
func yamlNode(v any) *yaml.Node {
	scalar := func(tag, value string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	}
	switch v := v.(type) {
	case string:
		n := scalar("!!str", v)
		if !plainWord(v) {
			n.Style = yaml.DoubleQuotedStyle
		}
		return n
	case bool:
		return scalar("!!bool", strconv.FormatBool(v))
	case int64:
		return scalar("!!int", strconv.FormatInt(v, 10))
	case float64:
		return scalar("!!float", yamlFloat(v))
	case []any:
		n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		for _, item := range v {
			n.Content = append(n.Content, yamlNode(item))
		}
		return n
	case map[string]any:
		n := newMapping()
		for _, key := range sortedKeys(v) {
			n.Content = append(n.Content, newKey(key), yamlNode(v[key]))
		}
		return n
	}
	return scalar("!!null", "null")
}
