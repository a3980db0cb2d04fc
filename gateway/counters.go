package gateway

import (
	"maps"
	"sync"
	"sync/atomic"
)

// Counters is what a server has done since it was started.
type Counters struct {
	// Routes are live, Active requests run now.
	Routes, Active int64
	// Requests are over, by outcome.
	Requests map[Outcome]int64
	// Rejected counts requests that were not let in, Failed those that failed, by code.
	Rejected, Failed map[string]int64
	// Repairs counts what was changed in requests and answers, by name.
	Repairs map[string]int64
	// Omitted counts optional fields that an upstream refused, Resent requests that were sent again because a kept
	// connection was dead, KeepAlives events that kept a client waiting, Panics requests on which the gateway failed.
	Omitted, Resent, KeepAlives, Panics int64
	// RequestBytes, UpstreamBytes and ResponseBytes are the sums of those of events.
	RequestBytes, UpstreamBytes, ResponseBytes int64
	Usage                                      Usage
}

type counters struct {
	active, omitted, resent, panics atomic.Int64

	mu  sync.Mutex
	sum Counters
}

// Counters gives a snapshot.
func (s *Server) Counters() Counters {
	c := &s.counters
	c.mu.Lock()
	defer c.mu.Unlock()
	snap := c.sum
	snap.Requests = maps.Clone(c.sum.Requests)
	snap.Rejected, snap.Failed = maps.Clone(c.sum.Rejected), maps.Clone(c.sum.Failed)
	snap.Repairs = maps.Clone(c.sum.Repairs)
	snap.Routes, snap.Active = int64(s.routes.size()), c.active.Load()
	snap.Omitted, snap.Resent, snap.Panics = c.omitted.Load(), c.resent.Load(), c.panics.Load()
	return snap
}

func (c *counters) rejected(code string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	add(&c.sum.Rejected, code, 1)
}

func (c *counters) finished(e *Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &c.sum
	add(&s.Requests, e.Outcome, 1)
	if e.Outcome == OutcomeFailed {
		// Codes of an upstream are free text: a bound keeps a strange one from filling the memory.
		code := e.Code
		if _, known := s.Failed[code]; !known && len(s.Failed) >= 256 {
			code = "other"
		}
		add(&s.Failed, code, 1)
	}
	for k, n := range e.Repairs {
		add(&s.Repairs, k, int64(n))
	}
	s.KeepAlives += int64(e.KeepAlives)
	s.RequestBytes += e.RequestBytes
	s.UpstreamBytes += e.UpstreamBytes
	s.ResponseBytes += e.ResponseBytes
	s.Usage.Input += e.Usage.Input
	s.Usage.Cached += e.Usage.Cached
	s.Usage.Output += e.Usage.Output
	s.Usage.Reasoning += e.Usage.Reasoning
	s.Usage.Total += e.Usage.Total
}

func add[K comparable](m *map[K]int64, k K, n int64) {
	if *m == nil {
		*m = make(map[K]int64)
	}
	(*m)[k] += n
}
