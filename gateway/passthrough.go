package gateway

import (
	"context"
	"encoding/json"
	"mime"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// passthroughs are the paths of the passthrough listener. The messages protocol's clients add a query.
var passthroughs = map[string]struct {
	kind  Kind
	extra string // behind the endpoint's path
	query bool
}{
	"/v1/chat/completions":      {kind: KindChatPassthrough},
	"/v1/messages":              {kind: KindMessagesPassthrough, query: true},
	"/v1/messages/count_tokens": {kind: KindMessagesPassthrough, extra: "/count_tokens", query: true},
}

var betaQuery = regexp.MustCompile(`^beta=(true|false)$`)

func (s *Server) servePassthrough(l *listener) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		path, query, hasQuery := strings.Cut(r.RequestURI, "?")
		p, known := passthroughs[path]
		f := &forward{call: &call{
			s: s, w: w, rc: http.NewResponseController(w), begun: time.Now(),
			event: Event{Kind: EventRequest, RequestID: newID(s.cfg.Random)},
		}, kind: p.kind, extra: p.extra}
		if e := l.guard(r); e != nil {
			f.reject(e, nil)
			return
		}
		if !known || hasQuery && (!p.query || !betaQuery.MatchString(query)) {
			f.reject(refusal(http.StatusNotFound, codeNotFound, "There is nothing here"), nil)
			return
		}
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			f.reject(refusal(http.StatusMethodNotAllowed, codeMethod, "Only POST is served"), nil)
			return
		}
		token, ok := p.kind.token(r.Header)
		rt, leave, refused := s.admit(p.kind, token, ok)
		if refused != nil {
			f.reject(refused, rt)
			return
		}
		defer leave()
		f.route, f.query = rt, query
		var cancel context.CancelCauseFunc
		f.ctx, cancel = rt.bind(r.Context())
		f.cancel = cancel
		defer cancel(nil)
		defer f.end()
		f.serve(r)
	}
}

// token gives the one credential of a request. The messages protocol knows two headers for it.
func (k Kind) token(h http.Header) (string, bool) {
	keys := h["X-Api-Key"]
	if k != KindMessagesPassthrough || len(keys) == 0 {
		return bearer(h)
	}
	if len(keys) != 1 || len(h["Authorization"]) != 0 {
		return "", false
	}
	return keys[0], keys[0] != ""
}

// forward is one request on a passthrough route.
type forward struct {
	*call
	kind         Kind
	extra, query string
}

func (f *forward) reject(e *responses.Error, rt *route) {
	f.s.counters.rejected(e.Code)
	f.s.tell(Event{Kind: EventRejected, Status: e.Status, Code: e.Code}, rt)
	lingerOver(f.rc)
	f.arm()
	f.write(e)
}

// write answers with an error in the shape of the protocol.
func (f *forward) write(e *responses.Error) {
	if f.kind != KindMessagesPassthrough {
		writeError(f.w, e)
		return
	}
	body := append([]byte(`{"type":"error","error":{"type":`), rawjson.AppendString(nil, e.Type)...)
	body = append(append(body, `,"message":`...), rawjson.AppendString(nil, e.Message)...)
	writeErrorBody(f.w, e, append(body, "}}"...))
}

func (f *forward) failed(e *responses.Error) {
	f.event.Status, f.event.Code, f.event.UpstreamStatus = e.Status, e.Code, e.UpstreamStatus
	f.event.Outcome = OutcomeFailed
	f.arm()
	f.write(e)
}

func (f *forward) end() {
	if p := recover(); p != nil {
		if p != http.ErrAbortHandler {
			f.s.counters.panics.Add(1)
		}
		f.event.Outcome = OutcomeFailed
		defer panic(http.ErrAbortHandler)
	} else if f.event.Outcome == OutcomeCancelled {
		defer panic(http.ErrAbortHandler) // for the reason that call.end has
	}
	f.event.Duration = time.Since(f.begun)
	f.s.counters.finished(&f.event)
	f.s.tell(f.event, f.route)
}

func (f *forward) serve(r *http.Request) {
	limits, t := &f.s.cfg.Limits, &f.s.cfg.Timeouts
	body, e := readBody(f.w, r, limits.RequestBody, t.RequestBody)
	if e != nil {
		f.failed(e)
		return
	}
	f.event.RequestBytes = int64(len(body))
	body, e = f.checkModel(body)
	if e != nil {
		f.failed(e)
		return
	}
	f.event.UpstreamBytes = int64(len(body))
	to := f.route.endpoint
	if f.extra != "" || f.query != "" {
		u := *to
		u.Path, u.RawPath = u.Path+f.extra, ""
		if f.query != "" {
			u.RawQuery = f.query
		}
		to = &u
	}
	resp, err := f.s.send(f.ctx, to, body, f.header(r.Header))
	if err != nil {
		f.broken(err)
		return
	}
	defer resp.Body.Close()
	f.event.UpstreamStatus, f.event.TimeToHeaders = resp.StatusCode, time.Since(f.begun)
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		f.upstreamFailed(resp)
		return
	}
	f.judged(nil)
	f.pipe(resp)
}

// checkModel finds the model, checks it and gives the body with the upstream's name for it. All else stays as it is.
func (f *forward) checkModel(body []byte) ([]byte, *responses.Error) {
	if !json.Valid(body) || rawjson.Kind(body) != '{' {
		return nil, refusal(http.StatusBadRequest, responses.CodeInvalidRequest, "The request's body is not a JSON object")
	}
	models, renamed := 0, false
	out := make([]byte, 0, len(body)+64)
	out = append(out, '{')
	for w := rawjson.Walk(body); w.Next(); {
		value := []byte(w.Value)
		switch key := string(w.Key); {
		case key != "model" && strings.EqualFold(key, "model"):
			// To some servers this is the same field, and the one that counts.
			models += 2
		case key == "model":
			models++
			f.event.Model = rawjson.String(w.Value)
			name, ok := f.route.allows(f.event.Model)
			if !ok || rawjson.Kind(w.Value) != '"' {
				e := refusal(http.StatusBadRequest, codeModelNotFound, "The model is not one of this session's plan")
				e.Param = "model"
				return nil, e
			}
			renamed = name != f.event.Model
			value = rawjson.AppendString(nil, name)
		case key == "stream":
			f.event.Stream = rawjson.True(w.Value)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(rawjson.AppendString(out, string(w.Key)), ':'), value...)
	}
	if models != 1 {
		e := refusal(http.StatusBadRequest, responses.CodeMissingParameter, "The request must name one model")
		e.Param = "model"
		return nil, e
	}
	if !renamed {
		return body, nil
	}
	return append(out, '}'), nil
}

var (
	versionDate = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	betaNames   = regexp.MustCompile(`^[A-Za-z0-9._-]+(, ?[A-Za-z0-9._-]+)*$`)
)

// header builds the headers afresh. What the messages protocol needs of the client's is let through if it is nothing
// but that.
func (f *forward) header(client http.Header) http.Header {
	h := f.route.upstreamHeader(f.event.Stream)
	if f.kind != KindMessagesPassthrough {
		return h
	}
	h.Set("Anthropic-Version", "2023-06-01")
	if v := client.Get("Anthropic-Version"); versionDate.MatchString(v) {
		h.Set("Anthropic-Version", v)
	}
	if b := strings.Join(client["Anthropic-Beta"], ","); len(b) < 1024 && betaNames.MatchString(b) {
		h.Set("Anthropic-Beta", b)
	}
	return h
}

func (f *forward) broken(err error) {
	if f.ctx.Err() != nil {
		if e := ended(f.ctx); e != nil {
			f.failed(e)
			return
		}
		f.event.Outcome = OutcomeCancelled
		return
	}
	f.failed(transportError(err))
}

// upstreamFailed passes an error on in the upstream's own words, without what is nobody's business.
func (f *forward) upstreamFailed(resp *http.Response) {
	text := f.errorBody(resp)
	e := f.upstreamError(resp, text)
	f.judged(e)
	if f.route.StatusMode == StatusPreserve && resp.StatusCode >= 500 {
		// The client knows its own protocol: 529, say, makes it wait or choose another model.
		e.Status = resp.StatusCode
	}
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind == "application/json" && resp.StatusCode >= 400 && json.Valid(text) {
		clean := []byte(f.route.secrets.Text(string(text)))
		if json.Valid(clean) {
			f.event.Status, f.event.Code, f.event.Outcome = e.Status, e.Code, OutcomeFailed
			f.arm()
			writeErrorBody(f.w, e, clean)
			return
		}
	}
	f.failed(e)
}
