package launch

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// announce takes the connectors out of a person's blocks, and puts in front of them what has changed since the agent was
// last told. Next is what it was told then, which counts once the agent has seen the turn.
func (c *Conn) announce(ctx context.Context, blocks []Block) (said []Block, next connector.Announced, err error) {
	said, enabled, err := split(blocks, c.p.Provider)
	if err != nil {
		return nil, c.told, err
	}
	turn := connector.Turn{Enabled: enabled}
	if told := c.p.Connectors(); told != nil {
		turn.Hints = told.Hints
		if c.o.Hints != nil {
			turn.Hints = c.o.Hints(ctx)
		}
	}
	text, next := c.told.Delta(turn)
	if text != "" {
		said = append([]Block{{Text: text}}, said...)
	}
	return said, next, nil
}

// split tells what a person says from the connectors that they have switched on.
func split(blocks []Block, provider string) (said []Block, enabled []string, err error) {
	for _, b := range blocks {
		switch {
		case b.Connector == "":
			said = append(said, b)
		case b.Text != "":
			return nil, nil, fault.New(fault.Invalid, "prompt", provider, "a block is both a text and a connector")
		case !connector.IsKey(b.Connector):
			return nil, nil, fault.New(fault.Invalid, "prompt", provider, "the key of a connector is none")
		default:
			enabled = append(enabled, b.Connector)
		}
	}
	if len(said) == 0 {
		return nil, nil, fault.New(fault.Invalid, "prompt", provider, "there is nothing to say")
	}
	return said, enabled, nil
}

// recall finds out what the agent of a conversation was told: by the session's instructions at its beginning, and by the
// turns since. Of a conversation that is not known nothing is, so it is told everything.
func (c *Conn) recall(fresh bool) {
	c.told = connector.Announced{}
	if fresh {
		if told := c.p.Connectors(); told != nil {
			c.commit(connector.Told(*told))
		}
		return
	}
	data, err := c.lease.Note(c.noteKey())
	if err == nil && data != nil {
		err = json.Unmarshal(data, &c.told)
	}
	if err != nil {
		c.o.Logger.Warn("what an agent was told of connectors is not known", "provider", c.p.Provider, "error", err.Error())
	}
}

// commit keeps what an agent was told, so that neither this process nor a later one tells it twice.
func (c *Conn) commit(told connector.Announced) {
	if reflect.DeepEqual(told, c.told) {
		return
	}
	c.told = told
	data, err := json.Marshal(told)
	if err == nil {
		err = c.lease.KeepNote(c.noteKey(), data)
	}
	if err != nil {
		// The agent will be told again, which does no harm.
		c.o.Logger.Warn("what an agent was told of connectors could not be kept", "provider", c.p.Provider, "error", err.Error())
	}
}

func (c *Conn) noteKey() string { return "connectors of " + c.talk.ID }
