package translate

import (
	"bytes"
	"net/http"

	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// Answer takes a whole answer of the upstream and appends the whole stream for it. An answer that holds an error or is
// none gives EarlyError and no stream.
func (s *Stream) Answer(dst, body []byte) []byte {
	body = bytes.TrimPrefix(bytes.TrimSpace(body), []byte("\xEF\xBB\xBF"))
	if s.done || s.early != nil {
		return dst
	}
	switch err := s.chunk.Parse(body); {
	case len(body) == 0:
		s.early = &responses.Error{Status: http.StatusBadGateway, Type: responses.TypeServer, Code: CodeEmptyResponse,
			Message: "Upstream: the answer was empty."}
	case err != nil:
		s.early = TransportError(NotAnAPI)
	case s.chunk.Error == nil && !s.chunk.HasChoice:
		s.early = &responses.Error{Status: http.StatusBadGateway, Type: responses.TypeServer, Code: CodeEmptyResponse,
			Message: "Upstream: the answer holds no choice."}
	}
	if s.early != nil {
		return dst
	}
	dst = s.Data(dst, body)
	if s.early != nil {
		return dst
	}
	return s.End(dst, EndDone)
}

// Answer turns a whole answer of the upstream into a response object. created and completed are in seconds of Unix time.
func Answer(ctx *Context, opt *Options, body []byte, created, completed int64) ([]byte, Outcome, *responses.Error) {
	s := NewStream(ctx, opt, created)
	s.SetTime(completed)
	s.Answer(nil, body)
	if s.early != nil {
		return nil, Outcome{Status: "failed", Code: s.early.Code}, s.early
	}
	if e := s.obj.Error; e != nil {
		c := *e
		if c.Status == 0 {
			c.Status = http.StatusBadGateway
			if c.Type == responses.TypeInvalidRequest {
				c.Status = http.StatusBadRequest
			}
		}
		return nil, s.outcome, &c
	}
	o := &s.obj
	o.Instructions, o.Tools, o.ToolChoice = ctx.echo.instructions, ctx.echo.tools, ctx.echo.toolChoice
	o.Text, o.Metadata = ctx.echo.text, ctx.echo.extra
	return o.AppendJSON(nil), s.outcome, nil
}
