package vmhost

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// Session is a session that is driven from afar, as a launch.Conn is driven here. It is safe for concurrent use.
type Session struct {
	c      *Client
	ctx    context.Context // of the stream
	cancel context.CancelFunc
	stream grpc.ClientStream
	o      Options
	saying sync.Mutex // one message at a time

	turn   chan struct{}                   // holds a token while no turn and no other operation runs
	now    atomic.Pointer[context.Context] // of the turn that runs, which questions end with
	events chan event
	over   chan struct{} // closed when the stream has ended
	err    error         // why, to be read after over

	mu     sync.Mutex
	number int                // of orders that are answered
	waits  map[int]chan error // those that are not yet
}

func (s *Session) begin(o order) (talk launch.Conversation, err error) {
	if err := s.say(o); err != nil {
		return talk, err
	}
	n, err := s.hear()
	if err == nil && n.Conversation == nil {
		err = malformed(errors.New("no conversation"))
	}
	if err != nil {
		return talk, err
	}
	return *n.Conversation, nil
}

// Prompt runs a turn, as launch.Conn.Prompt does. When the connection is cut the last event says so.
func (s *Session) Prompt(ctx context.Context, blocks ...launch.Block) iter.Seq[launch.Event] {
	return func(yield func(launch.Event) bool) {
		err := s.take()
		if err == nil {
			defer s.give()
			asking, end := context.WithCancel(s.ctx)
			defer end()
			s.now.Store(&asking)
			err = s.ready(ctx, blocks)
		}
		if err != nil {
			yield(launch.Event{Kind: launch.Error, Err: err})
			return
		}
		defer context.AfterFunc(ctx, s.Cancel)()
		reading := true
		for {
			var e launch.Event
			select {
			case told := <-s.events:
				e = launch.Event(told.Plain)
				e.Err = told.Failed.err()
			case <-s.over:
				e = launch.Event{Kind: launch.Error, Err: s.err}
			}
			if reading && !yield(e) {
				reading = false
				s.Cancel()
			}
			if e.Kind == launch.End || e.Kind == launch.Error {
				return
			}
		}
	}
}

// Cancel cancels the running turn. When there is none, nothing happens.
func (s *Session) Cancel() { _ = s.say(order{Cancel: true}) } // who cannot be told has lost the connection

// ahead is how many events may wait to be read. Whoever reads more slowly slows the agent down.
const ahead = 64

// ending is how long an agent may take to end, with everything that it started.
const ending = 30 * time.Second

// Close ends the agent there, and returns when it has ended. The session stays prepared.
func (s *Session) Close() error {
	late := time.AfterFunc(ending, s.cancel)
	defer s.cancel()
	s.Cancel()
	s.saying.Lock()
	_ = s.stream.CloseSend()
	s.saying.Unlock()
	<-s.over
	switch {
	case !late.Stop():
		return &core.Error{Code: core.ErrDeadline, Op: "close", Detail: "the agent did not end in time"}
	case errors.Is(s.err, core.ErrClosed):
		return nil
	}
	return s.err
}

// errOver says that the stream has ended as it should.
var errOver = &core.Error{Code: core.ErrClosed, Op: "drive", Detail: "the session was closed"}

// listen takes what the other end tells until the stream ends.
func (s *Session) listen() {
	defer close(s.over)
	var asking sync.WaitGroup
	defer asking.Wait()
	defer s.cancel()
	for {
		n, err := s.hear()
		if err != nil {
			s.err = err
			return
		}
		switch {
		case n.Event != nil:
			select {
			case s.events <- *n.Event:
			case <-s.ctx.Done():
			}
		case n.Done != nil:
			s.mu.Lock()
			if answer := s.waits[n.Done.Number]; answer != nil {
				answer <- n.Done.Failed.err()
				delete(s.waits, n.Done.Number)
			}
			s.mu.Unlock()
		case n.Ask != nil:
			asking.Go(func() {
				ctx := s.ctx
				if now := s.now.Load(); now != nil {
					ctx = *now
				}
				_ = s.say(order{Answer: s.decide(ctx, n.Ask)})
			})
		}
	}
}

// decide has this end answer.
func (s *Session) decide(ctx context.Context, q *question) *reply {
	a := &reply{Number: q.Number}
	switch {
	case q.Request != nil:
		a.Answer = s.o.Policy(ctx, *q.Request)
	case q.Question != nil && s.o.Ask != nil:
		q.Question.Raw = q.Raw
		a.Reply, a.Answered = s.o.Ask(ctx, *q.Question)
	}
	return a
}

func (s *Session) say(o order) error {
	m, err := encode(o)
	if err != nil {
		return err
	}
	s.saying.Lock()
	defer s.saying.Unlock()
	err = s.stream.SendMsg(m)
	if errors.Is(err, io.EOF) {
		return nil // why is what is heard next
	}
	if err != nil {
		return s.c.said(err)
	}
	return nil
}

func (s *Session) hear() (n news, err error) {
	var m message
	if err := s.stream.RecvMsg(&m); err != nil {
		if errors.Is(err, io.EOF) {
			return n, errOver
		}
		if err = s.c.said(err); errors.Is(err, context.Canceled) {
			err = errOver // nobody but we cancels it
		}
		return n, err
	}
	return n, read(&m, &n)
}

// take takes the token.
func (s *Session) take() error {
	select {
	case <-s.over:
		return s.err
	default:
	}
	select {
	case <-s.turn:
		return nil
	default:
		return &core.Error{Code: core.ErrBusy, Op: "drive", Detail: "a turn is running"}
	}
}

func (s *Session) give() { s.turn <- struct{}{} }
