package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/sse"
	"github.com/greenroom-agents/greenroom/gateway/translate"
)

const (
	// writeAt is the size at which events are written though more are at hand.
	writeAt = 32 << 10
	// keptBuffer is the largest buffer that is kept for other events.
	keptBuffer = 64 << 10
	// drainTime is what an upstream gets to end its stream after [DONE], so that its connection can be used again.
	drainTime = 100 * time.Millisecond
)

// stream is the answer to a streaming request. The request's goroutine reads the upstream and writes to the client;
// the watch commits the status, writes keep-alives and ends what stands still, between the two.
type stream struct {
	c     *call
	pulse *pulse
	watch *watch

	mu        sync.Mutex // guards all below
	tr        *translate.Stream
	out       []byte
	loan      *[]byte // where out came from and goes back to
	committed bool
	over      bool
	gone      bool // the client does not take more
	finished  bool // the upstream gave its reason to finish
	opened    time.Time
	wrote     time.Time // when the client last got an event
}

// answerStream answers a streaming request from an upstream's good answer, whatever form that has.
func (c *call) answerStream(resp *http.Response, tc *translate.Context, opts *translate.Options) {
	x := &stream{c: c, opened: time.Now()}
	x.tr = translate.NewStream(tc, opts, c.s.cfg.Now().Unix())
	x.pulse = newPulse(resp.Body, x.opened)
	t := &c.s.cfg.Timeouts
	x.watch = startWatch(min(t.Commit, t.FirstByte, t.Idle, t.KeepAlive), x.look)
	defer func() {
		p := recover()
		x.watch.stop()
		if p != nil {
			c.s.counters.panics.Add(1)
			x.refuse(errInternal())
		}
		x.close()
	}()
	resp.Body = &pulsed{pulse: x.pulse, Closer: resp.Body}
	body, err := decodedBody(resp, c.s.cfg.Limits.Response)
	if err != nil {
		x.refuse(errNotAChat())
		return
	}
	defer body.Close()
	switch kind, body := formOf(resp.Header, body); kind {
	case formStream:
		x.run(body)
	case formJSON:
		x.whole(body)
	default:
		x.refuse(errNotAChat())
	}
}

// run passes events on until the stream is over.
func (x *stream) run(body io.Reader) {
	l := &x.c.s.cfg.Limits
	events := sse.NewReader(body, sse.Limits{Line: l.StreamLine, Event: l.StreamEvent, Total: l.Response}, &x.c.s.incoming)
	for {
		ev, err := events.Next()
		if !x.take(ev, err, err == nil && events.Buffered()) {
			break
		}
	}
	if !x.isDone() {
		return
	}
	// The client has everything; whether the upstream's connection lives on is of no interest to it for long.
	stop := time.AfterFunc(drainTime, func() { x.c.cancel(errFinished) })
	defer stop.Stop()
	for {
		if _, err := events.Next(); err != nil {
			return
		}
	}
}

func (x *stream) isDone() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.tr.Done() && !x.gone
}

// take handles one event or the end of the upstream. It reports whether to read on.
func (x *stream) take(ev sse.Event, err error, more bool) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err != nil {
		x.end(err)
		return false
	}
	x.out = x.tr.Event(x.buffer(), ev.Name, ev.Data)
	if e := x.tr.EarlyError(); e != nil && !x.tr.Done() {
		x.failed(e)
		return false
	}
	if x.c.event.TimeToFirstToken == 0 && x.tr.Progress() {
		// The first token goes out at once, whatever is behind it.
		x.c.event.TimeToFirstToken = time.Since(x.c.begun)
		more = false
	}
	if !x.finished && x.tr.Finished() {
		x.finished = true
		defer x.watch.soon(x.c.s.cfg.Timeouts.Finish)
	}
	if !more || x.tr.Done() || len(x.out) >= writeAt {
		x.flush()
	}
	return !x.tr.Done() && !x.gone
}

// end handles the end of the upstream's stream, for whatever reason.
func (x *stream) end(err error) {
	switch cause := context.Cause(x.c.ctx); {
	case errors.Is(err, sse.ErrTooLarge):
		x.failed(refusal(http.StatusBadGateway, codeResponseTooBig, "The upstream's answer is too large"))
		return
	case err != io.EOF && cause != nil && !errors.Is(cause, errFinished):
		if e := ended(x.c.ctx); e != nil {
			x.failed(e)
		} else {
			x.gone = true
		}
		return
	}
	x.out = x.tr.End(x.buffer(), translate.EndEOF)
	if e := x.tr.EarlyError(); e != nil && !x.tr.Done() {
		x.failed(e)
		return
	}
	x.flush()
}

// failed ends the stream with an error: by status if that is still to come, else with the terminal event.
func (x *stream) failed(e *responses.Error) {
	if x.over || x.tr.Done() {
		return
	}
	if !x.committed {
		x.over, x.committed = true, true
		x.c.fail(e)
		return
	}
	x.out = x.tr.Fail(x.buffer(), e)
	x.flush()
}

// refuse is failed for callers that do not hold the lock.
func (x *stream) refuse(e *responses.Error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.failed(e)
}

// commit sends the status. From here on an error can only be an event.
func (x *stream) commit() {
	if x.committed {
		return
	}
	x.committed, x.c.committed = true, true
	h := x.c.w.Header()
	h["Content-Type"] = eventStream
	h["Cache-Control"] = noStore
	h["X-Accel-Buffering"] = noBuffering
	x.c.event.Status = http.StatusOK
	x.c.w.WriteHeader(http.StatusOK)
}

var (
	eventStream = []string{"text/event-stream"}
	noStore     = []string{"no-store"}
	noBuffering = []string{"no"}
)

// flush hands what there is to the client and waits until the connection has taken it.
func (x *stream) flush() {
	if len(x.out) == 0 || x.gone || x.over {
		return
	}
	x.commit()
	if err := x.c.deliver(x.out); err != nil {
		x.gone = true
		x.c.cancel(errClientGone)
	}
	x.wrote = time.Now()
	*x.loan = x.out
	giveBack(&x.c.s.buffers, x.loan)
	x.out, x.loan = nil, nil
}

// buffer is what events are appended to. A stream has one only while it has something to write: most are quiet.
func (x *stream) buffer() []byte {
	if x.loan == nil {
		x.loan = borrow(&x.c.s.buffers)
		x.out = *x.loan
	}
	return x.out
}

// look is what the watch does: it never waits for the request's goroutine.
func (x *stream) look() (next time.Duration) {
	t := &x.c.s.cfg.Timeouts
	if !x.mu.TryLock() {
		// An event is being written. That the client takes its time is bounded by the write deadline.
		return t.KeepAlive / 4
	}
	defer x.mu.Unlock()
	if x.over || x.gone || x.tr.Done() {
		return 0
	}
	defer func() {
		// Nobody else would catch it here, and the program of whoever embeds this would end.
		if recover() != nil {
			x.c.s.counters.panics.Add(1)
			x.gone, x.c.broken, next = true, true, 0
			x.c.cancel(errClientGone)
		}
	}()
	still, limit := x.pulse.still(), t.Idle
	if x.pulse.bytes.Load() == 0 {
		limit = t.FirstByte
	}
	if x.finished && t.Finish < limit {
		if limit = t.Finish; still >= limit {
			x.c.cancel(errFinished)
			return 0
		}
	}
	if still >= limit {
		x.c.cancel(errIdle)
		return 0
	}
	next = limit - still
	if !x.committed {
		if wait := t.Commit - time.Since(x.opened); wait > 0 {
			return min(next, wait)
		}
		x.out = x.tr.Start(x.buffer())
		x.flush()
	}
	quiet := time.Since(x.wrote)
	if quiet >= t.KeepAlive {
		x.out = x.tr.KeepAlive(x.buffer())
		x.flush()
		x.c.event.KeepAlives++
		quiet = 0
	}
	return min(next, t.KeepAlive-quiet)
}

// close settles what the observer is told.
func (x *stream) close() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
	if !x.tr.Done() {
		if x.gone {
			x.c.event.Outcome = OutcomeCancelled
		}
		return
	}
	x.c.event.outcome(x.tr.Outcome())
	if x.gone {
		x.c.event.Outcome = OutcomeCancelled
	}
}

// whole answers a streaming request from a JSON answer.
func (x *stream) whole(body io.Reader) {
	text, err := readAll(body, -1, x.c.s.cfg.Limits.StreamEvent)
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case errors.Is(err, errOverLimit):
		x.failed(refusal(http.StatusBadGateway, codeResponseTooBig, "The upstream's answer is too large"))
		return
	case err != nil:
		x.end(err)
		return
	}
	x.out = x.tr.Answer(x.buffer(), text)
	if e := x.tr.EarlyError(); e != nil && !x.tr.Done() {
		x.failed(e)
		return
	}
	if x.c.event.TimeToFirstToken == 0 && x.tr.Progress() {
		x.c.event.TimeToFirstToken = time.Since(x.c.begun)
	}
	x.flush()
}
