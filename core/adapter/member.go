package adapter

import (
	"context"
	"errors"
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
	local  *process // an adapter in this process; never ends

	mu       sync.Mutex
	now      *process  // the one that calls go to
	starting *starting // the one that is to become it
	known    *known    // what the last one said of itself
	crashes  int       // in a row
	last     string    // how it crashed last
	calls    int
	idle     *time.Timer
}

// starting is a start that is under way.
type starting struct {
	done chan struct{}
	err  error
}

// known is what an adapter said of itself.
type known struct {
	descriptor preparer.Descriptor
	digest     string // of the descriptor
	identity   Identity
	protocol   int
}

// maxCrashes in a row mark an adapter failed.
const maxCrashes = 3

// maxTries is how often a call is made anew because another call's adapter had to be killed.
const maxTries = 3

func newMember(p *Pool, index int, s Source) *member {
	m := &member{pool: p, index: index, source: s, label: s.label(), log: p.config.Logger.With("adapter", s.label())}
	if s.InProcess != nil {
		m.local = &process{adapter: protocol.InProcess(s.InProcess)}
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
	if k != nil {
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
	limited, cancel := context.WithTimeout(ctx, m.pool.config.StartTimeout)
	defer cancel()
	began := time.Now()
	k, err := m.introduce(limited, p, inProcess)
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
		return nil, fault.New(fault.AdapterFault, op, m.label, "it names no provider that can be one: "+quote(d.Provider))
	case m.source.Provider != "" && m.source.Provider != d.Provider:
		return nil, fault.New(fault.AdapterFault, op, m.label,
			"it serves provider "+quote(d.Provider)+", and is configured for "+quote(m.source.Provider)).
			WithHint("correct the provider of the source, or the path of the binary")
	}
	k := &known{descriptor: d, digest: digest, protocol: p.protocol, identity: Identity{
		Digest: binary, Version: d.Version, Path: m.source.base(), Unsafe: m.source.UnsafeAnyDigest}}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known != nil && m.known.identity.Digest == binary && m.known.digest != digest {
		return nil, fault.New(fault.AdapterFault, op, m.label, "it describes itself otherwise than before")
	}
	m.known = k
	return k, nil
}

// use is the running adapter, started when there is none. It stays until release.
func (m *member) use(ctx context.Context) (*process, error) {
	if m.local != nil {
		return m.local, nil
	}
	for {
		m.mu.Lock()
		if err := m.failure(); err != nil {
			m.mu.Unlock()
			return nil, err
		}
		if p := m.now; p != nil {
			p.uses++
			if m.idle != nil {
				m.idle.Stop()
			}
			m.mu.Unlock()
			return p, nil
		}
		s := m.begin()
		m.mu.Unlock()
		if s == nil {
			return nil, errClosed()
		}
		select {
		case <-s.done:
			// One that started and ended again at once is started again; its crashes are counted.
			if s.err != nil {
				return nil, s.err
			}
		case <-ctx.Done():
			if m.pool.life.Err() != nil {
				return nil, errClosed()
			}
			return nil, unawaited("start", m.label, ctx.Err())
		}
	}
}

// begin is the start that is under way, or a new one. It needs the lock.
func (m *member) begin() *starting {
	if m.starting != nil {
		return m.starting
	}
	s := &starting{done: make(chan struct{})}
	if !m.pool.background(func() {
		p, err := m.launch()
		s.err = m.started(p, err)
		close(s.done)
	}) {
		return nil
	}
	m.starting = s
	return s
}

// started takes what a start led to, and answers its error.
func (m *member) started(p *process, err error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.starting = nil
	switch {
	case err == nil && m.pool.life.Err() != nil:
		p.ending, err = true, errClosed()
		m.pool.work.Go(p.stop)
	case err == nil && !p.ended:
		m.now = p
		m.rest(p)
	case errors.Is(err, fault.AdapterCrashed):
		state, _ := p.child.ending()
		m.crashed(state + " while it started")
	}
	return err
}

// release ends a use. An adapter that is not used for a while is ended.
func (m *member) release(p *process) {
	if p == m.local {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	p.uses--
	m.rest(p)
}

// rest begins the time after which an unused adapter is ended. It needs the lock.
func (m *member) rest(p *process) {
	if m.now != p || p.uses > 0 || m.pool.config.Idle < 0 {
		return
	}
	if m.idle != nil {
		m.idle.Stop()
	}
	m.idle = time.AfterFunc(m.pool.config.Idle, func() {
		m.pool.background(func() {
			m.mu.Lock()
			idle := m.now == p && p.uses == 0
			if idle {
				m.now, p.ending = nil, true
			}
			m.mu.Unlock()
			if idle {
				m.log.Debug("adapter is idle, ending it")
				p.stop()
			}
		})
	})
}

// lost notes that a process has ended, and counts it as a crash unless we ended it.
func (m *member) lost(p *process) {
	m.mu.Lock()
	defer m.mu.Unlock()
	p.ended = true
	if m.now == p {
		m.now = nil
	}
	if !p.ending {
		state, _ := p.child.ending()
		m.crashed(state)
	}
}

// crashed counts a crash. It needs the lock.
func (m *member) crashed(how string) {
	m.crashes++
	m.last = how
	m.log.Warn("adapter crashed", "how", how, "in a row", m.crashes)
}

// failure is the error of an adapter that crashed too often, or nil. It needs the lock.
func (m *member) failure() error {
	if m.crashes < maxCrashes {
		return nil
	}
	return fault.New(fault.AdapterFailed, "start", m.label, "it crashed three times in a row, the last time: "+m.last).
		WithHint("mend or update the adapter, then start the host anew")
}

// answered notes that the adapter lives and answers.
func (m *member) answered() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.crashes = 0
}

// end kills a process that does not answer any more.
func (m *member) end(p *process) {
	m.mu.Lock()
	if m.now == p {
		m.now = nil
	}
	p.ending = true
	m.mu.Unlock()
	p.child.Kill(context.Background())
	<-p.noted
}

// close ends what runs, with the pool.
func (m *member) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.idle != nil {
		m.idle.Stop()
	}
	if p := m.now; p != nil {
		m.now, p.ending = nil, true
		m.pool.work.Go(p.stop)
	}
}
