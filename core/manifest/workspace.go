package manifest

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/merge"
)

// maxText bounds a text file of the user's that a block stands in.
const maxText = 8 << 20

// shared is the record of the managed blocks in one workspace. What stood there before is captured once, by the first
// session, so that the last one to go leaves the file as the first one found it, in whatever order they go.
type shared struct {
	Schema int                     `json:"schema"`
	Path   string                  `json:"path"` // of the workspace, links resolved
	Files  map[string]*sharedBlock `json:"files"`
}

// sharedBlock is one managed block, and who holds it.
type sharedBlock struct {
	Text    string            `json:"text"`
	Link    string            `json:"link,omitempty"` // where it leads to, for one that is no block but a link
	Created bool              `json:"created"`        // the file was not there
	Made    []string          `json:"made"`           // directories that were not there, outermost first
	Record  merge.BlockRecord `json:"record"`         // how to take the block out again
	Holders []string          `json:"sessions"`       // names of sessions, sorted
}

// Workspace is a workspace whose lock is held.
type Workspace struct {
	state  *Store
	tree   *fsroot.Tree // the workspace
	own    *fsroot.Tree // the state directory
	lock   *fsroot.Lock
	key    string
	real   string // where the path leads now
	record *shared
}

// Block is a managed block that a session wants in a file of its workspace, or with Link, a link that it wants there.
type Block struct {
	Path string
	Text string
	Link string // where it leads to, absolute
}

// OpenWorkspace locks a workspace directory.
func (s *Store) OpenWorkspace(ctx context.Context, cwd string) (*Workspace, error) {
	real, err := filepath.EvalSymlinks(cwd)
	if err == nil && !utf8.ValidString(real) {
		return nil, fault.New(fault.Invalid, "open workspace", "working directory", "leads to a path that is not UTF-8, which no record can name")
	}
	if err != nil {
		return nil, fault.Wrap(err, fault.CwdMissing, "open workspace", "working directory", "is not there any more")
	}
	return s.openWorkspace(ctx, real, digest16(real))
}

// PeekWorkspace opens a workspace directory without its lock, for Plan only.
func (s *Store) PeekWorkspace(cwd string) (*Workspace, error) {
	real, err := filepath.EvalSymlinks(cwd)
	if err != nil {
		return nil, fault.Wrap(err, fault.CwdMissing, "open workspace", "working directory", "is not there any more")
	}
	tree, err := s.openOutside(real)
	if err != nil {
		return nil, err
	}
	w := &Workspace{state: s, tree: tree, key: digest16(real), real: real}
	if w.own, err = s.Tree(); errors.Is(err, fs.ErrNotExist) {
		w.record = &shared{Schema: Schema, Path: real}
		return w, nil
	}
	if err == nil {
		err = w.load(real)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (s *Store) openWorkspace(ctx context.Context, real, key string) (*Workspace, error) {
	tree, err := s.openOutside(real)
	if err != nil {
		return nil, err
	}
	w := &Workspace{state: s, tree: tree, key: key}
	if w.real, err = filepath.EvalSymlinks(real); err != nil {
		tree.Close()
		return nil, err
	}
	if w.lock, err = tree.Lock(ctx, fsroot.Exclusive, true); err != nil {
		tree.Close()
		return nil, err
	}
	if w.own, err = s.Tree(); err == nil {
		err = w.load(real)
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

func (w *Workspace) load(real string) error {
	data, _, err := w.own.ReadFile(w.path(), maxRecord)
	if errors.Is(err, fs.ErrNotExist) {
		w.record = &shared{Schema: Schema, Path: real, Files: map[string]*sharedBlock{}}
		return nil
	}
	if err != nil {
		return err
	}
	return w.decode(data)
}

func (w *Workspace) decode(data []byte) error {
	line, err := unseal(data)
	if err != nil {
		return err
	}
	if err := known(line, "read workspace record"); err != nil {
		return err
	}
	if err := json.Unmarshal(line, &w.record); err != nil {
		return fault.Wrap(err, fault.Corrupt, "read workspace record", "", "is not a workspace record")
	}
	return nil
}

func (w *Workspace) path() string { return "w/" + w.key + ".json" }

func (w *Workspace) draft() string { return "w/" + w.key + ".draft" }

func trimJSON(name string) string { return strings.TrimSuffix(name, ".json") }

// Close gives the lock back.
func (w *Workspace) Close() {
	if w.lock != nil {
		_ = w.lock.Unlock()
	}
	w.tree.Close()
	if w.own != nil {
		w.own.Close()
	}
}

// Replaced says that the path of the workspace leads elsewhere than when the blocks were written, since a link was put
// into it. The numbers of device and inode would not do: they change when a system starts anew, a project is cloned
// again or a backup is put back.
func (w *Workspace) Replaced() bool { return len(w.record.Files) > 0 && w.real != w.record.Path }

// read is the current content of a file of the workspace; existed is false where there is none. A link, a special
// file, or a file with more than one name is refused: it is not ours to break, and never written through.
func (w *Workspace) read(rel string) (data []byte, info fs.FileInfo, existed bool, err error) {
	data, info, err = w.tree.ReadFile(rel, maxText)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, false, nil
	case err != nil:
		return nil, nil, false, err
	case fsroot.Links(info) > 1:
		return nil, nil, false, fault.New(fault.LinkRefused, "read workspace file", "workspace:"+rel, "has more than one name").
			WithHint("replace the hard link by a file of its own")
	}
	return data, info, true, nil
}

// change is a block that is ready to be written.
type change struct {
	out     Outside
	data    []byte
	info    fs.FileInfo
	existed bool
	next    sharedBlock
}

// Holds says whether a block that a session holds is recorded here. It is not when its working directory was moved and
// a link put in its place.
func (w *Workspace) Holds(o Outside) bool { return o.Key == w.key }

// Plan works out what has to change so that the session holds the blocks. It changes nothing. A block with another
// text that another session holds is fault.Conflict, naming its file.
func (w *Workspace) Plan(session string, blocks []Block) (*Plan, error) {
	p := &Plan{w: w, session: session}
	if w.Replaced() {
		return nil, fault.New(fault.Conflict, "open workspace", "workspace", "was replaced by another directory while sessions hold blocks in it").
			WithHint("clean those sessions up first")
	}
	for _, b := range blocks {
		c, err := w.plan(session, b)
		if err != nil {
			return nil, err
		}
		p.changes = append(p.changes, c)
	}
	return p, nil
}

func (w *Workspace) plan(session string, b Block) (change, error) {
	if b.Link != "" {
		return w.planLink(session, b)
	}
	b.Text = merge.BlockText(b.Text)
	have := w.record.Files[b.Path]
	if have != nil && have.Text != b.Text {
		w.bury(have, session)
	}
	joined := have == nil || !slices.Contains(have.Holders, session)
	if have != nil && have.Text != b.Text && !slices.Equal(have.Holders, []string{session}) {
		return change{}, fault.New(fault.Conflict, "prepare workspace file", "workspace:"+b.Path,
			"another session in this directory holds it with other instructions").
			WithHint("end the other session, or prepare this one in another directory")
	}
	data, info, existed, err := w.read(b.Path)
	if err != nil {
		return change{}, err
	}
	m := merge.Marker{ID: w.state.ID()}
	old, had, err := merge.FindBlock(data, m)
	if err != nil {
		return change{}, named(err, b.Path)
	}
	// One that nobody holds was left because somebody had edited it, or its record was lost: it is the user's too.
	if had && old != b.Text && (have == nil || old != have.Text) {
		return change{}, fault.New(fault.Conflict, "prepare workspace file", "workspace:"+b.Path, "somebody edited the managed block").
			WithHint("move your text out of the managed block, or remove the block")
	}
	out, rec, err := merge.InsertBlock(data, existed, m, b.Text)
	if err != nil {
		return change{}, named(err, b.Path)
	}
	next := sharedBlock{Text: b.Text, Created: !existed, Record: rec, Holders: []string{session}}
	if have != nil {
		next.Created, next.Made = have.Created, have.Made
		next.Holders = slices.Clone(have.Holders)
		if had {
			next.Record = rec.After(have.Record)
		}
		if joined {
			next.Holders = append(next.Holders, session)
			slices.Sort(next.Holders)
		}
	}
	if !existed {
		next.Made = append(next.Made, w.missing(path.Dir(b.Path))...)
	}
	o := Outside{Path: b.Path, Key: w.key, Was: fileDigest(data, existed), Post: Digest(out), Undo: old, HadBlock: had, Joined: joined}
	return change{out: o, data: out, info: info, existed: existed, next: next}, nil
}

// named says which file a fault of its text is about.
func named(err error, rel string) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	return fault.Wrap(err, e.Code, "prepare workspace file", "workspace:"+rel, e.Detail).WithHint(e.Hint)
}

// bury takes holders off that have no manifest any more. A session has one before it holds anything, and until it holds
// nothing. It stops at the first that lives.
func (w *Workspace) bury(b *sharedBlock, session string) {
	for _, h := range slices.Clone(b.Holders) {
		if h == session {
			continue
		}
		if _, err := w.own.Lstat(manifestPath(h)); !errors.Is(err, fs.ErrNotExist) {
			return
		}
		drop(b, h)
	}
}

// missing lists the directories that have to be made, outermost first.
func (w *Workspace) missing(dir string) []string {
	var made []string
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := w.tree.Lstat(dir); err == nil {
			break
		}
		made = append(made, dir)
	}
	slices.Reverse(made)
	return made
}

func fileDigest(data []byte, existed bool) string {
	if !existed {
		return ""
	}
	return Digest(data)
}

// save writes the record durably, or removes it when nobody holds a block any more.
func (w *Workspace) save() error {
	for rel, b := range w.record.Files {
		if len(b.Holders) == 0 {
			delete(w.record.Files, rel)
		}
	}
	if len(w.record.Files) == 0 {
		for _, name := range []string{w.path(), w.draft()} {
			if err := w.own.RemoveAll(name); err != nil {
				return err
			}
		}
		return nil
	}
	data, err := seal(w.record)
	if err != nil {
		return err
	}
	_, err = replace(w.own, w.draft(), w.path(), data, true)
	return err
}

// modeOf is the mode that a rewritten file keeps, or that a new one of the user's gets.
func modeOf(info fs.FileInfo) os.FileMode {
	if info == nil {
		return 0o644
	}
	return info.Mode().Perm()
}
