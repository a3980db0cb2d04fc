package relay

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
)

// Summary is what went through a relay. Tokens are as the upstream counted them.
type Summary struct {
	// Turns are requests that got an answer, Failed those that failed though they were let in, Refused those that were not.
	// A client that tries again makes a request each time.
	Turns   int `json:"turns"`
	Failed  int `json:"failed"`
	Refused int `json:"refused"`
	// LastFailure is the status and the code of the newest that failed or was refused; "" if there was none.
	LastFailure string `json:"last_failure,omitempty"`
	// Input, Cached and Output are tokens; Cached are those of Input that the upstream had not to read anew.
	Input  int64 `json:"input_tokens"`
	Cached int64 `json:"cached_tokens"`
	Output int64 `json:"output_tokens"`
	// CachedShare is Cached as a part of Input, 0 to 1.
	CachedShare float64 `json:"cached_share"`
	// FirstToken is the median of the seconds from a request to the first thing that the model said; 0 if there was none.
	FirstToken float64 `json:"first_token_seconds"`
}

// kept is how many of the newest times to the first token the median is taken of.
const kept = 4096

// Tally counts what goes through a gateway. It is a [gateway.Observer], and safe for concurrent use.
type Tally struct {
	// Failed is told of each request that failed or was refused, from any goroutine; nil is nobody.
	Failed func(status int, code string)

	mu    sync.Mutex
	sum   Summary
	first []time.Duration
	next  int // the oldest of first, once it is full
}

// Observe counts an event.
func (t *Tally) Observe(e gateway.Event) {
	t.count(e)
	if bad(e) && t.Failed != nil {
		t.Failed(e.Status, e.Code)
	}
}

func bad(e gateway.Event) bool {
	return e.Kind == gateway.EventRejected || e.Kind == gateway.EventRequest && e.Outcome == gateway.OutcomeFailed
}

func (t *Tally) count(e gateway.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if bad(e) {
		t.sum.LastFailure = fmt.Sprintf("%d %s", e.Status, e.Code)
	}
	switch e.Kind {
	case gateway.EventRejected:
		t.sum.Refused++
	case gateway.EventRequest:
		if e.Outcome == gateway.OutcomeFailed {
			t.sum.Failed++
		} else {
			t.sum.Turns++
		}
		t.sum.Input += e.Usage.Input
		t.sum.Cached += e.Usage.Cached
		t.sum.Output += e.Usage.Output
		switch {
		case e.TimeToFirstToken <= 0:
		case len(t.first) < kept:
			t.first = append(t.first, e.TimeToFirstToken)
		default:
			t.first[t.next%kept] = e.TimeToFirstToken
			t.next++
		}
	}
}

// Summary is what has gone through by now.
func (t *Tally) Summary() Summary {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.sum
	if s.Input > 0 {
		s.CachedShare = min(1, float64(s.Cached)/float64(s.Input))
	}
	if n := len(t.first); n > 0 {
		s.FirstToken = slices.Sorted(slices.Values(t.first))[n/2].Seconds()
	}
	return s
}
