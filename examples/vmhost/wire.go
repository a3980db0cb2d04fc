package vmhost

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// The codes of this package, beside those of core. They work with errors.Is.
const (
	ErrUntrusted core.Code = "peer_untrusted"  // the other end has no certificate that counts, or does not take ours
	ErrOutside   core.Code = "path_outside"    // a path that the agents' machine does not share
	ErrCut       core.Code = "connection_cut"  // the other end is not there, or is not there any more
	ErrMalformed core.Code = "message_refused" // the other end speaks another version, or not to us
)

// The service, and what it can do.
const (
	service = "greenroom.vmhost.v1.Host"
	prepare = "/" + service + "/Prepare" // session -> core.Prepared
	show    = "/" + service + "/Show"    // core.Ref -> core.Info
	cleanup = "/" + service + "/Cleanup" // goodbye -> core.Report
	drive   = "/" + service + "/Drive"   // a stream of orders -> a stream of news
)

// limit bounds a message, in bytes. What a client says in one line may have sixteen million.
const limit = 32 << 20

// message is what carries a document.
type message = wrapperspb.BytesValue

// goodbye asks for a session to be taken away.
type goodbye struct {
	core.Ref
	core.CleanupOptions
}

// order is what a stream that drives a session carries to the agent: one of its fields. Begin comes first and once.
type order struct {
	Begin  *begin         `json:",omitempty"`
	Prompt *turn          `json:",omitempty"`
	Cancel bool           `json:",omitempty"`
	Guide  []launch.Block `json:",omitzero"` // also none
	Answer *reply         `json:",omitempty"`
	Model  string         `json:",omitempty"`
	Set    *option        `json:",omitempty"`
	Number int            `json:",omitempty"` // of Guide, Model and Set, which are answered under it
}

type begin struct {
	Session session
	Resume  string `json:",omitempty"` // the conversation to go on with
	Asks    bool   `json:",omitempty"` // there is somebody who answers questions
	Hints   bool   `json:",omitempty"` // each turn says which connectors there are
}

// turn is a prompt with what the other end has decided for it.
type turn struct {
	Blocks []launch.Block
	// Session is to be prepared, and put in the place of the one that runs.
	Session *session         `json:",omitempty"`
	Hints   []connector.Hint `json:",omitempty"`
}

type option struct{ Name, Value string }

// news is what it carries back: one of its fields.
type news struct {
	Conversation *launch.Conversation `json:",omitempty"` // answers Begin
	Event        *event               `json:",omitempty"` // of the turn; the last one is End or Error
	Ask          *question            `json:",omitempty"` // wants an Answer
	Done         *done                `json:",omitempty"`
}

// done answers the order of a number.
type done struct {
	Number int
	Failed *failure `json:",omitempty"`
}

// question is a request for permission or a question, and reply is what the other end says to the one of this number.
type question struct {
	Number   int
	Request  *launch.Request  `json:",omitempty"`
	Question *launch.Question `json:",omitempty"`
	Raw      []byte           `json:",omitempty"` // of Question, which does not write its own
}

type reply struct {
	Number   int
	Answer   launch.Answer `json:",omitempty"`
	Reply    launch.Reply  `json:",omitempty"`
	Answered bool          `json:",omitempty"`
}

// event is a launch.Event that travels. In its own JSON an error is for people only.
type event struct {
	Plain  plain
	Failed *failure `json:",omitempty"`
}

type plain launch.Event // without its methods

// failure is an error that travels. The zero value is none.
type failure struct {
	Code                      core.Code `json:",omitempty"`
	Op, Subject, Detail, Hint string    `json:",omitempty"`
}

// failed makes an error one that can travel. What stands behind an error of core may name paths, and stays.
func failed(err error) *failure {
	if e, ok := errors.AsType[*core.Error](err); ok {
		return &failure{e.Code, e.Op, e.Subject, e.Detail, e.Hint}
	}
	if err != nil {
		return &failure{Code: core.ErrInternal, Op: "call", Detail: "the machine of the agent failed"}
	}
	return &failure{}
}

func (f *failure) err() error {
	if f == nil || f.Code == "" {
		return nil
	}
	return &core.Error{Code: f.Code, Op: f.Op, Subject: f.Subject, Detail: f.Detail, Hint: f.Hint}
}

// encode makes a message of a value.
func encode(v any) (*message, error) {
	data, err := json.Marshal(v)
	return wrapperspb.Bytes(data), err
}

// decode reads what is wanted of a server. What it does not know it does not pass over.
func decode(m *message, v any) error {
	d := json.NewDecoder(bytes.NewReader(m.GetValue()))
	d.DisallowUnknownFields()
	return malformed(d.Decode(v))
}

// read reads what a server answers, which may say more than is asked.
func read(m *message, v any) error { return malformed(json.Unmarshal(m.GetValue(), v)) }

func malformed(err error) error {
	if err != nil {
		return &core.Error{Code: ErrMalformed, Op: "read message", Detail: "it is not what was asked for", Hint: "use the same version on both machines", Err: err}
	}
	return nil
}

// over is how an error ends a call of gRPC: with all of it that may travel.
func over(err error) error {
	if err == nil {
		return nil
	}
	f := failed(err)
	s := status.New(codes.FailedPrecondition, f.err().Error())
	if m, err := encode(f); err == nil {
		if detailed, err := s.WithDetails(m); err == nil {
			s = detailed
		}
	}
	return s.Err()
}

// said is the error that a call of gRPC ended with.
func said(err error) error {
	if err == nil {
		return nil
	}
	s := status.Convert(err)
	for _, d := range s.Details() {
		f := &failure{}
		if m, ok := d.(*message); ok && json.Unmarshal(m.GetValue(), f) == nil {
			return f.err()
		}
	}
	code, detail := ErrCut, "the machine of the agent is not there"
	switch s.Code() {
	case codes.Canceled:
		return context.Canceled
	case codes.DeadlineExceeded:
		code, detail = core.ErrDeadline, "the machine of the agent did not answer in time"
	case codes.Unimplemented, codes.ResourceExhausted, codes.Internal:
		code, detail = ErrMalformed, "the machine of the agent cannot take this"
	}
	return &core.Error{Code: code, Op: "call", Detail: detail, Err: err}
}

// unary is a method that answers one document with another.
func unary[Q, A any](name string, do func(*Server, context.Context, Q) (A, error)) grpc.MethodDesc {
	return grpc.MethodDesc{MethodName: name, Handler: func(srv any, ctx context.Context, take func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var m message
		var q Q
		if err := take(&m); err != nil {
			return nil, err
		}
		if err := decode(&m, &q); err != nil {
			return nil, over(err)
		}
		a, err := do(srv.(*Server), ctx, q)
		if err != nil {
			return nil, over(err)
		}
		return encode(a)
	}}
}
