package gateway

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/sse"
)

// Server is a running gateway.
type Server struct {
	cfg       Config
	routes    *registry
	transport *http.Transport
	counters  counters
	refusals  atomic.Uint64 // of credentials, by all upstreams
	running   chan struct{} // one element for each running request
	incoming  sse.Buffers   // of upstreams' streams
	buffers   sync.Pool     // of *[]byte, for events on their way

	responses, passthrough *listener

	once sync.Once
}

// listener is one address with what it serves.
type listener struct {
	net  net.Listener
	http *http.Server
	host string // what the Host header must be
	base string // the URL with /v1
	done chan struct{}
}

// Listen starts a gateway. It serves until Close.
func Listen(cfg Config) (*Server, error) {
	cfg = cfg.withDefaults()
	s := &Server{cfg: cfg, routes: newRegistry(), running: make(chan struct{}, cfg.Limits.Requests)}
	s.transport = newTransport(cfg)
	var err error
	if s.responses, err = s.open(cfg.Address, s.serveResponses); err != nil {
		return nil, err
	}
	if cfg.PassthroughAddress != "" {
		if s.passthrough, err = s.open(cfg.PassthroughAddress, s.servePassthrough); err != nil {
			_ = s.responses.net.Close()
			return nil, err
		}
	}
	for _, l := range []*listener{s.responses, s.passthrough} {
		if l != nil {
			go l.serve()
		}
	}
	return s, nil
}

// BaseURL is what a client of the Responses API is configured with: it ends in /v1.
func (s *Server) BaseURL() string { return s.responses.base }

// PassthroughURL is the base URL of the passthrough listener, with /v1; "" if there is none.
func (s *Server) PassthroughURL() string {
	if s.passthrough == nil {
		return ""
	}
	return s.passthrough.base
}

func (s *Server) open(address string, serve func(*listener) http.HandlerFunc) (*listener, error) {
	n, err := listen(address)
	if err != nil {
		return nil, err
	}
	l := &listener{net: &clientListener{Listener: n, buffers: &s.buffers}, host: n.Addr().String(), done: make(chan struct{})}
	l.base = "http://" + l.host + "/v1"
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	l.http = &http.Server{
		Handler:           serve(l),
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		Protocols:         protocols,
		ConnContext:       withClientConn,
		// What net/http would log are the mistakes of clients, with their addresses.
		ErrorLog:                     log.New(io.Discard, "", 0),
		DisableGeneralOptionsHandler: true,
	}
	return l, nil
}

func (l *listener) serve() {
	defer close(l.done)
	_ = l.http.Serve(l.net)
}

// Close takes no more requests, tells the running ones to end and waits until they did, until ctx is over or until
// Timeouts.Close has passed. What still runs then loses its connection. It may be repeated.
func (s *Server) Close(ctx context.Context) error {
	var err error
	s.once.Do(func() { err = s.close(ctx) })
	return err
}

func (s *Server) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeouts.Close)
	defer cancel()
	s.routes.close()
	var errs []error
	for _, l := range []*listener{s.responses, s.passthrough} {
		if l == nil {
			continue
		}
		if err := l.http.Shutdown(ctx); err != nil {
			if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) {
				err = errors.New("gateway: some requests had to be cut")
			}
			errs = append(errs, err)
			_ = l.http.Close()
		}
		<-l.done
	}
	// Whoever holds every place knows that nothing runs.
	for range cap(s.running) {
		s.running <- struct{}{}
	}
	s.transport.CloseIdleConnections()
	return errors.Join(errs...)
}
