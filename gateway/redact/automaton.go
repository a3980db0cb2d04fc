package redact

// automaton finds any of several patterns in one pass. A state stands for the longest end of the text so far that
// begins a pattern, so the text that is held back need not be stored: it is a part of a pattern.
type automaton struct {
	patterns []string
	nodes    []node
	first    [256]int32 // from the root, 0 for none
}

type node struct {
	fail, child, next int32 // 0 is the root and also none
	pattern           int32 // a pattern that begins with the text of this node
	depth             int32
	match             int32 // length of the longest pattern that ends here, 0 for none
	b                 byte
}

func newAutomaton(patterns []string) *automaton {
	a := &automaton{patterns: patterns, nodes: make([]node, 1, 256)}
	for i, p := range patterns {
		at := int32(0)
		for j := range len(p) {
			to := a.child(at, p[j])
			if to == 0 {
				to = int32(len(a.nodes))
				a.nodes = append(a.nodes, node{
					b: p[j], depth: int32(j + 1), pattern: int32(i), next: a.nodes[at].child,
				})
				a.nodes[at].child = to
				if at == 0 {
					a.first[p[j]] = to
				}
			}
			at = to
		}
		a.nodes[at].match = int32(len(p))
	}
	a.link()
	return a
}

// link sets the fail links, level by level.
func (a *automaton) link() {
	var queue []int32
	for c := a.nodes[0].child; c != 0; c = a.nodes[c].next {
		queue = append(queue, c)
	}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		n := &a.nodes[at]
		if n.match == 0 {
			n.match = a.nodes[n.fail].match
		}
		for c := n.child; c != 0; c = a.nodes[c].next {
			a.nodes[c].fail = a.step(n.fail, a.nodes[c].b)
			queue = append(queue, c)
		}
	}
}

func (a *automaton) child(at int32, b byte) int32 {
	if at == 0 {
		return a.first[b]
	}
	for c := a.nodes[at].child; c != 0; c = a.nodes[c].next {
		if a.nodes[c].b == b {
			return c
		}
	}
	return 0
}

func (a *automaton) step(at int32, b byte) int32 {
	for {
		if to := a.child(at, b); to != 0 || at == 0 {
			return to
		}
		at = a.nodes[at].fail
	}
}

// text gives what a state stands for.
func (a *automaton) text(at int32) string {
	n := &a.nodes[at]
	return a.patterns[n.pattern][:n.depth]
}
