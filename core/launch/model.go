package launch

import (
	"context"
	"errors"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// SetModel changes the model from the next turn on. On a model endpoint it is one of the endpoint's, in the client's spelling
// or without: clients take any name, and every turn with it would fail. One that is refused leaves the model that was, also
// when the client says no only in the next turn, which then fails. Errors: [core.ErrInvalid] for a model that the endpoint does
// not have, [ErrUnsupported], [ErrFault], [core.ErrBusy] in a turn.
func (c *Conn) SetModel(ctx context.Context, model string) error {
	if err := c.take(); err != nil {
		return err
	}
	defer c.give()
	ctx, cancel := c.limited(ctx)
	defer cancel()
	if c.talk.ID == "" {
		return c.noTalk("set model")
	}
	model, err := c.p.Models.Spell(model)
	if err != nil {
		return err
	}
	if err := c.tr.setModel(ctx, c.talk.ID, model); err != nil {
		return c.fault("set model", err)
	}
	if _, late := c.tr.(lateModel); late && c.before == nil {
		c.before = &before{c.talk.Model, c.chose}
	}
	c.talk.Model, c.chose = model, true
	return nil
}

// offers are the models that SetModel takes: those of the endpoint, or what the client tells.
func (c *Conn) offers(told []string) []string {
	if !c.onEndpoint() {
		return told
	}
	var ids []string
	for _, m := range c.p.Models.Models {
		ids = append(ids, m.ID)
	}
	return ids
}

// before is the model that a conversation had, and whether the host has set it.
type before struct {
	model string
	chose bool
}

// lateModel is a transport that tells the client of a model with the next turn, so that the client says no only then.
type lateModel interface {
	// putBack takes a model back that the client refused. "" is the conversation's own.
	putBack(model string)
}

// notBegun is that the client has not begun a turn, with what it was told of model and options.
type notBegun struct{ error }

func (e notBegun) Unwrap() error { return e.error }

// settle ends a switch of the model after a turn of which err came: the client has taken it with the turn, or refused it. What
// the host is told of it says so.
func (c *Conn) settle(err, told error) {
	late, ok := c.tr.(lateModel)
	if !ok || c.before == nil {
		return
	}
	if _, not := errors.AsType[notBegun](err); !not {
		c.before = nil
	} else if _, refused := errors.AsType[*jsonrpc.Error](err); refused {
		late.putBack(c.before.model)
		c.talk.Model, c.chose, c.before = c.before.model, c.before.chose, nil
		if e, ok := errors.AsType[*core.Error](told); ok && e.Hint == "" {
			e.Hint = "the model is again the one before: try the turn again"
		}
	} // else it has said neither
}
