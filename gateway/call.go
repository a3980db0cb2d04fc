package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/translate"
)

// maxOmissions bounds how many optional fields one request may lose, each after a refusal that names it: decision 010.
const maxOmissions = 3

// call is one request on a route of the Responses listener.
type call struct {
	s      *Server
	route  *route
	w      http.ResponseWriter
	rc     *http.ResponseController
	ctx    context.Context
	cancel context.CancelCauseFunc
	begun  time.Time
	event  Event
	armed  time.Time // when the write deadline was last moved

	committed bool // a status is on its way
	broken    bool // the answer must not look as if it were whole
}

func (s *Server) serveResponses(l *listener) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if e := l.guard(r); e != nil {
			s.reject(w, e, nil)
			return
		}
		if r.RequestURI != "/v1/responses" {
			s.reject(w, refusal(http.StatusNotFound, codeNotFound, "There is nothing here"), nil)
			return
		}
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			s.reject(w, refusal(http.StatusMethodNotAllowed, codeMethod, "Only POST is served"), nil)
			return
		}
		token, ok := bearer(r.Header)
		rt, leave, refused := s.admit(KindResponses, token, ok)
		if refused != nil {
			s.reject(w, refused, rt)
			return
		}
		defer leave()
		ctx, cancel := rt.bind(r.Context())
		defer cancel(nil)
		c := &call{
			s: s, route: rt, w: w, rc: http.NewResponseController(w), ctx: ctx, cancel: cancel, begun: time.Now(),
			event: Event{Kind: EventRequest, RequestID: newID(s.cfg.Random)},
		}
		defer c.end()
		c.serve(r)
	}
}

// reject answers a request that reached no route, or a route that has no place for it.
func (s *Server) reject(w http.ResponseWriter, e *responses.Error, rt *route) {
	s.counters.rejected(e.Code)
	s.tell(Event{Kind: EventRejected, Status: e.Status, Code: e.Code}, rt)
	rc := http.NewResponseController(w)
	lingerOver(rc)
	_ = rc.SetWriteDeadline(time.Now().Add(s.cfg.Timeouts.Write))
	writeError(w, e)
}

// end turns a panic into an answer, or into a closed connection if an answer has begun, and tells the observer.
func (c *call) end() {
	if p := recover(); p != nil {
		c.s.counters.panics.Add(1)
		c.broken = c.committed
		if !c.committed {
			c.fail(errInternal())
		}
	}
	switch {
	case c.broken:
		c.event.Outcome = OutcomeFailed
		defer panic(http.ErrAbortHandler)
	case c.event.Outcome == OutcomeCancelled:
		// A client that only closed its own direction still listens: an answer that is none must not look like one.
		defer panic(http.ErrAbortHandler)
	}
	c.event.Duration = time.Since(c.begun)
	c.s.counters.finished(&c.event)
	c.s.tell(c.event, c.route)
}

// fail answers with an error, unless the client is gone.
func (c *call) fail(e *responses.Error) {
	clean := *e
	text := c.route.secrets.Text
	clean.Message, clean.Type = text(e.Message), text(e.Type)
	clean.Param, clean.Code = text(e.Param), text(e.Code)
	c.event.Status, c.event.Code, c.event.UpstreamStatus = e.Status, clean.Code, e.UpstreamStatus
	c.event.Outcome = OutcomeFailed
	c.judged(e)
	c.committed = true
	c.arm()
	writeError(c.w, &clean)
}

// judged keeps whether the upstream has refused the credential of the route: before the client is answered, so that whoever
// hears of it from the client can ask. nil is that the upstream took it.
func (c *call) judged(e *responses.Error) {
	switch {
	case e == nil:
		c.route.refusal.Store(0)
	case e.UpstreamStatus == 0: // it did not come to that
	case e.Type == responses.TypeAuthentication:
		c.route.refusal.Store(c.s.refusals.Add(1))
	default:
		c.route.refusal.Store(0)
	}
}

// arm gives the next write its time. The deadline is moved only when a good part of it is used up.
func (c *call) arm() {
	limit := c.s.cfg.Timeouts.Write
	if now := time.Now(); now.Sub(c.armed) > limit/8 {
		c.armed = now
		_ = c.rc.SetWriteDeadline(now.Add(limit))
	}
}

func (c *call) serve(r *http.Request) {
	body, e := readBody(c.w, r, c.s.cfg.Limits.RequestBody, c.s.cfg.Timeouts.RequestBody)
	if e != nil {
		c.fail(e)
		return
	}
	c.event.RequestBytes = int64(len(body))
	req, err := responses.ParseRequest(body, c.route.Strict)
	if err != nil {
		c.fail(asError(err))
		return
	}
	c.event.Model, c.event.Stream, c.event.Ignored = req.Model, req.Stream, req.Ignored
	model, ok := c.route.allows(req.Model)
	if !ok {
		e := refusal(http.StatusBadRequest, codeModelNotFound, "The model is not one of this session's plan")
		e.Param = "model"
		c.fail(e)
		return
	}
	opts := c.options(model)
	resp, tc := c.ask(req, opts)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	if req.Stream {
		c.answerStream(resp, tc, opts)
		return
	}
	c.answerWhole(resp, tc, opts)
}

func (c *call) options(model string) *translate.Options {
	rt := c.route
	o := &translate.Options{
		Dialect: *rt.Dialect, Omit: rt.refused.get(), Strict: rt.Strict, DropHostedHistory: rt.DropHostedHistory,
		Model: model, DefaultMaxOutputTokens: rt.DefaultMaxOutputTokens, SealKey: rt.sealKey,
		PromoteReasoning: rt.PromoteReasoning,
		NewID:            func() string { return newID(c.s.cfg.Random) },
		RedactText:       rt.secrets.Text,
	}
	if sees, said := rt.Vision[model]; said {
		o.Dialect.NoVision = !sees
	}
	if rt.secrets.Filter() != nil {
		o.Redact = func() translate.Filter { return rt.secrets.Filter() }
	}
	return o
}

// ask sends the request upstream and gives the answer if its status is good. Otherwise the client has been answered.
func (c *call) ask(req *responses.Request, opts *translate.Options) (*http.Response, *translate.Context) {
	var lost dialect.Fields
	for omitted := 0; ; omitted++ {
		body, tc, err := translate.Request(req, opts)
		if err != nil {
			c.fail(asError(err))
			return nil, nil
		}
		c.event.report(tc.Report)
		c.event.UpstreamBytes = int64(len(body))
		resp, err := c.s.send(c.ctx, c.route.endpoint, body, c.route.upstreamHeader(req.Stream))
		if err != nil {
			c.unreachable(err)
			return nil, nil
		}
		c.event.TimeToHeaders = time.Since(c.begun)
		c.event.UpstreamStatus = resp.StatusCode
		if resp.StatusCode >= 200 && resp.StatusCode < 300 {
			// Only what helped is remembered: a refusal may name a field and mean another.
			c.route.refused.add(lost)
			c.judged(nil)
			return resp, tc
		}
		field, text := c.refusedField(resp, tc.Sent)
		if field == 0 || omitted == maxOmissions {
			c.fail(c.upstreamError(resp, text))
			return nil, nil
		}
		c.s.counters.omitted.Add(1)
		c.event.Omitted++
		lost |= field
		opts.Omit |= field
	}
}

// refusedField reads an upstream's error and finds the optional field that it refuses, if any.
func (c *call) refusedField(resp *http.Response, sent dialect.Fields) (dialect.Fields, []byte) {
	text := c.errorBody(resp)
	field, ok := dialect.Refused(resp.StatusCode, text, sent)
	if !ok {
		return 0, text
	}
	return field, text
}

// errorBody reads what may be read of an error, within a time that an honest server needs.
func (c *call) errorBody(resp *http.Response) []byte {
	defer resp.Body.Close()
	stop := time.AfterFunc(c.s.cfg.Timeouts.Finish, func() { _ = resp.Body.Close() })
	defer stop.Stop()
	limit := c.s.cfg.Limits.ErrorBody
	body, err := decodedBody(resp, limit)
	if err != nil {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(body, limit))
	return text
}

func (c *call) upstreamError(resp *http.Response, text []byte) *responses.Error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		e := translate.TransportError(translate.Redirected)
		e.UpstreamStatus = resp.StatusCode
		return e
	}
	clean := []byte(c.route.secrets.Text(string(text)))
	return translate.HTTPError(resp.StatusCode, resp.Header, clean, c.mode(), c.s.cfg.Now())
}

func (c *call) mode() translate.StatusMode {
	if c.route.StatusMode == StatusAgent {
		return translate.StatusAgent
	}
	return translate.StatusPreserve
}

// unreachable answers when the upstream did not.
func (c *call) unreachable(err error) {
	if c.ctx.Err() != nil {
		if e := ended(c.ctx); e != nil {
			c.fail(e)
			return
		}
		c.event.Outcome = OutcomeCancelled
		return
	}
	c.fail(transportError(err))
}

func asError(err error) *responses.Error {
	var e *responses.Error
	if errors.As(err, &e) {
		return e
	}
	return refusal(http.StatusBadRequest, responses.CodeInvalidRequest, "The request cannot be translated")
}
