package launch

import (
	"context"
	"log/slog"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Options say how a client is driven.
type Options struct {
	// Host holds the session while its client runs. Required.
	Host *core.Host
	// Environ is the environment, in the form of os.Environ, that the session's overlay is applied to. Required: a client
	// without PATH and HOME finds nothing.
	Environ []string
	// Args are further arguments for the client.
	Args []string
	// Policy decides about permissions. Default: [DenyAll].
	Policy Policy
	// Ask answers what the agent, or an MCP server, asks beside permissions. nil: nobody does, and they are told so.
	Ask Asker
	// AnswerTimeout is how long Ask may take. Default: 5 min.
	AnswerTimeout time.Duration
	// Admit is called before each turn that a person or program begins. A session that it gives takes the place of the one
	// that runs: the client is ended and started anew, and the conversation goes on. nil: nothing has changed. An error
	// fails the turn before the client has seen it, and is what the turn gives. When the client of a session that it gave cannot
	// be started, the turn fails, and it is told of the one from before again.
	Admit func(ctx context.Context, running *core.Prepared) (*core.Prepared, error)
	// Hints are the connectors that there are now. They are asked for before each turn of a session that was prepared with
	// connectors, so that the agent is told when others have come or gone. nil: those that the session was prepared with.
	Hints func(ctx context.Context) []connector.Hint
	// Refused says which refusal of the endpoint's credential was the endpoint's last answer, 0 when that was none: a number that
	// no other refusal has. A host knows that has a gateway before the endpoint, as [gateway.Handle.Refused], whatever a client
	// makes of it. nil: what the client says counts alone, and not every client says it.
	Refused func() uint64
	// StartTimeout is how long a client may take from its start to its first conversation. Default: 75 s, since the first
	// start after an update can be slow.
	StartTimeout time.Duration
	// FirstEventTimeout is how long a client may be silent after it was given a prompt, as one is that waits for a person, until
	// the first event of the turn or the first thing that it asks. That it takes the prompt is none; it then has as long again.
	// Default: 5 min, since a model can be slow to begin.
	FirstEventTimeout time.Duration
	// CancelGrace is how long a client may take to end a turn that was cancelled, before it is ended. Default: 5 s.
	CancelGrace time.Duration
	// EndGrace is how long a client may take to end at the end of its input, and again after it was told to. Default: 2 s.
	EndGrace time.Duration
	// Logger gets structured logs without the content of turns. Default: none.
	Logger *slog.Logger
}

// refusal is which refusal the last answer of the endpoint was, as far as the host knows.
func (o Options) refusal() uint64 {
	if o.Refused == nil {
		return 0
	}
	return o.Refused()
}

func (o Options) withDefaults() (Options, error) {
	if o.Host == nil || len(o.Environ) == 0 {
		return o, fault.New(fault.Invalid, "launch", "", "a host and an environment are required")
	}
	if o.Policy == nil {
		o.Policy = DenyAll
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	for _, d := range []struct {
		value *time.Duration
		zero  time.Duration
	}{{&o.StartTimeout, 75 * time.Second}, {&o.CancelGrace, 5 * time.Second}, {&o.EndGrace, 2 * time.Second},
		{&o.AnswerTimeout, 5 * time.Minute}, {&o.FirstEventTimeout, 5 * time.Minute}} {
		if *d.value <= 0 {
			*d.value = d.zero
		}
	}
	return o, nil
}
