package page

import (
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
)

// twig is something that a session has, with what is in it.
type twig struct {
	Name string
	Node *core.Node // nil for a directory that only leads to others
	In   []*twig
}

// trees are the nodes as trees, one for each root: the session's own directory, and the directory that it works in.
func trees(nodes []core.Node) []*twig {
	var roots []*twig
	nodes = slices.Clone(nodes)
	slices.SortStableFunc(nodes, func(a, b core.Node) int {
		return strings.Compare(strings.ReplaceAll(a.Place, "/", "\x00"), strings.ReplaceAll(b.Place, "/", "\x00"))
	})
	for i := range nodes {
		root, path, _ := strings.Cut(nodes[i].Place, ":")
		at := child(&roots, root)
		if path == "" || path == "." {
			at.Node = &nodes[i]
			continue
		}
		for part := range strings.SplitSeq(path, "/") {
			at = child(&at.In, part)
		}
		at.Node = &nodes[i]
	}
	return roots
}

func child(of *[]*twig, name string) *twig {
	for _, t := range *of {
		if t.Name == name {
			return t
		}
	}
	t := &twig{Name: name}
	*of = append(*of, t)
	return t
}
