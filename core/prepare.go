package core

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/layout"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// attempts is how often a preparation starts again because the user's files changed under it.
const attempts = 3

// maxCurrent bounds a file of the client's that is read to be edited.
const maxCurrent = 8 << 20

// Prepare lays a session out, or brings one that exists up to date, and answers how its client is started. Preparing
// again with the same choices gives the same tree and writes nothing. It runs under the deadline of ctx, and under
// Config.Timeout.
//
// After an error nothing is left of a session that was not there before, and one that was there is as it was or
// incomplete. Where that could not be reached the error says both, what failed first, and Recover does the rest. A file
// system that hangs does not keep Prepare from returning: the session is then poisoned until the call returns.
func (h *Host) Prepare(ctx context.Context, s Session) (*Prepared, error) {
	s = s.clean()
	if err := s.validate(); err != nil {
		return nil, err
	}
	return watched(ctx, h, manifest.Name(s.Workspace, s.ID), "prepare", s.Provider, func(ctx context.Context, o *operation) (*Prepared, error) {
		return h.prepare(ctx, s, o)
	})
}

// inTime gives every error its class: the end of the time its own, and what nothing is known of that of a fault of
// ours, without the text of its cause, which may name a path.
func inTime(ctx context.Context, err error) error {
	var e *fault.Error
	switch {
	case err == nil, errors.As(err, &e) && e.Code != fault.Internal:
		return err
	case ctx.Err() != nil && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)):
		return fault.Wrap(err, fault.Deadline, "prepare", "", "the time was up, or the caller gave up")
	case e != nil:
		return err
	}
	detail := "failed in a way that is not known"
	var number syscall.Errno
	if errors.As(err, &number) {
		detail = "failed: " + number.Error()
	}
	return fault.Wrap(err, fault.Internal, "use state", "", detail)
}

func (h *Host) prepare(ctx context.Context, s Session, o *operation) (*Prepared, error) {
	if err := s.standing(); err != nil {
		return nil, err
	}
	if err := h.ensure(); err != nil {
		return nil, err
	}
	// What the session was first prepared with is looked up before its lock is held, so that the catalog is asked once;
	// under the lock it is held against the record again.
	var stored *command.Projection
	if s.Projection == nil {
		var err error
		if stored, _, err = h.before(s); err != nil && !errors.Is(err, fault.Corrupt) {
			return nil, err // one that is damaged is told of under the lock
		}
	}
	var before *answered
	for range attempts {
		a, err := h.ask(ctx, s, stored, before)
		if err != nil {
			return nil, err
		}
		before = a
		p, err := h.carryOut(ctx, a, o)
		var other *storedError
		if errors.As(err, &other) {
			stored = &other.projection
		} else if !errors.Is(err, errChanged) {
			return p, err
		}
	}
	return nil, fault.New(fault.InputsChanged, "prepare", s.Provider, "the user's files changed while they were read, three times in a row").
		WithHint("end what writes to them, and try again")
}

// errChanged says that an input is not what the layout was made for.
var errChanged = errors.New("inputs changed")

// carryOut makes the disk look like the answer, under the session's lock.
func (h *Host) carryOut(ctx context.Context, a *answered, o *operation) (p *Prepared, err error) {
	ses, err := h.store.Acquire(ctx, a.name, true)
	if err != nil {
		return nil, err
	}
	h.setLocked(o, true)
	defer h.setLocked(o, false)
	defer ses.Close()
	if err := matching(ses, a.session); err != nil {
		return nil, err
	}
	if ses.Manifest != nil {
		if err := a.projected(ses.Manifest); err != nil {
			return nil, err
		}
	}
	defer func() {
		if err != nil {
			// The time may be up, and things have to be put in order all the same.
			whole := context.WithoutCancel(ctx)
			if undo := ses.Abort(whole); undo != nil {
				h.cfg.Logger.Error("preparation could not be undone", "session", a.name, "code", fault.CodeOf(undo))
				// Both with a class of their own: the first is that of the preparation, and no text names a path.
				err = errors.Join(inTime(ctx, err), inTime(whole, undo))
			}
		}
	}()
	if err := h.settle(ctx, ses, a); err != nil {
		return nil, err
	}
	var prior map[string]string
	if ses.Manifest != nil {
		prior = ses.Manifest.Names
	}
	if err := h.keepProgram(ctx, a, ses.Manifest); err != nil {
		return nil, err
	}
	current := func(rel string) ([]byte, error) {
		if ses.Manifest.Owns(rel) {
			return nil, fs.ErrNotExist // another preparation wrote it whole, and it holds nothing of the client's
		}
		data, _, err := ses.Root.ReadFile(rel, maxCurrent)
		return data, err
	}
	tree, names, err := h.compile(ctx, a, prior, current, h.stored)
	if err != nil {
		return nil, err
	}
	out, err := h.planWorkspace(ctx, a, ses, tree)
	if err != nil {
		return nil, err
	}
	defer out.close()
	if a.inputs.Changed() {
		return nil, errChanged
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := &work{h: h, a: a, ses: ses, tree: tree, names: names, out: out}
	return w.run(ctx)
}

// matching refuses to prepare over a session that is another one.
func matching(ses *manifest.Session, s Session) error {
	if ses.Damaged() {
		return fault.New(fault.Corrupt, "prepare", ses.Name, "the record of this session is damaged").
			WithHint("clean the session up, and prepare it again")
	}
	if ses.Manifest == nil {
		return nil
	}
	return sameSession(ses.Name, ses.Manifest, s)
}

func sameSession(name string, m *manifest.Manifest, s Session) error {
	switch {
	case m.Provider != s.Provider:
		return fault.New(fault.SessionMismatch, "prepare", name, "this session was prepared for "+m.Provider).
			WithHint("use another session id, or clean this one up")
	case m.Cwd != s.Cwd:
		return fault.New(fault.SessionMismatch, "prepare", name, "this session was prepared in another directory").
			WithHint("use another session id, or clean this one up")
	}
	return nil
}

// settle brings newer versions of logins home before they are exposed again.
func (h *Host) settle(ctx context.Context, ses *manifest.Session, a *answered) error {
	for _, e := range a.layout.Entries {
		l, ok := e.(preparer.Login)
		if !ok {
			continue
		}
		it := a.inputs.Items[l.Input]
		if it == nil || !it.Exists {
			continue
		}
		if err := ses.SettleRunning(ctx, it.Source); err != nil {
			return err
		}
	}
	kept, _, err := ses.SettleAll(ctx)
	if err != nil {
		return err
	}
	if len(kept) > 0 {
		return fault.New(fault.LoginConflict, "prepare", kept[0].Place, kept[0].Reason).
			WithHint("keep the one that works, and remove the other")
	}
	return nil
}

// outside is what a preparation does in the workspace. The zero value is nothing.
type outside struct {
	workspace *manifest.Workspace // locked
	plan      *manifest.Plan      // nil without blocks
	spill     string              // goes into the first prompt
	wanted    map[string]bool     // files that blocks are wanted in
	dropped   []manifest.Outside  // held, and not wanted any more
}

func (o *outside) close() {
	if o.workspace != nil {
		o.workspace.Close()
	}
}

// changes says whether anything has to be written.
func (o *outside) changes() bool {
	return o.plan != nil && o.plan.Changes() || len(o.dropped) > 0
}

// planWorkspace locks the workspace when blocks go there or went there, and works out what has to change. Where another
// session holds a block with other text, the text goes into the first prompt, when the client has that channel. A
// block that this session held and does not want any more is to be given up.
func (h *Host) planWorkspace(ctx context.Context, a *answered, ses *manifest.Session, tree *layout.Tree) (_ *outside, err error) {
	out := &outside{wanted: map[string]bool{}}
	var held []manifest.Outside
	if ses.Manifest != nil {
		held = ses.Manifest.Outside
	}
	if len(tree.Blocks) == 0 && len(held) == 0 {
		return out, nil
	}
	if out.workspace, err = h.store.OpenWorkspace(ctx, a.session.Cwd); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			out.close()
		}
	}()
	for _, o := range held {
		if !out.workspace.Holds(o) {
			return nil, fault.New(fault.Conflict, "prepare workspace file", "workspace:"+o.Path, "the session holds it in a directory that stood here before").
				WithHint("clean the session up, and prepare it again")
		}
	}
	if len(tree.Blocks) > 0 {
		if out.plan, out.spill, err = planBlocks(a, out.workspace, tree); err != nil {
			return nil, err
		}
	}
	if out.plan != nil {
		for _, b := range tree.Blocks {
			out.wanted[b.Path] = true
		}
	}
	for _, o := range held {
		if !out.wanted[o.Path] {
			out.dropped = append(out.dropped, manifest.Outside{Path: o.Path, Key: o.Key, Dropped: true})
		}
	}
	return out, nil
}

// planBlocks works out what has to change in the workspace, or what goes into the first prompt instead.
func planBlocks(a *answered, w *manifest.Workspace, tree *layout.Tree) (plan *manifest.Plan, spill string, err error) {
	plan, err = w.Plan(a.name, tree.Blocks)
	if !errors.Is(err, fault.Conflict) || !slices.Contains(a.desc.Instructions, preparer.FirstPrompt) {
		return plan, "", err
	}
	var texts, links []manifest.Block
	for _, b := range tree.Blocks {
		if b.Link == "" {
			texts = append(texts, b)
		} else {
			links = append(links, b)
		}
	}
	if len(texts) == 0 {
		return nil, "", err
	}
	if len(links) > 0 { // without which it is a session without skills
		if plan, err = w.Plan(a.name, links); err != nil {
			return nil, "", err
		}
	}
	a.note("workspace_held", "somebody else holds "+texts[0].Path+"; the instructions go with the first prompt", "")
	tree.Blocks = links
	return plan, joinBlocks(texts), nil
}

func joinBlocks(blocks []manifest.Block) string {
	texts := make([]string, len(blocks))
	for i, b := range blocks {
		texts[i] = b.Text
	}
	return strings.Join(texts, "\n\n")
}
