package gateway

import (
	"context"
	"crypto/subtle"
	"net/url"
	"sync"
	"sync/atomic"

	"github.com/greenroom-agents/greenroom/gateway/redact"
)

// key is what a route is found by when it is replaced or revoked.
type key struct{ workspace, session string }

// route is a registered route with its state.
type route struct {
	Route
	key        key
	generation uint64
	digest     digest
	endpoint   *url.URL
	secrets    *redact.Secrets
	sealKey    []byte
	refused    refusals
	refusal    atomic.Uint64 // of the credential, in the last answer of the upstream; 0 for none

	// ctx ends when the route is revoked or the server closes; its cause says which.
	ctx  context.Context
	stop context.CancelCauseFunc

	// running is guarded by the registry's lock.
	running int
}

// session is what the registry knows of one key.
type session struct {
	current *route
	// pending were registered and not committed, draining were replaced and still answer.
	pending, draining map[*route]struct{}
	sealKey           []byte
}

// registry finds routes by the digest of their token.
type registry struct {
	mu         sync.RWMutex
	byDigest   map[digest]*route
	sessions   map[key]*session
	generation uint64
	closed     bool
}

func newRegistry() *registry {
	return &registry{byDigest: make(map[digest]*route), sessions: make(map[key]*session)}
}

// add takes a route as pending.
func (g *registry) add(r *route) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return ErrClosed
	}
	s := g.sessions[r.key]
	if s == nil {
		s = &session{
			pending: make(map[*route]struct{}), draining: make(map[*route]struct{}), sealKey: r.sealKey,
		}
		g.sessions[r.key] = s
	}
	g.generation++
	r.generation = g.generation
	// What one generation sealed the next one must be able to read.
	r.sealKey = s.sealKey
	s.pending[r] = struct{}{}
	return nil
}

// commit puts a pending route in the place of the current one. Requests that run on the old one go on.
func (g *registry) commit(r *route) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sessions[r.key]
	if s == nil {
		return ErrStale
	}
	if s.current == r {
		return nil
	}
	if _, ok := s.pending[r]; !ok {
		return ErrStale
	}
	delete(s.pending, r)
	old := s.current
	if old != nil && old.generation > r.generation {
		r.stop(errRevoked)
		return ErrStale
	}
	if old != nil {
		delete(g.byDigest, old.digest)
		if old.running > 0 {
			s.draining[old] = struct{}{}
		} else {
			old.stop(errRevoked)
		}
	}
	s.current = r
	g.byDigest[r.digest] = r
	return nil
}

// discard forgets a pending route. It reports whether there was one.
func (g *registry) discard(r *route) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sessions[r.key]
	if s == nil {
		return false
	}
	if _, ok := s.pending[r]; !ok {
		return false
	}
	delete(s.pending, r)
	r.stop(errRevoked)
	g.tidy(r.key, s)
	return true
}

// end revokes one route in whatever state it is. It reports whether it was known.
func (g *registry) end(r *route) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sessions[r.key]
	if s == nil {
		return false
	}
	_, pending := s.pending[r]
	_, draining := s.draining[r]
	if s.current != r && !pending && !draining {
		return false
	}
	if s.current == r {
		s.current = nil
		delete(g.byDigest, r.digest)
	}
	delete(s.pending, r)
	delete(s.draining, r)
	r.stop(errRevoked)
	g.tidy(r.key, s)
	return true
}

// revoke ends every route of a session.
func (g *registry) revoke(k key) (generation uint64, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.sessions[k]
	if s == nil {
		return 0, false
	}
	delete(g.sessions, k)
	if s.current != nil {
		generation = s.current.generation
	}
	g.stopAll(s, errRevoked)
	return generation, true
}

// close ends every route for good.
func (g *registry) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	for k, s := range g.sessions {
		g.stopAll(s, errClosing)
		delete(g.sessions, k)
	}
}

func (g *registry) stopAll(s *session, cause error) {
	if s.current != nil {
		delete(g.byDigest, s.current.digest)
		s.current.stop(cause)
	}
	for r := range s.pending {
		r.stop(cause)
	}
	for r := range s.draining {
		r.stop(cause)
	}
}

// find gives the route of a token. The map narrows the search down by digest, which tells nothing about the token; the
// comparison that decides takes the same time for every digest.
func (g *registry) find(token string) *route {
	d := digestOf(token)
	g.mu.RLock()
	r := g.byDigest[d]
	g.mu.RUnlock()
	if r == nil || subtle.ConstantTimeCompare(r.digest[:], d[:]) != 1 {
		return nil
	}
	return r
}

// enter counts a request in. A route that is no longer current is not entered: its token died in the meantime.
func (g *registry) enter(r *route, limit int) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if s := g.sessions[r.key]; s == nil || s.current != r {
		return errBadToken
	}
	if r.running >= limit {
		return errBusy
	}
	r.running++
	return nil
}

// leave counts a request out.
func (g *registry) leave(r *route) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.running--
	s := g.sessions[r.key]
	if s == nil || r.running > 0 {
		return
	}
	if _, ok := s.draining[r]; ok {
		delete(s.draining, r)
		r.stop(errRevoked)
		g.tidy(r.key, s)
	}
}

// tidy drops a session of which nothing is left.
func (g *registry) tidy(k key, s *session) {
	if s.current == nil && len(s.pending) == 0 && len(s.draining) == 0 {
		delete(g.sessions, k)
	}
}

// size is the number of live routes.
func (g *registry) size() int {
	g.mu.RLock()
	defer g.mu.RUnlock()
	return len(g.byDigest)
}
