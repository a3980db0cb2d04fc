package core

import (
	"context"
	"errors"
	"io/fs"
	"regexp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/transcript"
)

// conversationID is the form of the id of a conversation: it is looked for in names of files.
var conversationID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{7,127}$`)

// BindFork gives a session the conversation that its client is to go on with: one that the client of another session
// forked off there, and named. Both sessions are prepared, and of one provider. What the child has of the conversation
// already stays when it went on and is completed when it was cut off, so that it can be called again; where the two
// differ in another way it is ErrTranscript, and both are as they were.
func (h *Host) BindFork(ctx context.Context, parent, child Ref, conversation string) error {
	for what, id := range map[string]string{
		"workspace": parent.Workspace, "session": parent.ID, "workspace of the fork": child.Workspace, "session of the fork": child.ID,
	} {
		if err := checkID(what, id); err != nil {
			return err
		}
	}
	switch {
	case parent == child:
		return fault.New(fault.Invalid, "fork conversation", "session", "is the same as the one that it comes from")
	case !conversationID.MatchString(conversation):
		return fault.New(fault.Invalid, "fork conversation", "conversation", "its id is none")
	}
	end, err := h.beginWriting()
	if err != nil {
		return inTime(ctx, err)
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	defer cancel()
	return inTime(ctx, h.bindFork(ctx, manifest.Name(parent.Workspace, parent.ID), manifest.Name(child.Workspace, child.ID), conversation))
}

func (h *Host) bindFork(ctx context.Context, parent, child, conversation string) error {
	if h.isStuck(parent) || h.isStuck(child) {
		return poisoned("fork conversation")
	}
	from, err := h.store.Load(parent)
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.NotFound, "fork conversation", parent, "there is no such session")
	}
	if err != nil {
		return err
	}
	desc, _, err := h.pool.Descriptor(ctx, from.Provider)
	if err != nil {
		return err
	}
	if len(desc.Transcripts.Dirs) == 0 {
		return fault.New(fault.Refused, "fork conversation", from.Provider, "its client's conversations cannot be brought into another session")
	}
	ses, err := h.store.Acquire(ctx, child, false)
	if err != nil {
		return err
	}
	defer ses.Close()
	switch {
	case ses.Manifest == nil || ses.Damaged() || ses.Manifest.State != manifest.Ready:
		return fault.New(fault.Incomplete, "fork conversation", child, "the session has to be prepared first").WithHint("prepare it, and try again")
	case ses.Manifest.Provider != from.Provider:
		return fault.New(fault.SessionMismatch, "fork conversation", child, "the two sessions are of different providers")
	}
	source, err := fsroot.Open(h.store.Dir(parent), nil)
	if err != nil {
		return err
	}
	defer source.Close()
	return transcript.Fork(ctx, source, ses.Root, desc.Transcripts, conversation)
}
