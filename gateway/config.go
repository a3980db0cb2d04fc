package gateway

import (
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Config says how to serve. The zero value is ready for use.
type Config struct {
	// Address is what to listen on: a loopback IP address and a port. "" is 127.0.0.1:0, a free port.
	Address string
	// PassthroughAddress is what the passthrough listener listens on. "" means there is none.
	PassthroughAddress string
	Limits             Limits
	Timeouts           Timeouts
	// Proxy chooses the proxy for a request to an upstream, such as http.ProxyFromEnvironment. nil is none. A loopback
	// upstream is never reached through a proxy.
	Proxy func(*http.Request) (*url.URL, error)
	// RootCAs verifies upstreams; nil is the system's set.
	RootCAs *x509.CertPool
	// Observer is told of every request; nil is none.
	Observer Observer
	// Now is the clock for timestamps in answers and events; nil is time.Now.
	Now func() time.Time
	// Random is where tokens and ids come from; nil is the system's source.
	Random io.Reader
}

// Limits bound what a request may use. Zero values stand for the defaults named here; sizes are in bytes.
type Limits struct {
	// RequestBody is the size of a request, counted after decoding. Default 32 MiB.
	RequestBody int64
	// ErrorBody is how much of an upstream's error is read. Default 1 MiB.
	ErrorBody int64
	// StreamLine, StreamEvent and Response bound a line, an event and the whole of an upstream's answer. Default
	// 8 MiB, 16 MiB and 256 MiB.
	StreamLine, StreamEvent, Response int64
	// RouteRequests is how many requests of one route may run at a time; sub-agents share one. Default 16.
	RouteRequests int
	// Requests is how many requests may run at a time. Default 64.
	Requests int
}

// Timeouts bound how long a request may stand still. None bounds a request that makes progress. Zero values stand
// for the defaults named here.
type Timeouts struct {
	// RequestBody is the time without a byte of the request's body. Default 60 s.
	RequestBody time.Duration
	// Connect and TLS bound the way to the upstream. Default 30 s and 15 s.
	Connect, TLS time.Duration
	// Headers is the time from the request to the upstream's headers; local models read long prompts slowly.
	// Default 300 s.
	Headers time.Duration
	// FirstByte is the time from the headers to the first byte behind them, Idle the time between two bytes.
	// Default 300 s each.
	FirstByte, Idle time.Duration
	// Finish is the time that is left to an upstream that has said why it finished and does not end the stream.
	// Default 5 s.
	Finish time.Duration
	// Write is the time that one write to the client may take. Default 60 s.
	Write time.Duration
	// Commit is how long the status is held back for the first event of a stream, so that an early failure can still
	// be told by status. Default 2 s.
	Commit time.Duration
	// KeepAlive is the time without an event after which the client gets one that says nothing. Default 15 s.
	KeepAlive time.Duration
	// Close is how long Close waits for requests that were told to end. Default 5 s.
	Close time.Duration
}

func (c Config) withDefaults() Config {
	if c.Address == "" {
		c.Address = "127.0.0.1:0"
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Random == nil {
		c.Random = rand.Reader
	}
	l, t := &c.Limits, &c.Timeouts
	defaultTo(&l.RequestBody, 32<<20)
	defaultTo(&l.ErrorBody, 1<<20)
	defaultTo(&l.StreamLine, 8<<20)
	defaultTo(&l.StreamEvent, 16<<20)
	defaultTo(&l.Response, 256<<20)
	defaultTo(&l.RouteRequests, 16)
	defaultTo(&l.Requests, 64)
	defaultTo(&t.RequestBody, 60*time.Second)
	defaultTo(&t.Connect, 30*time.Second)
	defaultTo(&t.TLS, 15*time.Second)
	defaultTo(&t.Headers, 300*time.Second)
	defaultTo(&t.FirstByte, 300*time.Second)
	defaultTo(&t.Idle, 300*time.Second)
	defaultTo(&t.Finish, 5*time.Second)
	defaultTo(&t.Write, 60*time.Second)
	defaultTo(&t.Commit, 2*time.Second)
	defaultTo(&t.KeepAlive, 15*time.Second)
	defaultTo(&t.Close, 5*time.Second)
	return c
}

func defaultTo[T int | int64 | time.Duration](v *T, d T) {
	if *v <= 0 {
		*v = d
	}
}

// listen opens a listener on a loopback IP address. A name is refused: what it resolves to is not ours to decide.
func listen(address string) (net.Listener, error) {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, errors.New("gateway: the address is not an IP address and a port")
	}
	if !ap.Addr().IsLoopback() || ap.Addr().Is4In6() || ap.Addr().Zone() != "" {
		return nil, errors.New("gateway: the address is not a loopback address")
	}
	l, err := net.Listen("tcp", ap.String())
	if err != nil {
		return nil, fmt.Errorf("gateway: listen: %w", err)
	}
	if got, ok := l.Addr().(*net.TCPAddr); !ok || !got.IP.IsLoopback() {
		_ = l.Close()
		return nil, errors.New("gateway: the listener is not on a loopback address")
	}
	return l, nil
}
