package core

import (
	"context"
	"errors"
	"io/fs"

	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// content resolves what a session is told and gets. It is the one resolution that every adapter and RenderSkillBundle
// are fed by, and it asks the catalog once.
func (h *Host) content(ctx context.Context, s Session, d preparer.Descriptor, p command.Projection) (*capability.Resolved, error) {
	snapshot, err := h.commands.Resolve(ctx, h.cfg.Commands, h.cfg.Identity.CLI, s.Workspace, p)
	if err != nil {
		return nil, err
	}
	return capability.Resolve(ctx, capability.Request{
		Profile: h.cfg.Profile, Identity: h.cfg.Identity, Texts: h.cfg.Content, Descriptor: d,
		Context: capability.SkillContext{WorkspaceID: s.Workspace, AgentSessionID: s.ID, Provider: s.Provider, Cwd: s.Cwd},
		General: s.Detail == General, BrowserUse: s.BrowserUse, ComputerUse: s.ComputerUse, RTK: s.RTK,
		Commands: snapshot, Connectors: s.Connectors, Agent: s.Agent,
		Sources: h.cfg.SkillSources, Extra: s.ExtraSkills, SkipSkills: s.SkipSkills, Memo: &h.contents,
	})
}

// projectionOf is the projection of a session: the one that it asks for, or the stored one.
func projectionOf(s Session, stored *command.Projection) (command.Projection, error) {
	if s.Projection == nil && stored != nil {
		return *stored, nil
	}
	return command.Normal(s.Projection)
}

// storedError says that a session has to be prepared with the projection that it was first prepared with.
type storedError struct{ projection command.Projection }

func (*storedError) Error() string { return "the session has a stored projection" }

// projected holds a preparation to the projection that the session has had from the first one on.
func (a *answered) projected(m *manifest.Manifest) error {
	switch {
	case m.Commands.Equal(a.projection):
		return nil
	case a.session.Projection == nil:
		return &storedError{m.Commands}
	}
	return otherProjection(a.name)
}

func otherProjection(session string) error {
	return fault.New(fault.SessionMismatch, "prepare", session, "this session was prepared with another projection of commands").
		WithHint("ask for none, to keep the stored one, or use another session id")
}

// Discover lists the commands that a session has now: what the catalog offers, narrowed by the projection that the
// session was first prepared with. A host calls it for every listing that an agent asks for. It fails when the
// projection cannot be known, and never answers with more.
func (h *Host) Discover(ctx context.Context, r Ref) (*command.Snapshot, error) {
	for what, id := range map[string]string{"workspace": r.Workspace, "session": r.ID} {
		if err := checkID(what, id); err != nil {
			return nil, err
		}
	}
	end, err := h.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	ctx, cancel := context.WithTimeout(ctx, h.cfg.Timeout)
	defer cancel()
	m, err := h.store.Load(manifest.Name(r.Workspace, r.ID))
	if err != nil {
		detail := "what commands the session has cannot be read"
		if errors.Is(err, fs.ErrNotExist) {
			detail = "there is no such session"
		}
		return nil, fault.Wrap(err, fault.ProjectionUnavailable, "resolve commands", "session", detail).
			WithHint("prepare the session, and try again")
	}
	return h.commands.Resolve(ctx, h.cfg.Commands, h.cfg.Identity.CLI, r.Workspace, m.Commands)
}

// Authorize answers whether a session may run a command, by the command's id: nil, or an error. A host calls it before
// it runs anything for an agent, since what an agent was told is no limit.
func (h *Host) Authorize(ctx context.Context, r Ref, id string) error {
	s, err := h.Discover(ctx, r)
	if err != nil {
		return err
	}
	return s.Authorize(id)
}
