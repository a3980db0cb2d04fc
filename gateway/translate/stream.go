package translate

import (
	"bytes"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway/chat"
	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// Stream turns the events of an upstream into those of a Responses stream. Its methods append whole events and never
// wait. After the terminal event they append nothing. It is for one goroutine.
type Stream struct {
	ctx *Context
	opt *Options
	enc responses.Encoder
	obj responses.Object

	started, done bool
	early         *responses.Error
	chunk         chat.Chunk
	scratch, safe []byte
	badLines      int

	items              []*item
	reasoning, message *item
	// space is whitespace that only becomes text once something visible follows.
	space []byte
	think thinkParser
	// content and thought are what the upstream has sent of either, to tell news from repetition.
	content, thought seen
	details          []byte
	calls            []*toolCall

	finish   string
	finished bool
	now      int64
	usage    chat.Usage
	hasUsage bool
	progress bool
	repairs  map[string]int
	outcome  Outcome
}

// item is an output item with the filter that its text goes through.
type item struct {
	responses.OutputItem
	filter Filter
	closed bool
}

// Outcome is how a response ended, for whoever observes it.
type Outcome struct {
	// Status is completed, incomplete or failed; "" while it runs.
	Status string
	// Code is that of the error if it failed.
	Code string
	// Finish is the upstream's finish reason, of at most 64 letters, digits, _ and -.
	Finish string
	Usage  responses.Usage
	// Estimated says that the upstream gave no usage.
	Estimated bool
	// Calls is the number of finished tool calls.
	Calls int
	// Repairs counts what had to be changed.
	Repairs map[string]int
}

// Names of the repairs of an answer.
const (
	RepairBadLine       = "bad_line"
	RepairSnapshot      = "cumulative_arguments"
	RepairJSON          = "arguments_json"
	RepairCallDropped   = "call_dropped"
	RepairCallIDMade    = "call_id_made"
	RepairFinishUnknown = "finish_unknown"
)

// NewStream begins a stream. created is in seconds of Unix time.
func NewStream(ctx *Context, opt *Options, created int64) *Stream {
	s := &Stream{ctx: ctx, opt: opt}
	s.think.mode = opt.Dialect.Think
	s.obj = responses.Object{
		ID: "resp_" + opt.NewID(), Model: ctx.Model, Created: created,
		Effort: ctx.echo.effort, Summary: ctx.echo.summary,
		MaxOutputTokens: ctx.echo.maxTokens, Temperature: ctx.echo.temperature, TopP: ctx.echo.topP, Parallel: ctx.echo.parallel,
	}
	return s
}

// SetTime tells the time, in seconds of Unix time, for when the response is completed.
func (s *Stream) SetTime(now int64) { s.now = now }

// Done reports whether the terminal event was written.
func (s *Stream) Done() bool { return s.done }

// Finished reports whether the upstream gave a finish reason. Only usage can be expected after it.
func (s *Stream) Finished() bool { return s.finished }

// Progress reports whether any text, reasoning or call has come.
func (s *Stream) Progress() bool { return s.progress }

// EarlyError is the error that came before anything else, so that it can still be answered with a status. Fail puts it
// into the stream if it is too late for that.
func (s *Stream) EarlyError() *responses.Error { return s.early }

// Outcome tells how the stream ended.
func (s *Stream) Outcome() Outcome { return s.outcome }

// Start appends the first two events unless they were written before.
func (s *Stream) Start(dst []byte) []byte {
	if s.started || s.done {
		return dst
	}
	s.started = true
	s.obj.Status = "in_progress"
	dst = s.enc.Response(dst, "response.created", &s.obj)
	return s.enc.Response(dst, "response.in_progress", &s.obj)
}

// KeepAlive appends an event that says nothing new. Agents count no comments, so it has to be one.
func (s *Stream) KeepAlive(dst []byte) []byte {
	if s.done {
		return dst
	}
	if !s.started {
		return s.Start(dst)
	}
	return s.enc.Response(dst, "response.in_progress", &s.obj)
}

// Event takes one event of the upstream with its name.
func (s *Stream) Event(dst []byte, name string, data []byte) []byte {
	if name == "error" && !s.done {
		return s.failure(dst, data)
	}
	return s.Data(dst, data)
}

// Data takes the data of one event of the upstream.
func (s *Stream) Data(dst, data []byte) []byte {
	data = bytes.TrimSpace(data)
	if s.done || s.early != nil || len(data) == 0 {
		return dst
	}
	if string(data) == "[DONE]" {
		return s.End(dst, EndDone)
	}
	if err := s.chunk.Parse(data); err != nil {
		s.repair(RepairBadLine)
		if s.badLines++; s.badLines > 5 {
			return s.Fail(dst, streamError("the upstream's stream holds data that is no JSON"))
		}
		return dst
	}
	s.badLines = 0
	if s.chunk.Error != nil {
		return s.failure(dst, s.chunk.Error)
	}
	dst = s.Start(dst)
	if s.chunk.Usage != nil {
		if u, ok := chat.ParseUsage(s.chunk.Usage); ok {
			s.usage, s.hasUsage = u, true
		}
	}
	if s.chunk.HasChoice {
		dst = s.choice(dst)
	}
	return dst
}

// choice takes the news of a chunk: reasoning, text, calls, and the finish reason.
func (s *Stream) choice(dst []byte) []byte {
	c := &s.chunk
	s.scratch = c.AppendReasoning(s.scratch[:0])
	if text := s.thought.news(s.scratch, c.Whole); len(text) > 0 {
		dst = s.reason(dst, text)
	}
	s.keepDetails(c.Details)
	s.scratch = chat.AppendText(s.scratch[:0], c.Content)
	if len(s.scratch) == 0 {
		s.scratch = chat.AppendText(s.scratch, c.Refusal)
	}
	if text := s.content.news(s.scratch, c.Whole); len(text) > 0 {
		dst = s.think.feed(s, dst, text)
	}
	if c.ToolCalls != nil || c.FunctionCall != nil {
		dst = s.toolCalls(dst, c)
	}
	// A reason that says the answer is not whole stands, whatever comes behind it: some gateways end every stream with stop.
	if c.Finish != nil && (!s.finished || s.class() == finishGood) {
		s.finish, s.finished = strings.ToLower(rawjson.String(c.Finish)), true
		s.outcome.Finish = clean(s.finish[:min(len(s.finish), 64)])
	}
	return dst
}

// keepDetails collects reasoning parts that only their provider can read.
func (s *Stream) keepDetails(raw chat.Raw) {
	if !s.ctx.seal || rawjson.Kind(raw) != '[' {
		return
	}
	for w := rawjson.Walk(raw); w.Next(); {
		if len(s.details) > 0 {
			s.details = append(s.details, ',')
		}
		s.details = append(s.details, w.Value...)
	}
}

func (s *Stream) failure(dst []byte, raw chat.Raw) []byte {
	e := s.clean(answerError(raw))
	if !s.started {
		s.early = e
		return dst
	}
	return s.Fail(dst, e)
}

// Fail ends the stream with an error. What was not finished stays unfinished: no call is made of it.
func (s *Stream) Fail(dst []byte, e *responses.Error) []byte {
	if s.done {
		return dst
	}
	dst = s.Start(dst)
	s.obj.Status, s.obj.Error = "failed", inStream(s.clean(e))
	return s.terminal(dst, "response.failed")
}

// terminal appends the last event. The output are the items that were finished.
func (s *Stream) terminal(dst []byte, typ string) []byte {
	for _, it := range s.items {
		if it.closed {
			s.obj.Output = append(s.obj.Output, &it.OutputItem)
			if it.Kind >= responses.Function {
				s.outcome.Calls++
			}
		}
	}
	usage := s.total()
	s.obj.Usage = &usage
	s.outcome.Status, s.outcome.Usage, s.outcome.Estimated = s.obj.Status, usage, !s.hasUsage
	s.outcome.Repairs = s.repairs
	if s.obj.Error != nil {
		s.outcome.Code = s.obj.Error.Code
	}
	s.done = true
	return s.enc.Response(dst, typ, &s.obj)
}

// total is the usage, or an estimate of four bytes a token, without which agents would never compact.
func (s *Stream) total() responses.Usage {
	u := s.usage
	if !s.hasUsage {
		out := s.thought.size + s.content.size
		for _, c := range s.calls {
			out += len(c.raw) + len(c.name)
		}
		u = chat.Usage{Input: int64(s.ctx.bytes+3) / 4, Output: int64(out+3) / 4}
		u.Total = u.Input + u.Output
	}
	return responses.Usage{
		Input: u.Input, Cached: u.Cached, CacheWritten: u.CacheWritten,
		Output: u.Output, Reasoning: u.Reasoning, Total: u.Total,
	}
}

func (s *Stream) repair(name string) {
	if s.repairs == nil {
		s.repairs = make(map[string]int)
	}
	s.repairs[name]++
}

// hide passes a name that the upstream made up through the filter for whole texts.
func (s *Stream) hide(name string) string {
	if s.opt.RedactText == nil {
		return name
	}
	return s.opt.RedactText(name)
}

// clean passes an error's message through the filter for whole texts.
func (s *Stream) clean(e *responses.Error) *responses.Error {
	if s.opt.RedactText == nil {
		return e
	}
	c := *e
	c.Message, c.Code = s.opt.RedactText(e.Message), s.opt.RedactText(e.Code)
	return &c
}
