package adapter

import (
	"context"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// member is one adapter of a pool and whatever process of it runs.
type member struct {
	pool   *Pool
	index  int
	source Source
	label  string
	log    *slog.Logger
	local  *process // an adapter in this process, or one that is attached to; never ends

	mu       sync.Mutex
	now      *process  // the one that calls go to
	starting *starting // the one that is to become it
	known    *known    // what the last one said of itself
	crashes  int       // in a row
	last     string    // how it crashed last
	calls    int
	idle     *time.Timer
}

// known is what an adapter said of itself.
type known struct {
	descriptor preparer.Descriptor
	digest     string // of the descriptor
	identity   Identity
	protocol   int
}

func newMember(p *Pool, index int, s Source) *member {
	m := &member{pool: p, index: index, source: s, label: s.label(), log: p.config.Logger.With("adapter", s.label())}
	switch {
	case s.InProcess != nil:
		m.local = &process{adapter: protocol.InProcess(s.InProcess)}
	case s.UnsafeAttach != nil:
		m.log.Warn("asking an adapter that a debugger started, whatever program that is")
		m.local = &process{adapter: attach(s.UnsafeAttach)}
	}
	return m
}

// provider is whom the adapter serves, "" while that is not known.
func (m *member) provider() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known != nil {
		return m.known.descriptor.Provider
	}
	return m.source.Provider
}

func (m *member) serves(provider string) bool { return provider != "" && m.provider() == provider }

func (m *member) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.calls
}

func (m *member) info() Info {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := Info{Provider: m.source.Provider, State: Stopped, Crashes: m.crashes}
	if m.known != nil {
		i.Provider, i.Descriptor = m.known.descriptor.Provider, m.known.descriptor
		i.Identity, i.Protocol = m.known.identity, m.known.protocol
	}
	switch {
	case m.source.UnsafeAttach != nil:
		i.State = Debug
	case m.local != nil:
		i.State = Local
	case m.crashes >= maxCrashes:
		i.State, i.Err = Failed, m.failure()
	case m.now != nil:
		i.State, i.PID, i.Since = Running, m.now.child.pid(), m.now.since
	}
	return i
}

// describe is what the adapter said of itself, which starts it when it never did.
func (m *member) describe(ctx context.Context) (*known, error) {
	m.mu.Lock()
	k := m.known
	m.mu.Unlock()
	if k != nil && m.source.UnsafeAttach == nil {
		return k, nil
	}
	return m.fresh(ctx)
}

// current is describe for a call: it fails when the adapter has failed, and asks anew where the binary may have been
// changed since the last start.
func (m *member) current(ctx context.Context) (*known, error) {
	m.mu.Lock()
	failed := m.failure()
	m.mu.Unlock()
	if failed != nil {
		return nil, failed
	}
	if m.source.UnsafeAnyDigest {
		return m.fresh(ctx)
	}
	return m.describe(ctx)
}

// fresh is what the running adapter said of itself.
func (m *member) fresh(ctx context.Context) (*known, error) {
	p, err := m.use(ctx)
	if err != nil {
		return nil, err
	}
	defer m.release(p)
	if p != m.local {
		return p.known, nil
	}
	limited, cancel := m.patience(ctx, m.pool.config.StartTimeout)
	defer cancel()
	began := time.Now()
	k, err := m.introduce(limited, p, m.source.base())
	switch {
	case err == nil:
		return k, nil
	case ctx.Err() != nil:
		return nil, unawaited("describe", m.label, ctx.Err())
	case !overdue(limited, err):
		return nil, err
	}
	return nil, m.explainTimeout("describe", time.Since(began), nil)
}

// patience bounds a call. Whoever debugs an adapter looks at it for as long as they want.
func (m *member) patience(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	if m.source.UnsafeAttach != nil {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, most)
}

var providerForm = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// introduce asks an adapter what it is, and holds it to what is known of it.
func (m *member) introduce(ctx context.Context, p *process, binary string) (*known, error) {
	const op = "describe"
	d, err := p.adapter.Describe(ctx)
	if err != nil {
		return nil, m.explainAnswer(op, err)
	}
	digest, err := protocol.DescriptorDigest(d)
	switch {
	case err != nil:
		return nil, m.explainAnswer(op, err)
	case !providerForm.MatchString(d.Provider):
		return nil, fault.New(fault.AdapterFault, op, m.label, "it names no provider that can be one: "+quote(d.Provider)).WithHint(hintAuthor)
	case m.source.Provider != "" && m.source.Provider != d.Provider:
		return nil, fault.New(fault.AdapterFault, op, m.label,
			"it serves provider "+quote(d.Provider)+", and is configured for "+quote(m.source.Provider)).
			WithHint("correct the provider of the source, or the path of the binary")
	}
	k := &known{descriptor: d, digest: digest, protocol: p.protocol, identity: Identity{
		Digest: binary, Version: d.Version, Path: m.source.base(), Unsafe: m.source.UnsafeAnyDigest || m.source.UnsafeAttach != nil}}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known != nil && m.known.identity.Digest == binary && m.known.digest != digest && m.source.UnsafeAttach == nil {
		return nil, fault.New(fault.AdapterFault, op, m.label, "it describes itself otherwise than before")
	}
	m.known = k
	return k, nil
}
