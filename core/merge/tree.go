package merge

import (
	"strconv"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// kind is the kind of a node.
type kind uint8

const (
	kindNull kind = iota
	kindString
	kindBool
	kindNumber
	kindTime
	kindList
	kindTable
	kindOther
)

func (k kind) String() string {
	return [...]string{"null", "a string", "a boolean", "a number", "a date or time", "a list", "a table", "a tagged value"}[k]
}

// step leads from a node to a child: by key in a table, by index in a list.
type step struct {
	key   string
	index int
	list  bool
}

// place is a concrete path: without wildcards.
type place []step

func byKeys(path preparer.KeyPath) place {
	p := make(place, len(path))
	for i, s := range path {
		p[i] = step{key: s}
	}
	return p
}

// then is the place one step further. It never shares memory with p's other continuations.
func (p place) then(s step) place { return append(p[:len(p):len(p)], s) }

// keyPath is the place as it is named in messages and in the answer of Values.
func (p place) keyPath() preparer.KeyPath {
	k := make(preparer.KeyPath, len(p))
	for i, s := range p {
		if k[i] = s.key; s.list {
			k[i] = strconv.Itoa(s.index)
		}
	}
	return k
}

func (p place) String() string { return p.keyPath().String() }

// reader is what looking up a place needs.
type reader interface {
	root() any
	child(node any, s step) (any, bool)
}

// tree is a parsed document. Nodes are opaque handles, good until the next change. Reading follows aliases and merge
// keys of YAML; changing never changes another place of the document.
type tree interface {
	reader
	kind(node any) kind
	// keys of a table, in order.
	keys(node any) []string
	// size of a list.
	size(node any) int
	// text of a string.
	text(node any) string
	// plain is the node as plain Go values; see Values.
	plain(node any) any
	// equal says whether the node has exactly the value v, in kind and in content.
	equal(node any, v any) bool
	// line of the place in the base, 0 when not known.
	line(p place) int
	// commented says whether the base has a comment inside of what stands at the place, where that is asked of the
	// format.
	commented(p place) bool

	// put replaces what stands at the place. Tables on the way are made of what is absent or null.
	put(p place, v any)
	// drop removes an existing child of a table or list.
	drop(p place)
	// insert puts elements into an existing list.
	insert(p place, at int, vs []any)

	// encode writes the document, reads it again, and fails when it is not the same.
	encode() ([]byte, error)
}

// find is the node at a place.
func find(t reader, p place) (any, bool) {
	n := t.root()
	for _, s := range p {
		c, ok := t.child(n, s)
		if !ok {
			return nil, false
		}
		n = c
	}
	return n, true
}

// expand lists the existing places that a path with wildcards names, in the order of the document. "*" stands for any
// key of a table or any element of a list; a number names an element of a list.
func expand(t tree, path preparer.KeyPath) []place {
	var out []place
	var walk func(node any, at place, rest preparer.KeyPath)
	walk = func(node any, at place, rest preparer.KeyPath) {
		if len(rest) == 0 {
			out = append(out, at)
			return
		}
		try := func(s step) {
			if c, ok := t.child(node, s); ok {
				walk(c, at.then(s), rest[1:])
			}
		}
		switch k := t.kind(node); {
		case k == kindTable && rest[0] == "*":
			for _, key := range t.keys(node) {
				try(step{key: key})
			}
		case k == kindTable:
			try(step{key: rest[0]})
		case k == kindList && rest[0] == "*":
			for i := range t.size(node) {
				try(step{index: i, list: true})
			}
		case k == kindList:
			if i, err := strconv.Atoi(rest[0]); err == nil && strconv.Itoa(i) == rest[0] {
				try(step{index: i, list: true})
			}
		}
	}
	walk(t.root(), nil, path)
	return out
}
