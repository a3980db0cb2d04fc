package cli

import (
	"context"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/agent"
	"github.com/greenroom-agents/greenroom/daemon/api"
)

// catalogue lists the clients that agents can be while a host is open: what its adapters say, and what is said by the
// extensions that are believed at the moment. One that is not believed is as good as absent here; doctor says why.
func (a *app) catalogue(h *core.Host) (api.Catalogue, error) {
	s, err := a.extensionStore() // one for all the time, since it remembers what it read
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) ([]api.Provider, error) {
		infos, err := h.Adapters(ctx)
		if err != nil {
			return nil, err
		}
		var all []api.Provider
		for _, i := range infos {
			if i.Descriptor != nil {
				all = append(all, api.Provider{ID: i.Provider, Model: i.Descriptor.Model})
			}
		}
		p, err := a.trusted()
		if err != nil {
			return all, nil // nobody is believed
		}
		extensions, err := s.List(ctx, p, a.terms())
		if err != nil {
			return all, ctx.Err()
		}
		for _, i := range extensions {
			if i.Package == nil {
				continue
			}
			o, err := i.Package.Overlay()
			if err != nil {
				continue
			}
			said, err := i.Package.Composer()
			if err == nil {
				all = append(all, api.Provider{ID: o.Provider(), Model: o.Describe().Model, Composer: said})
			}
		}
		return all, nil
	}, nil
}

// harness asks the adapter of a client, or the extension that describes it, what the client takes.
func (a *app) harness(ctx context.Context, provider string) (agent.Harness, error) {
	if described(provider) {
		s := core.Session{Provider: provider}
		if err := a.extend(ctx, &s, false); err != nil {
			return agent.Harness{}, err
		}
		return harnessOf(provider, s.ExtensionRuntimePrep.Describe().Model), nil
	}
	h, err := a.hostFor(ctx, provider)
	if err != nil {
		return agent.Harness{}, err
	}
	defer h.Close()
	d, err := h.Descriptor(ctx, provider)
	return harnessOf(provider, d.Model), err
}
