package launch

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// restart starts the client anew and goes on with the conversation, set up as it was; where another session takes the
// place of what ran, only what the host has chosen is set again. A client that does not take it is ended, so that no turn
// begins with something else: the next one tries again.
func (c *Conn) restart(ctx context.Context, replaced bool) (err error) {
	talk, owed, was := c.talk, c.owed, c.stands.reset()
	chose, before := c.chose, c.before
	defer func() {
		if err != nil {
			c.talk, c.owed, c.chose, c.before = talk, owed, chose, before
			c.stands.reset()
			c.stands.put(was)
			c.stop()
		}
	}()
	if !single(c.p.Transport) {
		c.stop()
		if err := c.start(ctx); err != nil {
			return err
		}
	}
	if talk.ID == "" {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.o.StartTimeout, errLate)
	defer cancel()
	now, err := c.reload(ctx, talk.ID)
	if err != nil {
		return err
	}
	c.begun(now, now.Replaced)
	model, want := talk.Model, was
	if replaced {
		// What the host has prepared anew says the rest.
		want = setup{options: maps.Clone(was.options)}
		maps.DeleteFunc(want.options, func(name, _ string) bool { return !c.chosen[name] })
		if spelt, none := c.p.Models.Spell(model); !c.chose || none != nil {
			model, c.chose, c.before = "", false, nil // what was chosen may be none of the endpoint's any more
		} else {
			model = spelt
		}
	}
	if err := c.setUp(ctx, model, want.options); err != nil {
		return err
	}
	c.stands.compare(want)
	return nil
}

// setUp sets model and options again that the client has not come back with.
func (c *Conn) setUp(ctx context.Context, model string, options map[string]string) error {
	if model != "" && c.talk.Model != model {
		if err := c.tr.setModel(ctx, c.talk.ID, model); err != nil {
			return c.changed("model", err)
		}
		c.talk.Model = model
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		now := c.stands.option(name)
		if now == options[name] {
			continue
		}
		// What the client has said before does not count any more. Some say at once what holds now, some with the turn.
		c.stands.forget(name)
		err := c.tr.set(ctx, c.talk.ID, name, options[name])
		if err != nil && now != "" {
			// A client that says something else than it does refuses to become what it is. What it says is made true first.
			if c.tr.set(ctx, c.talk.ID, name, now) == nil {
				err = c.tr.set(ctx, c.talk.ID, name, options[name])
			}
		}
		if err != nil {
			return c.changed(name, err)
		}
	}
	return nil
}

// changed is the error of a client that does not take what it had.
func (c *Conn) changed(what string, err error) error {
	if c.hasEnded(err) {
		return c.endedFault("prompt")
	}
	err = c.fault("prompt", err)
	words := ""
	if e, ok := errors.AsType[*core.Error](err); ok && e.Detail != "" {
		words = ": " + e.Detail
	}
	return fault.Wrap(err, ErrChanged, "prompt", c.p.Provider, "it was started again, and its "+what+" cannot be what it was"+words).
		WithHint("resume the conversation to go on with what the client has now")
}

// tell takes how the client is set up, and passes on in what it differs from what it was.
func (c *Conn) tell(said setup) {
	c.stands.put(said)
	if t := c.running.Load(); t != nil && t.begun.Load() {
		c.tellChanges(false)
	}
}

func (c *Conn) tellChanges(end bool) {
	if list := c.stands.changes(end); len(list) > 0 {
		c.emit(Event{Kind: Changed, Changes: list})
	}
}
