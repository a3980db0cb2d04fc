package adapter

import (
	"context"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// Config is what a Pool is made of. Only Sources has to be given.
type Config struct {
	Sources []Source
	// Logger gets what adapters log and what becomes of them. Default: none.
	Logger *slog.Logger
	// RunDir is an absolute directory below which the pool makes private ones for sockets, made when absent. When its
	// path is too long for a socket, the system's temporary directory is taken, which is the default.
	RunDir string
	// StartTimeout bounds a start, from the check of the digest to the adapter's description of itself. Default: 10 s.
	StartTimeout time.Duration
	// CallTimeout bounds a call. An adapter that takes longer is killed. Default: 30 s.
	CallTimeout time.Duration
	// Idle is how long an adapter that is not called stays. Default: 5 min. Negative: as long as the pool.
	Idle time.Duration
	// Redact masks secrets in whatever an adapter wrote before it is logged or put into an error. Default: as it is.
	Redact func(string) string
	// Now is the clock of [Info]. Default: time.Now.
	Now func() time.Time
	// Remember is how many layouts are kept. Default: 256. Negative: none.
	Remember int
}

// Pool starts adapters on demand, keeps them warm and supervises them.
type Pool struct {
	config  Config
	members []*member
	memory  *memory
	// life ends when the pool is closed, and all that it does in the background with it.
	life context.Context
	end  context.CancelFunc

	once   sync.Once
	err    error // of closing
	mu     sync.Mutex
	closed bool
	fork   *forker
	base   *runBase
	work   sync.WaitGroup
}

// New makes a Pool and starts nothing. It fails with fault.Invalid for a source that cannot be meant. The pool outlives
// ctx, until Close.
func New(ctx context.Context, c Config) (*Pool, error) {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.Redact == nil {
		c.Redact = func(s string) string { return s }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	defaultTo(&c.StartTimeout, 10*time.Second)
	defaultTo(&c.CallTimeout, 30*time.Second)
	defaultTo(&c.Idle, 5*time.Minute)
	defaultTo(&c.Remember, 256)
	p := &Pool{config: c, memory: newMemory(c.Remember)}
	for i, s := range c.Sources {
		if err := s.check(); err != nil {
			return nil, err
		}
		p.members = append(p.members, newMember(p, i, s))
	}
	p.life, p.end = context.WithCancel(context.WithoutCancel(ctx))
	return p, nil
}

func defaultTo[T int | time.Duration](v *T, to T) {
	if *v == 0 {
		*v = to
	}
}

// Descriptor is what the adapter of a provider says of its client, and which adapter that is. Errors: UnknownProvider,
// Invalid when two adapters claim the provider, Closed, Deadline, and those of a start.
func (p *Pool) Descriptor(ctx context.Context, provider string) (preparer.Descriptor, Identity, error) {
	m, err := p.find(ctx, provider)
	if err != nil {
		return preparer.Descriptor{}, Identity{}, err
	}
	k, err := m.describe(ctx)
	if err != nil {
		return preparer.Descriptor{}, Identity{}, err
	}
	return k.descriptor, k.identity, nil
}

// Prepare is the adapter's answer to a request. A *preparer.Refusal comes as it is. Further errors are those of
// Descriptor, AdapterCrashed, AdapterTimeout, AdapterFailed, AdapterFault, AdapterLimit, and Invalid for a request that
// cannot be sent. The layout is shared with whoever asks the same: it must not be changed.
func (p *Pool) Prepare(ctx context.Context, provider string, r preparer.Request) (*preparer.Layout, error) {
	return p.Ask(ctx, provider, &Question{Request: r})
}

// Question is a request that is asked more than once. It must not be changed after it was asked first. It is safe for
// concurrent use.
type Question struct {
	Request preparer.Request

	once   sync.Once
	digest string
	err    error
}

func (q *Question) sum() (string, error) {
	q.once.Do(func() { q.digest, q.err = protocol.RequestDigest(q.Request) })
	return q.digest, q.err
}

// Ask is Prepare, which spares the encoding of a question that was asked before.
func (p *Pool) Ask(ctx context.Context, provider string, asked *Question) (*preparer.Layout, error) {
	m, err := p.find(ctx, provider)
	if err != nil {
		return nil, err
	}
	k, err := m.current(ctx)
	if err != nil {
		return nil, err
	}
	digest, err := asked.sum()
	if err != nil {
		return nil, unsendable(m.label, err)
	}
	if m.source.UnsafeAttach != nil {
		return m.ask(ctx, asked.Request)
	}
	q := question{member: m.index, adapter: k.identity.Digest, request: digest}
	layout, err := p.memory.ask(ctx, q, func(answered func(*preparer.Layout, error)) {
		// The call may outlast the caller, who may change the request then.
		own, err := clone(asked.Request)
		if err != nil {
			answered(nil, unsendable(m.label, err))
		} else if !p.background(func() { answered(m.prepare(own)) }) {
			answered(nil, errClosed())
		}
	})
	if err != nil && err == ctx.Err() {
		err = unawaited("prepare", m.label, err)
	}
	return layout, err
}

func clone(r preparer.Request) (preparer.Request, error) {
	m, err := protocol.EncodeRequest(r)
	if err != nil {
		return preparer.Request{}, err
	}
	return protocol.DecodeRequest(m)
}

// Calls counts the calls of Prepare that the adapter of a provider was really sent.
func (p *Pool) Calls(provider string) int {
	n := 0
	for _, m := range p.members {
		if m.serves(provider) {
			n += m.count()
		}
	}
	return n
}

// Close ends all adapters and calls, and waits until nothing of them is left.
func (p *Pool) Close() error {
	p.once.Do(func() { p.err = p.close() })
	return p.err
}

func (p *Pool) close() error {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	p.end()
	for _, m := range p.members {
		m.close()
	}
	p.work.Wait()
	for _, m := range p.members {
		m.leave()
	}
	if p.fork != nil {
		p.fork.close()
	}
	if p.base == nil {
		return nil
	}
	if err := p.base.remove(); err != nil {
		return fault.Wrap(err, fault.StateWrite, "close", "adapters", "a directory for sockets cannot be removed")
	}
	return nil
}

// background runs f so that Close waits for it. It says whether it does; a closed pool does nothing any more.
func (p *Pool) background(f func()) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return false
	}
	p.work.Go(f)
	return true
}

// ground is what processes need that the pool has once: the thread that starts them and the directory they live in.
// Both are made for the first one.
func (p *Pool) ground() (*forker, *runBase, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, nil, errClosed()
	}
	if p.base == nil {
		base, err := newRunBase(p.config.RunDir, os.TempDir(), "/tmp")
		if err != nil {
			return nil, nil, err
		}
		p.base = base
	}
	if p.fork == nil {
		p.fork = newForker()
	}
	return p.fork, p.base, nil
}
