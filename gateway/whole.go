package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/translate"
)

// answerWhole answers a request that does not stream.
func (c *call) answerWhole(resp *http.Response, tc *translate.Context, opts *translate.Options) {
	created := c.s.cfg.Now().Unix()
	text, err := c.readWhole(resp)
	switch {
	case err == nil:
	case errors.Is(err, errOverLimit):
		c.fail(refusal(http.StatusBadGateway, codeResponseTooBig, "The upstream's answer is too large"))
		return
	case errors.Is(err, errUnreadable):
		c.fail(errNotAChat())
		return
	default:
		c.unreachable(err)
		return
	}
	body, out, e := translate.Answer(tc, opts, text, created, c.s.cfg.Now().Unix())
	c.event.outcome(out)
	if e != nil {
		c.fail(e)
		return
	}
	c.event.Status, c.event.TimeToFirstToken = http.StatusOK, time.Since(c.begun)
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.committed = true
	c.arm()
	c.w.WriteHeader(http.StatusOK)
	n, err := c.w.Write(body)
	c.event.ResponseBytes = int64(n)
	if err != nil {
		c.event.Outcome = OutcomeCancelled
	}
}

var errUnreadable = errors.New("gateway: the upstream's answer cannot be read")

// watchBody ends the request if an answer's body stands still while it is read.
func (c *call) watchBody(resp *http.Response) (*pulse, *watch) {
	t := &c.s.cfg.Timeouts
	p := newPulse(resp.Body, time.Now())
	w := startWatch(min(t.FirstByte, t.Idle), func() time.Duration {
		limit := t.Idle
		if p.bytes.Load() == 0 {
			limit = t.FirstByte
		}
		if left := limit - p.still(); left > 0 {
			return left
		}
		c.cancel(errIdle)
		return 0
	})
	resp.Body = &pulsed{pulse: p, Closer: resp.Body}
	return p, w
}

// readWhole reads an answer to its end, as long as the upstream does not stand still.
func (c *call) readWhole(resp *http.Response) ([]byte, error) {
	_, w := c.watchBody(resp)
	defer w.stop()
	limit := min(c.s.cfg.Limits.StreamEvent, c.s.cfg.Limits.Response)
	body, err := decodedBody(resp, limit)
	if err != nil {
		return nil, errUnreadable
	}
	defer body.Close()
	kind, content := formOf(resp.Header, body)
	if kind != formJSON {
		return nil, errUnreadable
	}
	text, err := readAll(content, resp.ContentLength, limit)
	if err != nil && context.Cause(c.ctx) == nil && !errors.Is(err, errOverLimit) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, errUnreadable
	}
	return text, err
}
