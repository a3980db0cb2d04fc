package launch

import (
	"context"
	"errors"
	"iter"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// The causes for which a wait ends.
var (
	errLate   = errors.New("the client did not answer in time")
	errClosed = errors.New("the connection was closed")
	errUnread = errors.New("nobody reads the events any more")
	errCancel = errors.New("the turn was cancelled")
)

// turn is one that runs.
type turn struct {
	ctx    context.Context
	stop   context.CancelCauseFunc
	events *queue
	over   chan struct{} // closed when the client has nothing to do with it any more
	begun  atomic.Bool   // it was handed to the client: what is told before is of earlier turns, as when one is told again
	heard  atomic.Bool   // the model has seen the turn, since it has answered
	// tr and conversation are what it was handed to, from begun on.
	tr           transport
	conversation string
	shown        atomic.Bool // the client has shown something of it, or asks for something
	// answered says that the client was given it, and err what came of that, when the turn is over.
	answered bool
	err      error
}

// Prompt runs a turn and gives its events as they come. The last one is End or Error. The turn begins when the sequence is
// read, and is cancelled when the host stops reading, when ctx ends, or by [Conn.Cancel]; it is then reported as
// cancelled, whatever the client says of it. A client that had to be ended for that is started again for the next turn,
// with the same conversation.
func (c *Conn) Prompt(ctx context.Context, blocks ...Block) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		ctx, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		t := &turn{ctx: ctx, stop: stop, events: newQueue(), over: make(chan struct{})}
		if err := c.takeFor(t); err != nil {
			yield(Event{Kind: Error, Err: err})
			return
		}
		defer c.give()
		last := make(chan Event, 1)
		go func() {
			end := c.run(t, blocks)
			c.running.Store(nil)
			last <- end
			close(t.over)
		}()
		c.pass(t, yield, last)
	}
}

// pass gives events to a host until the last, and what was told before that in front of it. What model
// answers is taken note of here, by who holds the token, and told when it is another one.
func (c *Conn) pass(t *turn, yield func(Event) bool, last <-chan Event) {
	reading := true
	give := func(e Event) {
		if e.Kind == Model {
			if e.Model == c.talk.Model {
				return
			}
			c.talk.Model = e.Model
		}
		if reading && !yield(e) {
			reading = false
			t.stop(errUnread)
		}
	}
	drain := func() {
		for e, ok := t.events.take(); ok; e, ok = t.events.take() {
			give(e)
		}
	}
	for {
		select {
		case <-t.events.some:
			drain()
		case end := <-last:
			drain()
			if t.answered {
				c.settle(t.err, end.Err)
			}
			give(end)
			return
		}
	}
}

// Cancel cancels the running turn. When there is none, nothing happens.
func (c *Conn) Cancel() {
	if t := c.running.Load(); t != nil {
		t.stop(errCancel)
	}
}

// guide is what a transport can do that takes more to say while a turn runs.
type guide interface {
	guide(ctx context.Context, conversation string, blocks []Block) error
}

// Guide says more to the agent while a turn runs, which goes on with it. It is no turn: nobody is asked to admit it, and
// connectors among the blocks are neither announced nor forgotten. Who reads the events of the turn may call it meanwhile: what
// the client has to say before its answer waits. Errors: [ErrUnsupported] for a client that takes nothing before the turn is
// over, [core.ErrInvalid] when none runs, or when it is over before the client has answered, [core.ErrBusy] when that has more
// to say first than is kept; it may then take what was said all the same.
func (c *Conn) Guide(ctx context.Context, blocks ...Block) error {
	t := c.running.Load()
	if t == nil || !t.begun.Load() {
		return fault.New(fault.Invalid, "guide turn", "", "none runs")
	}
	said, _, err := split(blocks, c.p.Provider)
	if err != nil {
		return err
	}
	g, ok := t.tr.(guide)
	if !ok {
		return fault.New(ErrUnsupported, "guide turn", c.p.Provider, "the client takes nothing before the turn is over")
	}
	ctx, cancel := c.limited(ctx)
	defer cancel()
	vain, done := t.events.wait()
	defer done()
	answered := make(chan error, 1)
	go func() { answered <- g.guide(ctx, t.conversation, said) }()
	select {
	case err := <-answered:
		return c.fault("guide turn", err)
	case <-vain:
		return fault.New(fault.Busy, "guide turn", c.p.Provider, "the client has more to say before it answers than is kept").
			WithHint("read the events of the turn, and guide it beside that")
	case <-t.ctx.Done():
	case <-t.over:
	}
	return fault.New(fault.Invalid, "guide turn", c.p.Provider, "the turn was over before the client answered")
}

// emit passes an event of the running turn on.
func (c *Conn) emit(e Event) {
	t := c.running.Load()
	if t == nil || !t.begun.Load() {
		return
	}
	if e.Kind != Model {
		t.shown.Store(true)
	}
	switch e.Kind {
	case Text, Reasoning, ToolStart:
		t.heard.Store(true)
	}
	// What comes after a cancellation is told only as long as somebody is quick to take it.
	t.events.put(e, t.ctx.Done())
}

// permit answers a request for permission of the running turn.
func (c *Conn) permit(ctx context.Context, r Request, raw []byte) Answer {
	t := c.running.Load()
	if t == nil || !t.begun.Load() {
		return Deny
	}
	t.shown.Store(true) // from here on it waits for us
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	answer := decide(ctx, c.o.Policy, r)
	c.emit(Event{Kind: PermissionRequest, Tool: &r.Tool, Answer: answer, Raw: raw})
	return answer
}

// run runs a turn and gives its last event.
func (c *Conn) run(t *turn, blocks []Block) Event {
	before := c.talk.ID
	next, err := c.admit(t.ctx)
	if err != nil && t.ctx.Err() == nil {
		return Event{Kind: Error, Err: err}
	}
	if err == nil {
		err = c.exchange(t.ctx, next)
	}
	if err != nil {
		return c.ended(t, "", err)
	}
	if c.talk.ID == "" {
		return Event{Kind: Error, Err: c.noTalk("prompt")}
	}
	if !c.alive() {
		if err := c.restart(t.ctx, false); err != nil {
			return c.ended(t, "", err)
		}
	}
	if c.talk.ID != before {
		talk := c.talk
		t.events.put(Event{Kind: Replaced, Conversation: &talk}, nil)
	}
	if err := c.readable(); err != nil {
		return c.ended(t, "", err)
	}
	blocks, told, err := c.announce(t.ctx, blocks)
	if err != nil {
		return c.ended(t, "", err)
	}
	if c.owed {
		blocks = append(blocks, Block{Text: c.p.FirstPrompt()})
	}
	reason, err := c.prompt(t, blocks)
	t.answered, t.err = true, err
	if err == nil && t.ctx.Err() == nil {
		c.owed = false
		c.tellChanges(true)
	}
	if t.heard.Load() || err == nil && t.ctx.Err() == nil {
		c.commit(told)
	}
	return c.ended(t, reason, err)
}

// readable makes sure that the agent can read each skill whose path goes with the first prompt.
func (c *Conn) readable() error {
	if !c.owed {
		return nil
	}
	context := c.p.FirstPrompt()
	for _, s := range c.p.Skills {
		if !strings.Contains(context, s.Path) {
			continue
		}
		f, err := os.Open(s.Path)
		if err != nil {
			return fault.Wrap(err, fault.SkillsMissing, "prompt", "skill "+s.Name, "cannot be read any more").WithHint("prepare the session again")
		}
		f.Close()
	}
	return nil
}

// prompt runs the turn in the client. When it is cancelled the client may end it well, and is ended when it does not.
func (c *Conn) prompt(t *turn, blocks []Block) (EndReason, error) {
	type result struct {
		reason EndReason
		err    error
	}
	done := make(chan result, 1)
	// The turn goes on in the client after ctx has ended, until the client says so.
	ctx, abandon := context.WithCancel(context.WithoutCancel(t.ctx))
	defer abandon()
	tr, conversation := c.tr, c.talk.ID
	t.tr, t.conversation = tr, conversation
	beats := c.beats.Load()
	silent := time.NewTimer(c.o.FirstEventTimeout)
	defer silent.Stop()
	t.begun.Store(true)
	c.tellChanges(false)
	go func() {
		reason, err := tr.prompt(ctx, conversation, blocks)
		done <- result{reason, err}
	}()
	for waits := true; waits; {
		select {
		case r := <-done:
			return r.reason, r.err
		case <-silent.C:
			switch now := c.beats.Load(); {
			case t.shown.Load():
			case now != beats: // it took the prompt, or said something else: no more is known of it than before
				beats = now
				silent.Reset(c.o.FirstEventTimeout)
			default:
				abandon()
				<-done
				c.proc.stop(time.Millisecond)
				return "", c.blocked()
			}
		case <-t.ctx.Done():
			waits = false
		}
	}
	grace, cancel := context.WithTimeout(ctx, c.o.CancelGrace)
	defer cancel()
	if err := tr.cancel(grace, conversation); err == nil {
		select {
		case r := <-done:
			return r.reason, r.err
		case <-grace.Done():
		}
	}
	c.o.Logger.Warn("the client did not cancel in time, and is ended", "provider", c.p.Provider)
	abandon()
	<-done
	c.proc.stop(time.Millisecond)
	return Cancelled, nil
}

// ended is the last event of a turn.
func (c *Conn) ended(t *turn, reason EndReason, err error) Event {
	if t.ctx.Err() != nil {
		return Event{Kind: End, Reason: Cancelled}
	}
	if err != nil {
		return Event{Kind: Error, Err: c.turnFault(err)}
	}
	return Event{Kind: End, Reason: reason}
}

// admit asks the host, and gives what it puts in the place of what runs, nil for nothing. An error is the host's own.
func (c *Conn) admit(ctx context.Context) (*core.Prepared, error) {
	if c.o.Admit == nil {
		return nil, nil
	}
	return c.o.Admit(ctx, c.p)
}

// exchange puts what the host gives in the place of what runs.
func (c *Conn) exchange(ctx context.Context, p *core.Prepared) error {
	if p == nil || p == c.p {
		return nil
	}
	if p.Ref != c.p.Ref || p.Provider != c.p.Provider {
		return fault.New(fault.Invalid, "admit turn", c.p.Provider, "another session cannot take its place")
	}
	was := c.p
	c.p = p
	if err := c.restart(ctx, true); err != nil {
		c.p = was // which the next turn starts again, unless the host gives another
		return err
	}
	return nil
}
