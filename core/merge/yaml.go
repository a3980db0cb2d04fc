package merge

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// maxAliasGrowth bounds by how many nodes the aliases of a document may make it larger.
const maxAliasGrowth = 500_000

// yamlTree keeps the nodes of the library, with their comments and styles. Its handles are *yaml.Node.
type yamlTree struct {
	label string
	doc   *yaml.Node
	// head holds the bytes of a document that is nothing but comments: the library loses those.
	head []byte
}

func openYAML(data []byte, label string) (tree, error) {
	doc, err := readYAML(data, label)
	if err != nil {
		return nil, err
	}
	t := &yamlTree{label: label, doc: doc}
	if len(doc.Content) == 0 {
		t.head = bytes.ReplaceAll(data, []byte("\r\n"), []byte{'\n'})
		doc.Content = []*yaml.Node{newMapping()}
		return t, nil
	}
	top := doc.Content[0]
	switch {
	case top.Kind == yaml.ScalarNode && top.ShortTag() == "!!null":
		makeMapping(top)
	case top.Kind != yaml.MappingNode:
		return nil, unparsable(label, "the document is %s%s, not a table", t.kind(top), atLine(top.Line))
	}
	return t, nil
}

// readYAML parses the only document of a file and checks it. A file without content has none: the answer is an empty
// document node.
func readYAML(data []byte, label string) (doc *yaml.Node, err error) {
	defer func() {
		if recover() != nil { // a fault of the library
			doc, err = nil, unparsable(label, "not valid yaml")
		}
	}()
	dec := yaml.NewDecoder(bytes.NewReader(data))
	doc = &yaml.Node{}
	if err := dec.Decode(doc); errors.Is(err, io.EOF) {
		return &yaml.Node{Kind: yaml.DocumentNode}, nil
	} else if err != nil {
		return nil, yamlError(data, err, label)
	}
	var second yaml.Node
	if err := dec.Decode(&second); err == nil {
		return nil, unparsable(label, "more than one document; the second is%s", atLine(second.Line))
	} else if !errors.Is(err, io.EOF) {
		return nil, yamlError(data, err, label)
	}
	c := yamlCheck{label: label, sizes: map[*yaml.Node]int{}}
	size, err := c.visit(doc, 0)
	if err != nil {
		return nil, err
	}
	if size > c.nodes+maxAliasGrowth {
		return nil, unparsable(label, "excessive aliasing")
	}
	return doc, nil
}

// yamlCheck refuses what the library takes: keys that stand twice, aliases that contain themselves, too many levels.
type yamlCheck struct {
	label string
	nodes int
	sizes map[*yaml.Node]int // of anchored nodes, with aliases followed; -1 while inside
}

// visit is the number of nodes with all aliases followed.
func (c *yamlCheck) visit(n *yaml.Node, depth int) (int, error) {
	if depth > maxDepth {
		return 0, unparsable(c.label, "more than %d levels", maxDepth)
	}
	if n.Kind == yaml.AliasNode {
		if n.Alias == nil || c.sizes[n.Alias] < 0 {
			return 0, unparsable(c.label, "an alias that contains itself%s", atLine(n.Line))
		}
		c.nodes++
		return max(c.sizes[n.Alias], 1), nil
	}
	if n.Anchor != "" {
		c.sizes[n] = -1
	}
	c.nodes++
	size := 1
	for _, child := range n.Content {
		s, err := c.visit(child, depth+1)
		if err != nil {
			return 0, err
		}
		size = min(size+s, 1<<40) // no overflow
	}
	if n.Anchor != "" {
		c.sizes[n] = size
	}
	if n.Kind == yaml.MappingNode {
		return size, c.unique(n)
	}
	return size, nil
}

func (c *yamlCheck) unique(n *yaml.Node) error {
	lines := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		id := identity(k)
		if first, twice := lines[id]; twice {
			return unparsable(c.label, "key %q stands twice, at lines %d and %d", resolved(k).Value, first, k.Line)
		}
		lines[id] = k.Line
	}
	return nil
}

// identity is equal for equal keys: 1 and 0x1 are one key, 1 and "1" are two.
func identity(n *yaml.Node) string {
	n = resolved(n)
	switch n.Kind {
	case yaml.ScalarNode:
		tag := n.ShortTag()
		switch tag {
		case "!!int", "!!float", "!!bool", "!!null":
			var v any
			if n.Decode(&v) == nil {
				return fmt.Sprintf("%s %v", tag, v)
			}
		}
		return tag + " " + strconv.Quote(n.Value)
	default:
		var b strings.Builder
		fmt.Fprintf(&b, "%d(", n.Kind)
		for _, c := range n.Content {
			b.WriteString(identity(c))
			b.WriteByte(',')
		}
		b.WriteByte(')')
		return b.String()
	}
}

// resolved follows an alias.
func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

func (t *yamlTree) encode() (out []byte, err error) {
	defer func() {
		if recover() != nil { // a fault of the library
			out, err = nil, unwritable(t.label)
		}
	}()
	var buf bytes.Buffer
	if head := bytes.TrimRight(t.head, "\n"); len(head) > 0 {
		buf.Write(head)
		buf.WriteString("\n\n")
	}
	prepare(t.doc)
	enc := yaml.NewEncoder(&buf)
	enc.SetIndent(2)
	if enc.Encode(t.doc) != nil || enc.Close() != nil {
		return nil, unwritable(t.label)
	}
	if buf.Len() > maxBytes {
		return nil, unparsable(t.label, "larger than %d MiB after the edits", maxBytes>>20)
	}
	back, err := readYAML(buf.Bytes(), t.label)
	if err != nil || len(back.Content) != 1 || !sameYAML(t.doc, back) {
		return nil, unwritable(t.label)
	}
	return buf.Bytes(), nil
}

// prepare mends what the library would write wrongly: the tag of merge keys would be written out, and an empty null
// that is a key or has an anchor would become a string.
func prepare(n *yaml.Node) {
	for i, c := range n.Content {
		key := n.Kind == yaml.MappingNode && i%2 == 0
		switch {
		case key && isMerge(c) && c.Style&yaml.TaggedStyle == 0:
			c.Tag = ""
		case (key || c.Anchor != "") && c.Kind == yaml.ScalarNode && c.Value == "" && c.ShortTag() == "!!null":
			c.Value = "null"
		}
		prepare(c)
	}
}

// sameYAML compares all but comments and styles.
func sameYAML(a, b *yaml.Node) bool {
	if a.Kind != b.Kind || a.Anchor != b.Anchor || len(a.Content) != len(b.Content) {
		return false
	}
	switch a.Kind {
	case yaml.AliasNode:
		return a.Value == b.Value && a.Alias.Anchor == b.Alias.Anchor
	case yaml.ScalarNode:
		if a.Value != b.Value || a.ShortTag() != b.ShortTag() && !(isMerge(a) && isMerge(b)) {
			return false
		}
	default:
		if a.ShortTag() != b.ShortTag() {
			return false
		}
	}
	for i := range a.Content {
		if !sameYAML(a.Content[i], b.Content[i]) {
			return false
		}
	}
	return true
}
