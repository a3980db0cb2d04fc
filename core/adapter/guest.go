package adapter

import (
	"context"
	"sync"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// Guest is an adapter in this process that is no source of a pool, since it comes and goes with what it is made from. It
// goes through the same encoding, limits and checks, and it answers the same question once.
type Guest struct {
	label    string
	adapter  *protocol.Local
	identity Identity

	once sync.Once
	desc preparer.Descriptor
	err  error

	mu      sync.Mutex
	answers map[string]*preparer.Layout // by digest of the request
}

// maxAnswers bounds how many layouts a Guest remembers.
const maxAnswers = 64

// NewGuest makes a Guest. The identity is what records say of it.
func NewGuest(p preparer.Preparer, label string, id Identity) *Guest {
	return &Guest{label: label, adapter: protocol.InProcess(p), identity: id, answers: map[string]*preparer.Layout{}}
}

// Descriptor is what it says of its client.
func (g *Guest) Descriptor(ctx context.Context) (preparer.Descriptor, Identity, error) {
	g.once.Do(func() { g.desc, g.err = g.adapter.Describe(context.WithoutCancel(ctx)) })
	if g.err != nil {
		return preparer.Descriptor{}, Identity{}, fault.Wrap(g.err, fault.AdapterFault, "describe", g.label, "it describes itself in a way that is none")
	}
	return g.desc, g.identity, nil
}

// Ask is its answer to a request. A *preparer.Refusal comes as it is. The layout is shared with whoever asks the same: it
// must not be changed.
func (g *Guest) Ask(ctx context.Context, asked *Question) (*preparer.Layout, error) {
	digest, err := asked.sum()
	if err != nil {
		return nil, unsendable(g.label, err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if layout, ok := g.answers[digest]; ok {
		return layout, nil
	}
	own, err := clone(asked.Request)
	if err != nil {
		return nil, unsendable(g.label, err)
	}
	layout, err := g.adapter.Prepare(ctx, own)
	if err != nil {
		return nil, err
	}
	if len(g.answers) >= maxAnswers {
		clear(g.answers)
	}
	g.answers[digest] = layout
	return layout, nil
}
