package launch

import (
	"errors"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
	"github.com/greenroom-agents/greenroom/core/launch/internal/lines"
)

// The codes of this package, beside those of core. They work with errors.Is.
const (
	ErrHandshake   = fault.Handshake         // the client did not begin as its transport asks, or not in time
	ErrBlocked     = fault.ClientBlocked     // the client shows nothing after it was given a prompt: it may wait for a person
	ErrEnded       = fault.ClientEnded       // the client ended by itself
	ErrFault       = fault.ClientFault       // the client answered something that is no answer, or an error
	ErrChanged     = fault.ClientChanged     // the client was started again, and does not take what it was set to
	ErrUnsupported = fault.ClientUnsupported // the client has no such function
	ErrLogin       = fault.LoginRequired     // the client wants its user to log in
	ErrCredential  = fault.CredentialRefused // the session's model endpoint does not take its credential
)

// errorView is how an error looks in JSON.
type errorView struct {
	Code core.Code `json:"code"`
	Text string    `json:"text"`
	Hint string    `json:"hint,omitempty"`
}

func viewOf(err error) *errorView {
	if err == nil {
		return nil
	}
	v := &errorView{Code: core.CodeOf(err), Text: err.Error()}
	if e, ok := errors.AsType[*core.Error](err); ok {
		v.Hint = e.Hint
	}
	return v
}

// fault makes an error of what a call over the protocol gave. The client's own words go into it, since only they say
// what happened, without the session's secrets.
func (c *Conn) fault(op string, err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errClosed) {
		return fault.New(fault.Closed, op, c.p.Provider, "the connection was closed")
	}
	if _, ok := errors.AsType[*core.Error](err); ok {
		return err
	}
	if answer, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return fault.New(ErrFault, op, c.p.Provider, c.redact(cut(answer.Message, maxWords)))
	}
	if errors.Is(err, lines.ErrTooLong) {
		return fault.New(ErrFault, op, c.p.Provider, "it sent a message that is too long")
	}
	return fault.Wrap(err, ErrFault, op, c.p.Provider, "the client did not answer")
}

// startFault is the error of a start: the time was up, the client has ended, or it said no.
func (c *Conn) startFault(op string, err error) error {
	switch late := errors.Is(err, errLate); {
	case c.refused(err):
		return c.loginFault(op, err)
	case late:
		return fault.New(ErrHandshake, op, c.p.Provider, "it was not ready in time"+c.gates()+c.lastWords())
	case c.hasEnded(err):
		return c.endedFault(op)
	}
	err = c.fault(op, err)
	if e, ok := errors.AsType[*core.Error](err); ok && e.Code == ErrFault {
		e.Code = ErrHandshake
	}
	return err
}

// turnFault is the error of a turn.
func (c *Conn) turnFault(err error) error {
	switch e, typed := errors.AsType[*core.Error](err); {
	case c.refused(err):
		return c.loginFault("prompt", err)
	case typed && e != nil:
		return err
	case c.hasEnded(err):
		return c.endedFault("prompt")
	}
	err = c.fault("prompt", err)
	if e, ok := errors.AsType[*core.Error](err); ok && e.Code == ErrFault && c.onEndpoint() && c.o.Refused == nil {
		e.Hint = "not every client says whether the endpoint refused its credential: a check of the endpoint does, or a gateway before it"
	}
	return err
}

// hasEnded says whether the client is gone. That its output has ended is often seen a moment before its end is, and by a
// call a moment before it is by whoever reads.
func (c *Conn) hasEnded(err error) bool {
	if c.proc == nil {
		return false
	}
	if errors.Is(err, lines.ErrClosed) {
		return c.proc.endsIn(500 * time.Millisecond)
	}
	select {
	case <-c.broken:
		return c.proc.endsIn(500 * time.Millisecond)
	case <-c.proc.done:
		return true
	default:
		return false
	}
}

func (c *Conn) endedFault(op string) error {
	how := "it ended"
	if exit := c.proc.exit(); exit != "" {
		how += " (" + exit + ")"
	}
	return fault.New(ErrEnded, op, c.p.Provider, how+c.lastWords())
}

func (c *Conn) lastWords() string {
	if words := c.proc.tail.lines(); words != "" {
		return ", having said: " + words
	}
	return ""
}

// refused says whether what has failed is the login, or the credential of the session's endpoint. The host may know the
// latter, and a client says either with the same words; with an endpoint no login would help.
func (c *Conn) refused(err error) bool {
	if now := c.o.refusal(); now != 0 && now != c.refusals && c.onEndpoint() {
		return true
	}
	answer, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && (answer.Code == authRequired || answer.Code == forbidden && c.onEndpoint())
}

func (c *Conn) onEndpoint() bool { return c.p.Models.Source == core.FromEndpoint }

func isLogin(code core.Code) bool { return code == ErrLogin || code == ErrCredential }

// loginFault tells a login that is missing from a credential that a model endpoint refuses, for which no login would help.
// The client's words say more, since a login can also be there and be refused.
func (c *Conn) loginFault(op string, err error) error {
	words := ""
	if answer, ok := errors.AsType[*jsonrpc.Error](err); ok && answer.Message != "" {
		words = ": " + c.redact(cut(answer.Message, maxWords))
	}
	if c.onEndpoint() {
		return fault.New(ErrCredential, op, c.p.Provider, "the model endpoint refuses the credential"+words).WithHint("check the key of the endpoint")
	}
	return fault.New(ErrLogin, op, c.p.Provider, "nobody is logged in, or the login is refused"+words).WithHint("log in with the client itself, then try again")
}
