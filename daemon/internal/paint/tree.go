package paint

import (
	"io"
	"strings"
)

// Branch is one node of a tree: a name, and remarks that stand in columns beside it.
type Branch struct {
	Name     string
	Remarks  []string
	children []*Branch
	byName   map[string]*Branch
}

// Child is the child of a name, made when there is none. Children keep the order in which they were made.
func (b *Branch) Child(name string) *Branch {
	if child, ok := b.byName[name]; ok {
		return child
	}
	child := &Branch{Name: name}
	if b.byName == nil {
		b.byName = map[string]*Branch{}
	}
	b.byName[name] = child
	b.children = append(b.children, child)
	return child
}

// At is the descendant at a slash path, made when there is none; "" and "." are b itself.
func (b *Branch) At(path string) *Branch {
	for part := range strings.SplitSeq(path, "/") {
		if part != "" && part != "." {
			b = b.Child(part)
		}
	}
	return b
}

// Draw writes the tree below b with lines, remarks aligned over the whole tree. Names with children get a slash.
func (b *Branch) Draw(w io.Writer, s Style, indent string) error {
	table := Columns{Indent: indent}
	table.Row(append([]string{s.Bold(b.Name)}, b.Remarks...)...)
	b.rows(&table, s, "")
	_, err := table.WriteTo(w)
	return err
}

func (b *Branch) rows(table *Columns, s Style, prefix string) {
	for i, child := range b.children {
		knot, rail := "├─ ", "│  "
		if i == len(b.children)-1 {
			knot, rail = "└─ ", "   "
		}
		name := child.Name
		if len(child.children) > 0 {
			name = s.Bold(strings.TrimSuffix(name, "/") + "/")
		}
		table.Row(append([]string{s.Dim(prefix+knot) + name}, child.Remarks...)...)
		child.rows(table, s, prefix+rail)
	}
}
