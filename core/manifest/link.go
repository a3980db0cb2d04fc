package manifest

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// leads says where a link of the workspace leads to; existed is false where there is none. What is no link is somebody's.
func (w *Workspace) leads(rel string) (to string, existed bool, err error) {
	info, err := w.tree.Lstat(rel)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", false, nil
	case err != nil:
		return "", false, err
	case !fsroot.IsLink(info.Mode()):
		return "", true, fault.New(fault.Conflict, "prepare workspace link", "workspace:"+rel, "something of somebody else's stands there").
			WithHint("move it away, or prepare the session in another directory")
	}
	to, err = w.tree.Readlink(rel)
	return to, true, err
}

// linkDigest stands for a link in the place of the digest of a file.
func linkDigest(to string, existed bool) string {
	if !existed {
		return ""
	}
	return Digest([]byte("link\x00" + to))
}

// planLink is plan for a link.
func (w *Workspace) planLink(session string, b Block) (change, error) {
	have := w.record.Files[b.Path]
	if have != nil && have.Link != b.Link {
		w.bury(have, session)
	}
	joined := have == nil || !slices.Contains(have.Holders, session)
	if have != nil && have.Link != b.Link && !slices.Equal(have.Holders, []string{session}) {
		return change{}, fault.New(fault.Conflict, "prepare workspace link", "workspace:"+b.Path,
			"another session in this directory holds it with other skills").
			WithHint("end the other session, or prepare this one in another directory")
	}
	to, existed, err := w.leads(b.Path)
	if err != nil {
		return change{}, err
	}
	if existed && to != b.Link && (have == nil || to != have.Link) {
		return change{}, fault.New(fault.Conflict, "prepare workspace link", "workspace:"+b.Path, "a link of somebody else's stands there").
			WithHint("move it away, or prepare the session in another directory")
	}
	next := sharedBlock{Link: b.Link, Created: !existed, Made: w.madeFor(b.Path), Holders: []string{session}}
	if have != nil {
		next.Created, next.Holders = have.Created, slices.Clone(have.Holders)
		if joined {
			next.Holders = append(next.Holders, session)
			slices.Sort(next.Holders)
		}
	}
	o := Outside{Path: b.Path, Key: w.key, Link: true, Was: linkDigest(to, existed), Post: linkDigest(b.Link, true), Undo: to, HadBlock: existed, Joined: joined}
	return change{out: o, existed: existed, next: next}, nil
}

// madeFor lists the directories above a path that are ours, outermost first: those that have to be made, and those that
// were made for what stands beside it.
func (w *Workspace) madeFor(rel string) []string {
	made := w.missing(path.Dir(rel))
	for _, other := range w.record.Files {
		for _, dir := range other.Made {
			if strings.HasPrefix(rel, dir+"/") && !slices.Contains(made, dir) {
				made = append(made, dir)
			}
		}
	}
	slices.Sort(made) // a directory comes before what lies in it
	return made
}

// putLink makes a link durably, if what stands there is what was read.
func (w *Workspace) putLink(rel, to, was string) error {
	now, existed, err := w.leads(rel)
	if err == nil && linkDigest(now, existed) != was {
		err = fault.New(fault.Conflict, "prepare workspace link", "workspace:"+rel, "changed while it was being made").WithHint("try again")
	}
	if err != nil {
		return err
	}
	if _, err := w.tree.Link(to, rel); err != nil {
		return err
	}
	return w.tree.Sync(path.Dir(rel))
}

// undoLink puts a link back as it was before a preparation that was not completed. The reason says why it was left.
func (w *Workspace) undoLink(o Outside, have *sharedBlock) (reason string, err error) {
	to, existed, err := w.leads(o.Path)
	if err != nil {
		return reasonOf(err), nil
	}
	switch now := linkDigest(to, existed); {
	case now == o.Post && now != o.Was && have != nil && o.Was == "":
		if err := w.tree.Remove(o.Path); err != nil {
			return "", err
		}
		w.unmake(have.Made)
	case now == o.Post && now != o.Was && have != nil:
		if err := w.putLink(o.Path, o.Undo, now); err != nil {
			return "", err
		}
	case now != o.Was && now != o.Post:
		reason = "was changed by somebody else"
	case !existed && have != nil:
		w.unmake(have.Made) // made, and killed before the link was
	}
	if have != nil && o.HadBlock {
		have.Link = o.Undo
	}
	return reason, nil
}

// unlink takes a link away. The reason says why it was left.
func (w *Workspace) unlink(rel string, b *sharedBlock) (reason string, err error) {
	to, existed, err := w.leads(rel)
	switch {
	case err != nil:
		return reasonOf(err), nil
	case existed && to != b.Link:
		return "leads elsewhere now", nil
	case existed:
		if err := w.tree.Remove(rel); err != nil {
			return "", err
		}
	}
	w.unmake(b.Made)
	return "", nil
}
