package launch

import (
	"context"
	"errors"
	"io"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Block is a part of a prompt: a text, or a connector.
type Block struct {
	Text string
	// Connector is the key of a connector that is switched on, without a text. Each prompt names all that are; the agent
	// is told what has changed, and never sees the block.
	Connector string
}

// Conversation is a conversation of the client's, which calls it a session or a thread.
type Conversation struct {
	ID string `json:"id"`
	// Model is the model that answers, "" when the client does not tell.
	Model string `json:"model,omitempty"`
	// Models are those that [Conn.SetModel] takes: those of the endpoint, or else as far as the client tells.
	Models []string `json:"models,omitempty"`
	// Options are what else [Conn.Set] can set and how it stands, by the client's own names, as far as it tells.
	Options map[string]string `json:"options,omitempty"`
	// Replaced says that the conversation that was to be resumed could not be, and this is a new one. Reason says why.
	Replaced bool   `json:"replaced,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// side is what a transport knows of the side that it works for.
type side struct {
	p *core.Prepared
	// conversation is that of the process, where it has but one.
	conversation string

	log    interface{ Debug(string, ...any) }
	redact func(string) string
	// permit answers a request for permission of the running turn.
	permit func(ctx context.Context, r Request, raw []byte) Answer
	// ask puts a question of the running turn to a person; false is no answer.
	ask func(ctx context.Context, q Question) (Reply, bool)
	// emit tells of the running turn. Outside of a turn nothing happens.
	emit func(Event)
	// tell tells how the client is set up, whenever it says so.
	tell func(setup)

	strays int // lines that were no message, counted by the one goroutine that reads
}

// strays is how many lines that are no message a client may print.
const strays = 1000

// Stray implements jsonrpc.Handler for every transport. Runtimes print a warning now and then.
func (s *side) Stray(line []byte) error {
	if s.strays++; s.strays > strays {
		return errors.New("the client prints what are no messages")
	}
	s.log.Debug("the client printed a line that is no message", "bytes", len(line))
	return nil
}

// transport speaks to one process of a client. Its methods are called one at a time, but for cancel, which comes while
// prompt runs.
type transport interface {
	// serve reads what the client says until it ends.
	serve(r io.Reader) error
	// handshake begins, and does what the layout asks for over the protocol.
	handshake(ctx context.Context) error
	begin(ctx context.Context) (Conversation, error)
	resume(ctx context.Context, id string) (Conversation, error)
	// prompt runs a turn to its end.
	prompt(ctx context.Context, conversation string, blocks []Block) (EndReason, error)
	cancel(ctx context.Context, conversation string) error
	setModel(ctx context.Context, conversation, model string) error
	// set sets something else, and makes sure that it holds.
	set(ctx context.Context, conversation, option, value string) error
}

// newTransport is nil for a client that cannot be driven.
func newTransport(kind preparer.Transport, w io.Writer, to side) transport {
	switch kind {
	case preparer.ACP:
		return newACP(w, to)
	case preparer.CodexAppServer:
		return newAppClient(w, to)
	case preparer.ClaudeStreamJSON:
		return newStreamClient(w, to)
	default:
		return nil
	}
}

// single says whether a process of a client is one conversation, which it gets by its arguments.
func single(kind preparer.Transport) bool { return kind == preparer.ClaudeStreamJSON }
