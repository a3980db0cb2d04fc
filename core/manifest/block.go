package manifest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/merge"
)

// Plan is what has to change in a workspace for one session.
type Plan struct {
	w       *Workspace
	session string
	changes []change
}

// Changes says whether anything has to be written.
func (p *Plan) Changes() bool {
	for _, c := range p.changes {
		if c.out.Joined || c.out.Was != c.out.Post {
			return true
		}
	}
	return false
}

// Outside is what the manifest has to say before Apply.
func (p *Plan) Outside() []Outside {
	var list []Outside
	for _, c := range p.changes {
		list = append(list, c.out)
	}
	return list
}

// Apply writes the blocks: first, durably, who holds them and what stood there before, then the files. The manifest
// must already say what Outside says.
func (p *Plan) Apply() error {
	if !p.Changes() {
		return nil
	}
	for _, c := range p.changes {
		next := c.next
		p.w.record.Files[c.out.Path] = &next
	}
	if err := p.w.save(); err != nil {
		return err
	}
	for _, c := range p.changes {
		if c.out.Was == c.out.Post {
			continue
		}
		if _, err := p.w.tree.MkdirAll(path.Dir(c.out.Path), 0o755); err != nil {
			return err
		}
		var err error
		if c.out.Link {
			err = p.w.putLink(c.out.Path, c.next.Link, c.out.Was)
		} else {
			err = p.w.put(c.out.Path, c.data, c.info)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// put writes a file of the workspace durably, if it still is what was read.
func (w *Workspace) put(rel string, data []byte, info fs.FileInfo) error {
	o := fsroot.WriteOptions{Mode: modeOf(info), Sync: true, New: info == nil}
	if info != nil {
		o.Expect = &fsroot.Expectation{Info: info}
	}
	err := w.tree.WriteFile(rel, data, o)
	if errors.Is(err, fs.ErrExist) {
		return fault.Wrap(err, fault.Conflict, "write workspace file", "workspace:"+rel, "appeared while it was being written").
			WithHint("try again")
	}
	return err
}

// undo puts back what a preparation that was not completed changed, and gives up its hold. What somebody else changed
// meanwhile is kept and reported.
func (w *Workspace) undo(session string, list []Outside) (kept []Kept, err error) {
	was, err := seal(w.record)
	if err != nil {
		return nil, err
	}
	for i := len(list) - 1; i >= 0; i-- {
		o := list[i]
		if o.Dropped {
			continue // held as before, or given up
		}
		have := w.record.Files[o.Path]
		if w.Replaced() {
			kept = append(kept, Kept{Place: "workspace:" + o.Path, Reason: "the workspace is another directory now"})
			if have != nil && o.Joined {
				drop(have, session)
			}
			continue
		}
		if err := w.sweep(o.Path); err != nil {
			return kept, err
		}
		if o.Link {
			reason, err := w.undoLink(o, have)
			if err != nil {
				return kept, err
			}
			if reason != "" {
				kept = append(kept, Kept{Place: "workspace:" + o.Path, Reason: reason})
			}
			if have != nil && o.Joined {
				drop(have, session)
			}
			continue
		}
		data, info, existed, err := w.read(o.Path)
		if err != nil {
			kept = append(kept, Kept{Place: "workspace:" + o.Path, Reason: reasonOf(err)})
			continue
		}
		if now := fileDigest(data, existed); now == o.Post && now != o.Was && have != nil {
			back, err := w.before(data, o, have)
			if err != nil || fileDigest(back, o.Was != "") != o.Was {
				kept = append(kept, Kept{Place: "workspace:" + o.Path, Reason: "could not be put back"})
				continue
			}
			if err := w.restore(o.Path, back, info, o.Was == "", have.Made); err != nil {
				return kept, err
			}
		} else if now != o.Was && now != o.Post {
			kept = append(kept, Kept{Place: "workspace:" + o.Path, Reason: "was changed by somebody else"})
		}
		if have == nil {
			continue
		}
		if !existed {
			w.unmake(have.Made) // made, and killed before the file was written
		}
		if o.HadBlock {
			if _, rec, err := merge.InsertBlock(nil, true, merge.Marker{ID: w.state.ID()}, o.Undo); err == nil {
				have.Text, have.Record.Digest = o.Undo, rec.Digest
			}
		}
		if o.Joined {
			drop(have, session)
		}
	}
	// On a disk that is full nothing could be written, and where nothing changed nothing need be.
	if is, err := seal(w.record); err != nil || len(w.record.Files) > 0 && bytes.Equal(is, was) {
		return kept, err
	}
	return kept, w.save()
}

// before is the file as it was before a preparation changed its block.
func (w *Workspace) before(data []byte, o Outside, have *sharedBlock) ([]byte, error) {
	m := merge.Marker{ID: w.state.ID()}
	if o.HadBlock {
		back, _, err := merge.InsertBlock(data, true, m, o.Undo)
		return back, err
	}
	back, outcome, err := merge.RemoveBlock(data, m, have.Record)
	if err == nil && outcome != merge.Stripped {
		err = fault.New(fault.Conflict, "restore workspace file", "workspace:"+o.Path, "holds no block of ours")
	}
	return back, err
}

// sweep removes what a killed process left beside a file of the workspace.
func (w *Workspace) sweep(rel string) error {
	err := sweep(w.tree, path.Dir(rel))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fault.LinkRefused) || errors.Is(err, fault.NotRegular) {
		return nil
	}
	return err
}

func drop(b *sharedBlock, session string) {
	b.Holders = slices.DeleteFunc(b.Holders, func(h string) bool { return h == session })
}

// restore writes a file without our block, or removes it, and the directories that we made, when we made it, nothing
// is left in it and git does not track it.
func (w *Workspace) restore(rel string, data []byte, info fs.FileInfo, remove bool, made []string) error {
	if !remove || len(data) > 0 || w.tracked(rel) {
		return w.put(rel, data, info)
	}
	if err := w.tree.Remove(rel); err != nil {
		return err
	}
	w.unmake(made)
	return nil
}

// unmake removes directories that we made. One that holds something now is somebody's.
func (w *Workspace) unmake(made []string) {
	for i := len(made) - 1; i >= 0; i-- {
		if err := w.tree.Remove(made[i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return
		}
	}
}

// Release takes a session's hold off all its blocks, and the blocks that nobody holds any more out of their files.
func (w *Workspace) Release(session string) (kept []Kept, err error) {
	return w.ReleaseExcept(session, nil)
}

// ReleaseExcept is Release for all blocks but those in some files.
func (w *Workspace) ReleaseExcept(session string, keep map[string]bool) (kept []Kept, err error) {
	m := merge.Marker{ID: w.state.ID()}
	for _, rel := range sortedKeys(w.record.Files) {
		b := w.record.Files[rel]
		if !slices.Contains(b.Holders, session) || keep[rel] {
			continue
		}
		if err := w.sweep(rel); err != nil {
			return kept, err
		}
		w.bury(b, session)
		if len(b.Holders) == 1 {
			reason, err := w.strip(rel, b, m)
			if err != nil {
				return kept, err
			}
			if reason != "" {
				kept = append(kept, Kept{Place: "workspace:" + rel, Reason: reason})
			}
		}
		drop(b, session)
	}
	return kept, w.save()
}

// strip takes a block out of its file. The reason says why it was left.
func (w *Workspace) strip(rel string, b *sharedBlock, m merge.Marker) (reason string, err error) {
	if w.Replaced() {
		return "the workspace is another directory now", nil
	}
	if b.Link != "" {
		return w.unlink(rel, b)
	}
	data, info, existed, err := w.read(rel)
	if err != nil {
		return reasonOf(err), nil
	}
	if !existed {
		w.unmake(b.Made)
		return "", nil
	}
	text, had, err := merge.FindBlock(data, m)
	switch {
	case err != nil:
		return "the markers of the managed block were damaged", nil
	case !had:
		return "", nil
	case text != b.Text:
		return "the managed block was edited", nil
	}
	out, outcome, err := merge.RemoveBlock(data, m, b.Record)
	if err != nil || outcome != merge.Stripped {
		return "the managed block was edited", nil
	}
	return "", w.restore(rel, out, info, b.Created, b.Made)
}

// holding lists the workspaces in which a session holds blocks, by reading every workspace record. It is for a session
// whose own record is damaged.
func (s *Store) holding(ctx context.Context, tree *fsroot.Tree, session string) (map[string]string, error) {
	found := map[string]string{}
	list, err := tree.List("w")
	if err != nil {
		return nil, err
	}
	for _, e := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		w := &Workspace{state: s, own: tree, key: trimJSON(e.Name())}
		data, _, err := tree.ReadFile("w/"+e.Name(), maxRecord)
		if err != nil {
			continue
		}
		if err := w.decode(data); err != nil {
			continue
		}
		for _, b := range w.record.Files {
			if slices.Contains(b.Holders, session) {
				found[w.key] = w.record.Path
			}
		}
	}
	return found, nil
}

// reasonOf is why a file could not be looked at, in words for a report.
func reasonOf(err error) string {
	var e *fault.Error
	if errors.As(err, &e) && e.Detail != "" {
		return e.Detail
	}
	return fault.CodeOf(err).Error()
}
