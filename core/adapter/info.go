package adapter

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Identity says which adapter answered.
type Identity struct {
	// Digest is the SHA-256 of the binary, "in-process", or [Attached].
	Digest string
	// Version is the adapter's, by its own word.
	Version string
	// Path is the base name of the binary, or the same word.
	Path string
	// Unsafe says that any digest was allowed, or that there was none to look at.
	Unsafe bool
}

const inProcess = "in-process"

// Attached stands for the digest of an adapter that a debugger started.
const Attached = "attached"

// State is how an adapter is doing.
type State string

// The states.
const (
	Local   State = inProcess // an adapter in this process
	Debug   State = Attached  // one that a debugger started, wherever it is
	Running State = "running"
	Stopped State = "stopped" // not started yet, or idle
	Failed  State = "failed"  // crashed three times in a row; not started again
	Broken  State = "broken"  // cannot be started or asked, see Err
)

// Info is one adapter as people see it.
type Info struct {
	// Provider is what the adapter serves, or what its source says while the adapter cannot be asked.
	Provider   string
	Descriptor preparer.Descriptor
	Identity   Identity
	// Protocol is the version of the contract that it speaks, 0 while unknown.
	Protocol int
	State    State
	// PID is its process, 0 for none, and Since when that was started.
	PID   int
	Since time.Time
	// Crashes counts those in a row.
	Crashes int
	// Err is what is wrong with it.
	Err error
}

// Providers describes all adapters, which starts those that were not asked before. What is wrong with one stands in its
// Info; the error is Closed or Deadline. The list is sorted by provider.
func (p *Pool) Providers(ctx context.Context) ([]Info, error) {
	errs := p.describeAll(ctx, p.members)
	if p.life.Err() != nil {
		return nil, errClosed()
	}
	if err := ctx.Err(); err != nil {
		return nil, unawaited("describe", "adapters", err)
	}
	infos := make([]Info, len(p.members))
	for i, m := range p.members {
		infos[i] = m.info()
		if errs[i] != nil {
			infos[i].Err = errs[i]
			if infos[i].State != Failed {
				infos[i].State = Broken
			}
		}
	}
	for i := range infos {
		for j := range infos {
			if i != j && infos[i].Provider != "" && infos[i].Provider == infos[j].Provider && infos[i].Err == nil {
				infos[i].Err = twice(infos[i].Provider, p.members[i], p.members[j])
				infos[i].State = Broken
			}
		}
	}
	slices.SortStableFunc(infos, func(a, b Info) int { return strings.Compare(a.Provider, b.Provider) })
	return infos, nil
}

// describeAll asks adapters side by side. It answers one error for each.
func (p *Pool) describeAll(ctx context.Context, members []*member) []error {
	errs := make([]error, len(members))
	var all sync.WaitGroup
	for i, m := range members {
		all.Go(func() { _, errs[i] = m.describe(ctx) })
	}
	all.Wait()
	return errs
}

// find is the adapter of a provider. Adapters whose source does not say whom they serve are asked only when no source
// says that it is the one.
func (p *Pool) find(ctx context.Context, provider string) (*member, error) {
	if p.life.Err() != nil {
		return nil, errClosed()
	}
	m, err := p.known(provider)
	if m != nil || err != nil {
		return m, err
	}
	var silent []*member
	for _, m := range p.members {
		if m.provider() == "" {
			silent = append(silent, m)
		}
	}
	errs := p.describeAll(ctx, silent)
	if err := ctx.Err(); err != nil {
		return nil, unawaited("describe", "adapters", err)
	}
	m, err = p.known(provider)
	if m != nil || err != nil {
		return m, err
	}
	// One that cannot be asked is most likely the one that was meant.
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	var have []string
	for _, m := range p.members {
		have = append(have, m.provider())
	}
	slices.Sort(have)
	unknown := fault.New(fault.UnknownProvider, "find", "provider "+quote(provider), "no adapter serves it")
	if len(have) > 0 {
		unknown.WithHint("choose one of: " + strings.Join(slices.Compact(have), ", "))
	}
	return nil, unknown
}

// known is the one adapter that is known to serve a provider, or nil.
func (p *Pool) known(provider string) (*member, error) {
	var found *member
	for _, m := range p.members {
		if !m.serves(provider) {
			continue
		}
		if found != nil {
			return nil, twice(provider, found, m)
		}
		found = m
	}
	return found, nil
}

func twice(provider string, a, b *member) error {
	return fault.New(fault.Invalid, "find", "provider "+quote(provider),
		"two adapters claim it: "+a.label+" and "+b.label).
		WithHint("configure one adapter for each provider")
}
