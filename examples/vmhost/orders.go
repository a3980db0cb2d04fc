package vmhost

import (
	"context"

	"github.com/greenroom-agents/greenroom/core/launch"
)

// ready decides what is decided here before a turn, and begins it.
func (s *Session) ready(ctx context.Context, blocks []launch.Block) error {
	t := turn{Blocks: blocks}
	if s.o.Admit != nil {
		next, err := s.o.Admit(ctx)
		if err != nil {
			return err
		}
		if next != nil {
			packed := pack(*next)
			t.Session = &packed
		}
	}
	if s.o.Hints != nil {
		t.Hints = s.o.Hints(ctx)
	}
	return s.say(order{Prompt: &t})
}

// Guide says more to the agent while a turn runs, as launch.Conn.Guide does. The events of the turn have to be read meanwhile.
func (s *Session) Guide(ctx context.Context, blocks ...launch.Block) error {
	return s.answered(ctx, order{Guide: append([]launch.Block{}, blocks...)})
}

// SetModel changes the model from the next turn on.
func (s *Session) SetModel(ctx context.Context, model string) error {
	return s.alone(ctx, order{Model: model})
}

// Set sets something else than the model from the next turn on, as launch.Conn.Set does.
func (s *Session) Set(ctx context.Context, name, value string) error {
	return s.alone(ctx, order{Set: &option{name, value}})
}

// alone gives an order that no turn may run beside.
func (s *Session) alone(ctx context.Context, o order) error {
	if err := s.take(); err != nil {
		return err
	}
	defer s.give()
	return s.answered(ctx, o)
}

// answered gives an order and waits for its answer.
func (s *Session) answered(ctx context.Context, o order) error {
	answer := make(chan error, 1)
	s.mu.Lock()
	s.number++
	o.Number = s.number
	s.waits[o.Number] = answer
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waits, o.Number)
		s.mu.Unlock()
	}()
	if err := s.say(o); err != nil {
		return err
	}
	select {
	case err := <-answer:
		return err
	case <-s.over:
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}
