package gateway

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/redact"
	"github.com/greenroom-agents/greenroom/gateway/translate"
)

// pipe passes a good answer on as it comes, through the filter.
func (f *forward) pipe(resp *http.Response) {
	limits := &f.s.cfg.Limits
	p, w := f.watchBody(resp)
	defer w.stop()
	body, err := decodedBody(resp, limits.Response)
	if err != nil {
		f.failed(errNotAChat())
		return
	}
	defer body.Close()
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if kind != "text/event-stream" && kind != "application/json" {
		f.failed(errNotAChat())
		return
	}
	o := &outlet{f: f, filter: f.route.secrets.Filter(), kind: kind}
	if kind == "text/event-stream" {
		o.guard = newGuard(f.route.secrets)
	}
	buf := make([]byte, 16<<10)
	for {
		n, err := body.Read(buf)
		if n > 0 && !o.write(buf[:n]) {
			f.event.Outcome = OutcomeCancelled
			return
		}
		if p.bytes.Load() > limits.Response || o.guard != nil && int64(len(o.guard.rest)) > limits.StreamEvent {
			err = errOverLimit
		}
		if err != nil {
			o.end(err)
			return
		}
	}
}

// outlet is the client's side of a forwarded answer.
type outlet struct {
	f      *forward
	guard  *guard         // of a stream
	filter *redact.Filter // of all bytes, texts or not
	kind   string
	events []byte
	out    []byte
	begun  bool
}

func (o *outlet) write(piece []byte) bool {
	if o.guard != nil {
		o.events = o.guard.write(o.events[:0], piece)
		piece = o.events
	}
	o.out = o.filter.Append(o.out[:0], piece)
	return o.put(o.out)
}

func (o *outlet) put(text []byte) bool {
	f := o.f
	if len(text) == 0 {
		return true
	}
	if !o.begun {
		o.begun = true
		f.event.Status, f.event.TimeToFirstToken = http.StatusOK, time.Since(f.begun)
		h := f.w.Header()
		h.Set("Content-Type", o.kind)
		h.Set("Cache-Control", "no-store")
		f.w.WriteHeader(http.StatusOK)
	}
	return f.deliver(text) == nil
}

// end ends the answer. One that broke off must not look like one that was finished: a stream gets an error event, and
// anything else loses its connection.
func (o *outlet) end(err error) {
	f := o.f
	o.out = o.out[:0]
	switch {
	case o.guard == nil:
	case err == io.EOF:
		o.out = o.filter.Append(o.out, o.guard.end(nil))
	default:
		o.out = o.filter.Append(o.out, o.guard.flush(nil))
	}
	o.out = o.filter.Flush(o.out)
	ok := o.put(o.out)
	switch {
	case !ok:
		f.event.Outcome = OutcomeCancelled
		return
	case err == io.EOF && o.begun:
		f.event.Outcome = OutcomeCompleted
		return
	case err == io.EOF:
		f.failed(errNotAChat())
		return
	}
	e := ended(f.ctx)
	if e == nil && f.ctx.Err() != nil {
		f.event.Outcome = OutcomeCancelled
		return
	}
	if e == nil {
		e = refusal(http.StatusBadGateway, translate.CodeStreamError, "Upstream: the answer broke off")
		if errors.Is(err, errOverLimit) {
			e = refusal(http.StatusBadGateway, codeResponseTooBig, "The upstream's answer is too large")
		}
	}
	if !o.begun {
		f.failed(e)
		return
	}
	f.event.Outcome, f.event.Code = OutcomeFailed, e.Code
	if o.guard == nil {
		panic(http.ErrAbortHandler)
	}
	event := append([]byte("data: "), e.AppendJSON(nil)...)
	if f.kind == KindMessagesPassthrough {
		event = append([]byte(`event: error`+"\n"+`data: {"type":"error","error":{"type":"api_error","message":`),
			rawjson.AppendString(nil, e.Message)...)
		event = append(event, "}}"...)
	}
	o.put(append(event, "\n\n"...))
}
