package gateway_test

import (
	"crypto/rand"
	"sync/atomic"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// brittle panics on one of its reads.
type brittle struct {
	left atomic.Int64
}

func (b *brittle) Read(p []byte) (int, error) {
	if b.left.Add(-1) == 0 {
		panic("brittle")
	}
	return rand.Read(p)
}

func TestPanicEndsOneRequestOnly(t *testing.T) {
	t.Parallel()
	src := &brittle{}
	answer := gatewaytest.Text("a", "b")
	answer.Steps[1].Pause = 50 * time.Millisecond // the status is on its way when the message begins
	b := start(t, gateway.Config{Random: src}, answer)
	seen := map[string]bool{}
	// A turn draws several ids: of the request, of the response, of the message. Each one fails once.
	for n := int64(2); n <= 4; n++ {
		src.left.Store(n)
		r := b.turn()
		switch {
		case r.err != nil:
			seen["cut"] = true
		case r.status == 200 && src.left.Load() <= 0:
			if code := r.failure(t); code != "gateway_error" {
				t.Fatalf("read %d: code %q", n, code)
			}
			seen["event"] = true
		case r.status == 502 && r.code() == "gateway_error":
			seen["status"] = true
		}
		src.left.Store(0)
		if r := b.turn(); r.final(t).Type != "response.completed" {
			t.Fatalf("the next request suffers: %s", r.body)
		}
	}
	if !seen["event"] || !seen["status"] || seen["cut"] {
		t.Fatalf("seen: %v", seen)
	}
	if n := b.gw.Counters().Panics; n < 2 {
		t.Fatalf("%d panics counted", n)
	}
}
