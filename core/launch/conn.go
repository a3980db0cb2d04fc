package launch

import (
	"context"
	"errors"
	"io"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Conn is a client that is driven. Its methods are safe for concurrent use; a turn runs alone, and another one is refused
// meanwhile.
type Conn struct {
	o      Options
	lease  *core.Lease
	redact func(string) string

	turn chan struct{} // holds a token while no turn and no other operation runs
	p    *core.Prepared
	proc *process
	tr   transport
	// broken is closed when the connection has ended, and served when everything that the client said has been read.
	broken, served chan struct{}
	talk           Conversation
	// told is what the agent of the conversation knows of connectors.
	told connector.Announced
	// stands is how the client is set up in it.
	stands standing
	// chosen are the options that the host has set in it, chose says that it has set the model, and before is what it had,
	// until the client has taken the other one.
	chosen map[string]bool
	chose  bool
	before *before
	// refusals is which refusal of the credential was the last before what is done now.
	refusals uint64
	// owed says that the context of the first prompt still has to go with one.
	owed bool

	running atomic.Pointer[turn]
	taking  sync.Mutex
	current *turn        // holds the token, also when it does not run any more
	beats   atomic.Int64 // how often the client has said anything
	closing sync.Once
	closed  chan struct{}
}

// Open starts the client of a prepared session and does what its layout asks for over the protocol; a client of whom a
// process is one conversation is started with that. The session is held until [Conn.Close]. Errors: [core.ErrClientMissing], [core.ErrIncomplete], [ErrUnsupported] for a client that is for
// terminals only, [ErrHandshake], [ErrEnded], [ErrFault].
func Open(ctx context.Context, p *core.Prepared, o Options) (*Conn, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	lease, err := o.Host.Hold(ctx, p.Ref)
	if err != nil {
		return nil, err
	}
	c := &Conn{o: o, lease: lease, p: p, turn: make(chan struct{}, 1), closed: make(chan struct{})}
	if single(p.Transport) {
		_, err = p.Command(ctx, o.Environ)
	} else {
		err = c.start(ctx)
	}
	if err != nil {
		_, released := lease.Release(context.WithoutCancel(ctx))
		return nil, errors.Join(err, released)
	}
	c.turn <- struct{}{}
	return c, nil
}

// start starts a process of the client and brings it to the point where conversations can begin.
func (c *Conn) start(ctx context.Context) error { return c.startWith(ctx, "") }

// startWith starts a process that is a conversation, with the arguments that say which.
func (c *Conn) startWith(ctx context.Context, conversation string, talk ...string) error {
	c.redact = redactor(c.p, c.o.Environ)
	args := slices.Concat(c.p.TransportArgs, talk, c.o.Args)
	proc, err := start(c.lease, func(ctx context.Context) (*exec.Cmd, error) { return c.p.Command(ctx, c.o.Environ, args...) }, c.redact, c.o.EndGrace)
	if err != nil {
		if _, ok := errors.AsType[*core.Error](err); ok {
			return err
		}
		return fault.Wrap(err, fault.ClientMissing, "start client", c.p.Provider, "it could not be started")
	}
	c.proc = proc
	c.tr = newTransport(c.p.Transport, proc.stdin, side{p: c.p, conversation: conversation, log: c.o.Logger, redact: c.redact, permit: c.permit, ask: c.ask, emit: c.emit, tell: c.tell})
	if c.tr == nil {
		proc.stop(0)
		return fault.New(ErrUnsupported, "launch", c.p.Provider, "the client cannot be driven").WithHint("run it on a terminal")
	}
	c.broken, c.served = make(chan struct{}), make(chan struct{})
	go func(tr transport, broken, served chan struct{}) {
		defer close(served)
		if err := tr.serve(&pulse{proc.stdout, &c.beats}); err != nil {
			c.o.Logger.Debug("the connection to the client broke", "provider", c.p.Provider, "error", err.Error())
		}
		close(broken)
		// Whatever the client still says has no meaning, and must not keep it from ending.
		_, _ = io.Copy(io.Discard, proc.stdout)
	}(c.tr, c.broken, c.served)
	limited, cancel := context.WithTimeoutCause(ctx, c.o.StartTimeout, errLate)
	defer cancel()
	if err := c.tr.handshake(limited); err != nil {
		err = c.startFault("start client", err)
		c.stop()
		return err
	}
	return nil
}

// stop ends the process, if there is one.
func (c *Conn) stop() {
	if c.proc == nil {
		return
	}
	c.proc.stop(c.o.EndGrace)
	<-c.served
}

// alive says whether the client runs and can be spoken to.
func (c *Conn) alive() bool {
	if c.proc == nil {
		return false
	}
	select {
	case <-c.proc.done:
	case <-c.broken:
	default:
		return true
	}
	return false
}

// NewSession begins a conversation; a client that has ended is started again for it. Errors: [ErrLogin] when the client wants its user to log in, [ErrCredential] when the
// session's endpoint refuses the credential, [ErrFault].
func (c *Conn) NewSession(ctx context.Context) (Conversation, error) {
	return c.open(ctx, "", c.begin)
}

func (c *Conn) begin(ctx context.Context) (Conversation, error) {
	if single(c.p.Transport) {
		c.stop()
		id := newUUID()
		if err := c.startWith(ctx, id, streamArgs(id, false)...); err != nil {
			return Conversation{}, err
		}
	}
	talk, err := c.tr.begin(ctx)
	if err != nil {
		err = c.startFault("begin conversation", err)
	}
	return talk, err
}

// Resume goes on with a conversation that this client has stored. One that cannot be loaded is replaced by a new one,
// which says so.
func (c *Conn) Resume(ctx context.Context, id string) (Conversation, error) {
	return c.open(ctx, id, func(ctx context.Context) (Conversation, error) { return c.reload(ctx, id) })
}

func (c *Conn) reload(ctx context.Context, id string) (Conversation, error) {
	talk, err := c.load(ctx, id)
	if err == nil || ctx.Err() != nil || isLogin(core.CodeOf(err)) || !single(c.p.Transport) && !c.alive() {
		return talk, err
	}
	why := err.Error()
	if said, ok := errors.AsType[*RPCError](err); ok && !strings.Contains(why, said.Message) {
		why += ": " + said.Message // the client's own words, which are told to who drives it and to nobody else
	}
	why = c.redact(cut(why, maxWords))
	c.o.Logger.Warn("a conversation could not be resumed", "provider", c.p.Provider, "error", why)
	if talk, err = c.begin(ctx); err == nil {
		talk.Replaced, talk.Reason = true, why
	}
	return talk, err
}

func (c *Conn) load(ctx context.Context, id string) (Conversation, error) {
	if single(c.p.Transport) {
		c.stop()
		if err := c.startWith(ctx, id, streamArgs(id, true)...); err != nil {
			return Conversation{}, err
		}
	}
	talk, err := c.tr.resume(ctx, id)
	if err != nil {
		err = c.startFault("resume conversation", err)
	}
	return talk, err
}

func (c *Conn) open(ctx context.Context, resumed string, how func(context.Context) (Conversation, error)) (Conversation, error) {
	if err := c.take(); err != nil {
		return Conversation{}, err
	}
	defer c.give()
	ctx, cancel := c.limited(ctx)
	defer cancel()
	if !single(c.p.Transport) && !c.alive() {
		c.stop()
		if err := c.start(ctx); err != nil {
			return Conversation{}, err
		}
	}
	was := c.stands.reset()
	talk, err := how(ctx)
	if err != nil {
		c.stands.reset()
		c.stands.put(was)
		return Conversation{}, err
	}
	c.begun(talk, talk.Replaced || talk.ID != resumed)
	c.chosen, c.chose, c.before = map[string]bool{}, false, nil
	return c.talk, nil
}

// begun takes a conversation as the one that turns belong to.
func (c *Conn) begun(talk Conversation, fresh bool) {
	talk.Models = c.offers(talk.Models)
	c.talk, c.owed = talk, c.p.FirstPrompt() != ""
	c.recall(fresh)
	c.remember()
}

// Set sets something else than the model, one of [Conversation.Options], from the next turn on: how much the model thinks, or
// how the client goes about permissions. It holds for the conversation until the client says otherwise, also when the
// client is started again. Errors: [ErrUnsupported], [ErrFault], [core.ErrBusy] in a turn.
func (c *Conn) Set(ctx context.Context, option, value string) error {
	if err := c.take(); err != nil {
		return err
	}
	defer c.give()
	ctx, cancel := c.limited(ctx)
	defer cancel()
	if c.talk.ID == "" {
		return c.noTalk("set option")
	}
	if err := c.tr.set(ctx, c.talk.ID, option, value); err != nil {
		return c.fault("set option", err)
	}
	c.stands.put(setup{options: map[string]string{option: value}})
	c.chosen[option] = true
	return nil
}

// limited is the context of what the client has to answer in time, and before the connection is closed.
func (c *Conn) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, end := context.WithCancelCause(ctx)
	ctx, stop := context.WithTimeoutCause(ctx, c.o.StartTimeout, errLate)
	go func() {
		select {
		case <-c.closed:
			end(errClosed)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { stop(); end(nil) }
}

// Close cancels a running turn and everything else that the client has not answered, ends the client with everything it
// started, and gives the session up. It may be called twice, and by who reads the events of a turn.
func (c *Conn) Close() error {
	var err error
	c.closing.Do(func() {
		c.taking.Lock()
		close(c.closed)
		t := c.current
		c.taking.Unlock()
		if t != nil {
			t.stop(errClosed)
			<-t.over // whoever reads its events may be who closes
		} else {
			<-c.turn
		}
		c.stop()
		_, err = c.lease.Release(context.Background())
	})
	return err
}

// take takes the token.
func (c *Conn) take() error { return c.takeFor(nil) }

// takeFor takes the token for a turn, or for something else where that is nil.
func (c *Conn) takeFor(t *turn) error {
	if err := c.admits(t); err != nil {
		return err
	}
	c.refusals = c.o.refusal()
	return nil
}

// admits is takeFor for the token alone.
func (c *Conn) admits(t *turn) error {
	c.taking.Lock()
	defer c.taking.Unlock()
	select {
	case <-c.closed:
		return fault.New(fault.Closed, "drive client", c.p.Provider, "the connection was closed")
	default:
	}
	select {
	case <-c.turn:
	default:
		return fault.New(fault.Busy, "drive client", "", "a turn is running")
	}
	if c.current = t; t != nil {
		c.running.Store(t)
	}
	return nil
}

func (c *Conn) noTalk(op string) error {
	return fault.New(fault.Invalid, op, c.p.Provider, "no conversation was begun")
}

func (c *Conn) give() {
	c.taking.Lock()
	defer c.taking.Unlock()
	c.current = nil
	c.turn <- struct{}{}
}

func secretsOf(p *core.Prepared) (list []string) {
	for _, v := range p.Env {
		if v.Secret {
			list = append(list, v.Value)
		}
	}
	return list
}

// remember records the conversation, so that another process can go on with it.
func (c *Conn) remember() {
	if err := c.lease.Remember(c.talk.ID); err != nil {
		c.o.Logger.Warn("the conversation is not recorded", "provider", c.p.Provider, "error", err.Error())
	}
}
