package vmhost

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// driver is the server's end of a stream that drives a session.
type driver struct {
	stream grpc.ServerStream
	turns  sync.WaitGroup
	saying sync.Mutex // one message at a time

	mu    sync.Mutex
	asked int                        // questions so far
	open  map[int]chan launch.Answer // those that wait
}

// drive drives a session for as long as the stream lasts: with it, however it ends, the agent ends.
func (s *Server) drive(stream grpc.ServerStream) error {
	d := &driver{stream: stream, open: map[int]chan launch.Answer{}}
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
	conn, err := launch.Open(ctx, p, launch.Options{Host: s.Host, Environ: s.Environ, Policy: d.ask, Logger: s.Logger})
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
		d.turns.Go(func() {
			for e := range conn.Prompt(ctx, o.Prompt...) {
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
	case o.Model != "":
		return d.tell(news{Done: failed(conn.SetModel(ctx, o.Model))})
	case o.Answer != nil:
		d.mu.Lock()
		defer d.mu.Unlock()
		if waiting := d.open[o.Answer.Number]; waiting != nil {
			waiting <- o.Answer.Answer
			delete(d.open, o.Answer.Number)
		}
	}
	return nil
}

// ask is the policy of every session here: whoever holds the other end decides.
func (d *driver) ask(ctx context.Context, r launch.Request) launch.Answer {
	answer := make(chan launch.Answer, 1)
	d.mu.Lock()
	d.asked++
	n := d.asked
	d.open[n] = answer
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.open, n)
	}()
	if d.tell(news{Ask: &question{n, r}}) != nil {
		return launch.CancelTurn
	}
	select {
	case a := <-answer:
		return a
	case <-ctx.Done():
		return launch.CancelTurn
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
