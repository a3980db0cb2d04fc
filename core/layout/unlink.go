package layout

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/manifest"
)

// What is copied in the place of one link.
const (
	maxCopied      = 4096 // files and directories
	maxCopiedDepth = 16
	maxCopiedFile  = 256 << 20 // bytes; a program is among them
)

// Unlink puts copies in the place of links, for a system or a user that cannot make any. Logins are left to Apply, which
// copies them in a way of its own. A link whose worth is that the client writes through it, to a directory or file of
// the user's or to a shared cache, is left out instead, and its path returned: a copy would swallow what it writes. So
// is one that leads to nothing. The tree then says that it was unlinked.
func (t *Tree) Unlink() (left []string, err error) {
	t.Unlinked = true
	var nodes []Node
	for _, n := range t.Nodes {
		if n.Kind != manifest.Link || n.Login >= 0 {
			nodes = append(nodes, n)
			continue
		}
		in, err := fsroot.StatInput(n.Target)
		switch {
		case n.Through, errors.Is(err, fs.ErrNotExist):
			left = append(left, n.Path)
			continue
		case err != nil:
			return nil, unlinking(err, n.Path)
		}
		budget := maxCopied
		copies, err := copied(n, n.Path, n.Target, in, &budget, 0)
		if err != nil {
			return nil, err
		}
		nodes = append(nodes, copies...)
	}
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(a.Path, b.Path) })
	t.Nodes = nodes
	return left, nil
}

// copied is what stands in the place of a link: a file, or a directory with all that it holds. Links inside are followed,
// as the client would have done; one that leads to nothing, or to what is neither, is passed over.
func copied(link Node, at, from string, in fsroot.Input, budget *int, depth int) ([]Node, error) {
	if *budget--; *budget < 0 || depth > maxCopiedDepth {
		return nil, fault.New(fault.StateWrite, "copy in place of a link", "session:"+link.Path, "there is too much behind it, or it leads into itself").
			WithHint("allow this user to make symbolic links")
	}
	n := Node{Path: at, Custody: manifest.Ours, Login: -1, Why: because(link.Why, "copied, since links cannot be made here")}
	switch in.Kind {
	case fsroot.InputFile:
		data, _, err := fsroot.ReadInput(from, maxCopiedFile)
		if err != nil {
			return nil, unlinking(err, link.Path)
		}
		n.Kind, n.Mode, n.Data = manifest.File, 0o600, data
		if in.Info.Mode()&0o111 != 0 {
			n.Mode = 0o700
		}
		return []Node{n}, nil
	case fsroot.InputDir:
		n.Kind, n.Mode = manifest.Dir, 0o700
		children, err := fsroot.ListInput(from)
		if err != nil {
			return nil, unlinking(err, link.Path)
		}
		nodes := []Node{n}
		for _, c := range children {
			file := filepath.Join(from, c.Name)
			in, err := fsroot.StatInput(file)
			if err != nil || in.Kind != fsroot.InputFile && in.Kind != fsroot.InputDir {
				continue
			}
			more, err := copied(link, path.Join(at, c.Name), file, in, budget, depth+1)
			if err != nil {
				return nil, err
			}
			nodes = append(nodes, more...)
		}
		return nodes, nil
	}
	return nil, unlinking(fault.New(fault.NotRegular, "", "", ""), link.Path)
}

func unlinking(err error, rel string) error {
	code := fault.CodeOf(err)
	if code == fault.Internal {
		code = fault.Unreadable
	}
	return fault.Wrap(err, code, "copy in place of a link", "session:"+rel, "what it leads to cannot be copied")
}
