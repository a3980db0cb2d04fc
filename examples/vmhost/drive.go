package vmhost

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"google.golang.org/grpc"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// driver is the server's end of a stream that drives a session.
type driver struct {
	stream grpc.ServerStream
	turns  sync.WaitGroup
	saying sync.Mutex // one message at a time

	next atomic.Pointer[turn] // the one that is about to begin, or runs

	mu    sync.Mutex
	asked int                // questions so far
	open  map[int]chan reply // those that wait
}

// drive drives a session for as long as the stream lasts: with it, however it ends, the agent ends.
func (s *Server) drive(stream grpc.ServerStream) error {
	d := &driver{stream: stream, open: map[int]chan reply{}}
	first, err := d.receive()
	if err != nil {
		return err
	}
	if first.Begin == nil {
		return &core.Error{Code: ErrMalformed, Op: "drive", Detail: "the first order does not begin a session"}
	}
	ctx := stream.Context()
	p, err := s.prepared(ctx, first.Begin.Session)
	if err != nil {
		return err
	}
	o := launch.Options{Host: s.Host, Environ: s.Environ, Policy: d.permit, Logger: s.Logger}
	if first.Begin.Asks {
		o.Ask = d.ask
	}
	if first.Begin.Hints {
		o.Hints = func(context.Context) []connector.Hint { return d.next.Load().Hints }
	}
	o.Admit = func(ctx context.Context, _ *core.Prepared) (*core.Prepared, error) {
		if next := d.next.Load().Session; next != nil {
			return s.prepared(ctx, *next)
		}
		return nil, nil
	}
	conn, err := launch.Open(ctx, p, o)
	if err != nil {
		return err
	}
	defer d.turns.Wait()
	defer conn.Close()
	var talk launch.Conversation
	if first.Begin.Resume != "" {
		talk, err = conn.Resume(ctx, first.Begin.Resume)
	} else {
		talk, err = conn.NewSession(ctx)
	}
	if err == nil {
		err = d.tell(news{Conversation: &talk})
	}
	for err == nil {
		err = d.order(ctx, conn)
	}
	if errors.Is(err, io.EOF) {
		return nil // the other end has no more orders
	}
	return err
}

// order carries one order out.
func (d *driver) order(ctx context.Context, conn *launch.Conn) error {
	o, err := d.receive()
	switch {
	case err != nil:
		return err
	case o.Prompt != nil:
		// Orders that concern the turn come while it runs.
		d.next.Store(o.Prompt)
		d.turns.Go(func() {
			for e := range conn.Prompt(ctx, o.Prompt.Blocks...) {
				told := event{Plain: plain(e)}
				if e.Err != nil {
					told.Failed = failed(e.Err)
				}
				if d.tell(news{Event: &told}) != nil {
					return
				}
			}
		})
	case o.Cancel:
		conn.Cancel()
	case o.Guide != nil:
		d.turns.Go(func() { _ = d.tell(news{Done: &done{o.Number, failed(conn.Guide(ctx, o.Guide...))}}) })
	case o.Model != "":
		return d.tell(news{Done: &done{o.Number, failed(conn.SetModel(ctx, o.Model))}})
	case o.Set != nil:
		return d.tell(news{Done: &done{o.Number, failed(conn.Set(ctx, o.Set.Name, o.Set.Value))}})
	case o.Answer != nil:
		d.mu.Lock()
		defer d.mu.Unlock()
		if waiting := d.open[o.Answer.Number]; waiting != nil {
			waiting <- *o.Answer
			delete(d.open, o.Answer.Number)
		}
	}
	return nil
}

// permit is the policy of every session here: whoever holds the other end decides.
func (d *driver) permit(ctx context.Context, r launch.Request) launch.Answer {
	if a, ok := d.put(ctx, question{Request: &r}); ok {
		return a.Answer
	}
	return launch.CancelTurn
}

// ask has whoever holds the other end answer a question.
func (d *driver) ask(ctx context.Context, q launch.Question) (launch.Reply, bool) {
	a, ok := d.put(ctx, question{Question: &q, Raw: q.Raw})
	return a.Reply, ok && a.Answered
}

// put puts a question to the other end; false is no answer.
func (d *driver) put(ctx context.Context, q question) (reply, bool) {
	answer := make(chan reply, 1)
	d.mu.Lock()
	d.asked++
	q.Number = d.asked
	d.open[q.Number] = answer
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.open, q.Number)
	}()
	if d.tell(news{Ask: &q}) != nil {
		return reply{}, false
	}
	select {
	case a := <-answer:
		return a, true
	case <-ctx.Done():
		return reply{}, false
	}
}

func (d *driver) tell(n news) error {
	m, err := encode(n)
	if err != nil {
		return err
	}
	d.saying.Lock()
	defer d.saying.Unlock()
	return d.stream.SendMsg(m)
}

func (d *driver) receive() (order, error) {
	var m message
	var o order
	if err := d.stream.RecvMsg(&m); err != nil {
		return o, err
	}
	return o, decode(&m, &o)
}
