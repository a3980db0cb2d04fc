package core

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// answers is who answers for a session: the adapter of its provider, or its extension.
type answers interface {
	Descriptor(ctx context.Context) (preparer.Descriptor, adapter.Identity, error)
	Ask(ctx context.Context, q *adapter.Question) (*preparer.Layout, error)
}

// pooled is the adapter of a provider.
type pooled struct {
	pool     *adapter.Pool
	provider string
}

func (p pooled) Descriptor(ctx context.Context) (preparer.Descriptor, adapter.Identity, error) {
	return p.pool.Descriptor(ctx, p.provider)
}

func (p pooled) Ask(ctx context.Context, q *adapter.Question) (*preparer.Layout, error) {
	return p.pool.Ask(ctx, p.provider, q)
}

// maxGuests bounds how many extensions a host remembers.
const maxGuests = 64

func (h *Host) answers(s Session) answers {
	o := s.ExtensionRuntimePrep
	if o == nil {
		return pooled{h.pool, s.Provider}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if g := h.guests[o.Digest()]; g != nil {
		return g
	}
	if len(h.guests) >= maxGuests {
		clear(h.guests)
	}
	agent := o.Agent()
	if agent.Unsafe {
		h.cfg.Logger.Warn("preparing by an extension that is signed by nobody", "extension", agent.Key, "version", agent.Version)
	}
	g := adapter.NewGuest(o, "extension "+agent.Key, adapter.Identity{Digest: o.Digest(), Version: agent.Version, Path: o.Provider(), Unsafe: agent.Unsafe})
	h.guests[o.Digest()] = g
	return g
}

// extended refuses an extension for a session of another provider.
func (s Session) extended() error {
	if o := s.ExtensionRuntimePrep; o != nil && o.Provider() != s.Provider {
		return fault.New(fault.Invalid, "prepare", "provider", "is not the one of the extension, "+o.Provider())
	}
	return nil
}

// unconfigured says that an agent of an extension gets no configuration of the user's, and how their home was found: it
// then advises to set it up, and would do so in another home than theirs.
func (a *answered) unconfigured() {
	o := a.session.ExtensionRuntimePrep
	if o == nil || o.Config() == "" {
		return
	}
	it := a.inputs.Items[o.Config()]
	if it == nil || it.Exists || len(a.homes) == 0 {
		return
	}
	a.note("source_config_missing", it.Label+" is not there, and the agent starts without; the home was found by "+a.homes[0].By,
		"set the agent up outside of a session, or correct the variable that names its home")
}

// copiedLogins says which copies hold a login that is good for one use: whichever of the two is renewed first ends the
// other.
func (a *answered) copiedLogins() {
	for _, e := range a.layout.Entries {
		c, ok := e.(preparer.Copy)
		if !ok {
			continue
		}
		if it := a.inputs.Items[c.Input]; it != nil && it.Exists && singleUse(it.Data) {
			a.note("single_use_login_copied", it.Label+" holds a login that is good for one use, and is copied: when the session renews it, the user is logged out, and the other way round",
				"have it declared as a login")
		}
	}
}

// singleUse says whether a JSON file holds a token that a login is renewed with.
func singleUse(data []byte) bool {
	if !bytes.Contains(data, []byte("refresh")) {
		return false
	}
	var v any
	return json.Unmarshal(data, &v) == nil && renewed(v)
}

func renewed(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if renewed(item) {
				return true
			}
		}
	case map[string]any:
		for key, item := range v {
			if s, ok := item.(string); ok && s != "" && (key == "refresh_token" || key == "refreshToken") || renewed(item) {
				return true
			}
		}
	}
	return false
}
