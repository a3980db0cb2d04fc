package gateway

import (
	"context"
	"net/http"

	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// guard refuses what a web page or a foreign host name can bring about, whatever token it holds: a request for
// another host (DNS rebinding) and one that a browser sends for a page.
func (l *listener) guard(r *http.Request) *responses.Error {
	// Clients leave out the port that http has anyway.
	ours := r.Host == l.host || r.Host+":80" == l.host
	if _, ok := r.Header["Origin"]; ok || !ours {
		return refusal(http.StatusForbidden, codeForbidden, "The request does not come from a local client")
	}
	return nil
}

// admit finds the route of a request and counts it in, or says why not. leave is to be called at the end.
func (s *Server) admit(kind Kind, token string, ok bool) (rt *route, leave func(), refused *responses.Error) {
	if ok {
		rt = s.routes.find(token)
	}
	if rt == nil || rt.Kind != kind {
		return nil, nil, errToken()
	}
	select {
	case s.running <- struct{}{}:
	default:
		return rt, nil, errTooMany()
	}
	switch err := s.routes.enter(rt, s.cfg.Limits.RouteRequests); err {
	case nil:
	case errBusy:
		<-s.running
		return rt, nil, errTooMany()
	default:
		<-s.running
		return nil, nil, errToken()
	}
	s.counters.active.Add(1)
	return rt, func() {
		s.counters.active.Add(-1)
		s.routes.leave(rt)
		<-s.running
	}, nil
}

// bind gives the context of a request: it ends with the client's connection and with the route.
func (rt *route) bind(parent context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	stop := context.AfterFunc(rt.ctx, func() { cancel(context.Cause(rt.ctx)) })
	return ctx, func(cause error) {
		stop()
		cancel(cause)
	}
}
