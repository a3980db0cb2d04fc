package view

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

// Tree draws nodes, one tree for each root.
func (v View) Tree(nodes []core.Node) {
	roots := map[string]*paint.Branch{}
	var order []string
	for _, n := range slices.SortedFunc(slices.Values(nodes), byPlace) {
		root, path, _ := strings.Cut(n.Place, ":")
		branch, ok := roots[root]
		if !ok {
			branch = &paint.Branch{Name: paint.Clean(root)}
			roots[root] = branch
			order = append(order, root)
		}
		branch.At(paint.Clean(path)).Remarks = []string{v.Style.Dim(kindOf(n)), v.remark(n)}
	}
	for i, root := range order {
		if i > 0 {
			v.Line("")
		}
		_ = roots[root].Draw(v.W, v.Style, "  ")
	}
}

// byPlace puts the session first, and a directory before what is in it.
func byPlace(a, b core.Node) int {
	session := func(n core.Node) int {
		if strings.HasPrefix(n.Place, "session:") {
			return 0
		}
		return 1
	}
	if d := session(a) - session(b); d != 0 {
		return d
	}
	return strings.Compare(strings.ReplaceAll(a.Place, "/", "\x00"), strings.ReplaceAll(b.Place, "/", "\x00"))
}

// digests are names that are told apart by their beginning.
var digests = regexp.MustCompile(`\b([0-9a-f]{12})[0-9a-f]{20,}\b`)

func kindOf(n core.Node) string { return paint.Clean(n.Kind) }

func (v View) remark(n core.Node) string {
	var parts []string
	if n.Target != "" {
		parts = append(parts, v.Style.Accent("→ "+digests.ReplaceAllString(v.Path(n.Target), "$1…")))
	}
	if n.Kind == "file" && n.Size > 0 {
		parts = append(parts, v.Style.Dim(Size(int64(n.Size))))
	}
	if n.Why != "" {
		parts = append(parts, paint.Clean(n.Why))
	}
	return strings.Join(parts, "  ")
}

// Size is a number of bytes for people.
func Size(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1000)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}
