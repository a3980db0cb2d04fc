package adapter

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/hashicorp/go-plugin"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// errKilled is the error of a call whose process was killed because of another call.
var errKilled = errors.New("the adapter was killed because another call did not end")

// hintAuthor is for what a person can only pass on.
const hintAuthor = "report it to whoever makes the adapter"

func errClosed() error { return fault.New(fault.Closed, "call", "adapters", "the pool is closed") }

// unawaited is the error of someone whose context ended before an adapter answered.
func unawaited(op, subject string, err error) error {
	detail := "the caller's time was over before the adapter answered"
	if errors.Is(err, context.Canceled) {
		detail = "the caller does not wait for the adapter any more"
	}
	return fault.Wrap(err, fault.Deadline, op, subject, detail)
}

// unsendable is the error of a request that cannot be encoded.
func unsendable(label string, err error) error {
	code := fault.Invalid
	var limit *protocol.LimitError
	if errors.As(err, &limit) {
		code = fault.AdapterLimit
	}
	return fault.Wrap(err, code, "prepare", label, "the request cannot be sent: "+err.Error())
}

// overdue says that a call took longer than ctx allows. The adapter knows of the deadline too, and may say so before
// the host's own clock does.
func overdue(ctx context.Context, err error) bool {
	return ctx.Err() != nil || errors.Is(err, context.DeadlineExceeded)
}

// broken says that the connection to an adapter broke.
func broken(err error) bool { return status.Code(err) == codes.Unavailable }

// ofProtocol says that an error is an answer.
func ofProtocol(err error) bool {
	var (
		unknown  *protocol.UnknownError
		limit    *protocol.LimitError
		invalid  *protocol.InvalidError
		panicked *protocol.PanicError
		faulty   *protocol.FaultError
	)
	return errors.As(err, &unknown) || errors.As(err, &limit) || errors.As(err, &invalid) ||
		errors.As(err, &panicked) || errors.As(err, &faulty)
}

// explainAnswer types an error that an adapter answered, or that its answer led to.
func (m *member) explainAnswer(op string, err error) error {
	var typed *fault.Error
	var limit *protocol.LimitError
	var unknown *protocol.UnknownError
	text := m.shown(err.Error())
	switch {
	case errors.As(err, &typed):
		return err
	case errors.As(err, &limit):
		return fault.Wrap(err, fault.AdapterLimit, op, m.label, "the message is too large: "+text).WithHint(hintAuthor)
	case errors.As(err, &unknown):
		return fault.Wrap(err, fault.AdapterFault, op, m.label, "its answer is not understood: "+text).
			WithHint("use an adapter and a host of the same release")
	}
	return fault.Wrap(err, fault.AdapterFault, op, m.label, text).WithHint(hintAuthor)
}

// explainTimeout is the error of an adapter that did not answer in time.
func (m *member) explainTimeout(op string, took time.Duration, c *child) error {
	detail := "it did not answer within " + round(took)
	if op == "start" {
		detail = "it was not ready within " + round(took)
	}
	return fault.New(fault.AdapterTimeout, op, m.label, detail+m.output(c)).
		WithHint("it was ended; try again where the machine was busy, or else tell whoever makes the adapter")
}

// explainCrash is the error of an adapter that ended when it should not have.
func (m *member) explainCrash(op string, c *child) error {
	state, _ := c.ending()
	return fault.New(fault.AdapterCrashed, op, m.label, "it crashed ("+state+")"+m.output(c)).
		WithHint("the next call starts it again; see the host's log for all that it wrote")
}

// output is the end of what an adapter wrote to its standard error, as the end of a sentence.
func (m *member) output(c *child) string {
	if c == nil {
		return ""
	}
	if text := c.tail.String(); text != "" {
		return "; the end of its standard error: " + text
	}
	return ""
}

// explainStart finds out why an adapter did not start. What go-plugin says of it is not shown: it guesses at the
// machine, and names paths.
func (m *member) explainStart(ctx context.Context, c *child, err error, took time.Duration) error {
	const op = "start"
	state, failed := c.ending()
	var typed *fault.Error
	switch {
	case m.pool.life.Err() != nil:
		return errClosed()
	case overdue(ctx, err):
		return m.explainTimeout(op, took, c)
	case errors.As(failed, &typed):
		return failed
	case failed != nil || c.pid() == 0:
		return fault.Wrap(err, fault.Internal, op, m.label, "it cannot be started")
	case errors.As(err, &typed):
		return err
	}
	line, any := c.out.line()
	if !any {
		if state == "exit status 0" {
			return m.handshake(c, "it ended without a word")
		}
		return m.explainCrash(op, c)
	}
	if bad := m.judge(c, line); bad != nil {
		return bad
	}
	switch {
	case errors.Is(err, errForeignAddress):
		return m.handshake(c, errForeignAddress.Error())
	case ofProtocol(err):
		return m.explainAnswer(op, err)
	case state != "":
		return m.explainCrash(op, c)
	}
	return m.handshake(c, "no connection to it can be made")
}

// judge says what is wrong with a first line, or nil when it is the handshake that we want.
func (m *member) judge(c *child, line string) error {
	parts := strings.Split(line, "|")
	core, err := strconv.Atoi(parts[0])
	if len(parts) < 4 || err != nil {
		return m.handshake(c, "it printed "+quote(m.shown(line))+" where the handshake is read").
			WithHint("an adapter must print nothing before it serves")
	}
	if core != plugin.CoreProtocolVersion {
		return m.mismatch(fmt.Sprintf("it speaks version %d of go-plugin's protocol, and the host %d",
			core, plugin.CoreProtocolVersion), core > plugin.CoreProtocolVersion)
	}
	version, err := strconv.Atoi(parts[1])
	if _, ok := protocol.Plugins(nil)[version]; !ok || err != nil {
		return m.mismatch(fmt.Sprintf("it offers version %s of the adapter protocol, and the host speaks %d",
			quote(m.shown(parts[1])), protocol.Version), version > protocol.Version)
	}
	if len(parts) < 5 || parts[4] != string(plugin.ProtocolGRPC) {
		return m.handshake(c, "it does not speak gRPC")
	}
	if len(parts) < 6 || len(parts[5]) < 50 {
		return m.handshake(c, "it does not encrypt its connection")
	}
	return nil
}

func (m *member) handshake(c *child, what string) *fault.Error {
	return fault.New(fault.AdapterHandshake, "start", m.label, what+m.output(c)).
		WithHint("check that the file is an adapter; it is started by a host only")
}

func (m *member) mismatch(what string, newer bool) error {
	e := fault.New(fault.AdapterProtocol, "start", m.label, what)
	if newer {
		return e.WithHint("update the host, or install an older version of the adapter")
	}
	return e.WithHint("update the adapter")
}

// shown is text of an adapter's as it may stand in a message.
func (m *member) shown(text string) string { return cut(m.pool.config.Redact(text), tailLine) }

func quote(s string) string { return strconv.Quote(cut(s, tailLine)) }

func round(d time.Duration) string {
	if d > time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}
