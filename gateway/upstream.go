package gateway

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
)

const (
	userAgent = "greenroom-gateway"
	// readBuffer is what is read of an upstream at a time, writeBuffer what a request is written in; what a request does
	// not find there goes past it. Both live as long as a stream: more would be felt in the memory of a thousand, and was
	// not in their speed.
	readBuffer, writeBuffer = 4 << 10, 2 << 10
)

var errPayloadGone = errors.New("gateway: the request is gone")

// newTransport makes the one transport of a server. Its RoundTrip follows no redirect, keeps no cookie and, because
// every request names what it accepts, decodes nothing by itself.
func newTransport(cfg Config) *http.Transport {
	dialer := &net.Dialer{Timeout: cfg.Timeouts.Connect, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			if cfg.Proxy == nil || isLoopback(r.URL) {
				return nil, nil
			}
			return cfg.Proxy(r)
		},
		DialContext:            dialer.DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: cfg.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    cfg.Timeouts.TLS,
		ResponseHeaderTimeout:  cfg.Timeouts.Headers,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           cfg.Limits.Requests * 2,
		MaxIdleConnsPerHost:    cfg.Limits.Requests,
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         readBuffer,
		WriteBufferSize:        writeBuffer,
		ForceAttemptHTTP2:      true,
	}
}

// payload is the body of a request to an upstream. It lets go of the bytes once they are sent and answered: a stream
// may run for an hour, and the transport keeps the request alive as long. An upstream may answer before it has read
// everything, so an answer alone is no reason to stop sending.
type payload struct {
	mu             sync.Mutex
	bytes          []byte
	sent, answered bool
}

type payloadReader struct {
	of *payload
	at int
}

// reader starts at the beginning; the transport asks for another one when a connection broke before it was used.
func (p *payload) reader() (io.ReadCloser, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bytes == nil {
		return nil, errPayloadGone
	}
	return &payloadReader{of: p}, nil
}

func (p *payload) answer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.answered = true
	p.release()
}

func (p *payload) release() {
	if p.sent && p.answered {
		p.bytes = nil
	}
}

func (r *payloadReader) Read(b []byte) (int, error) {
	p := r.of
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.at == len(p.bytes) || p.bytes == nil {
		return 0, io.EOF
	}
	n := copy(b, p.bytes[r.at:])
	r.at += n
	if r.at == len(p.bytes) {
		p.sent = true
		p.release()
		return n, io.EOF
	}
	return n, nil
}

func (r *payloadReader) Close() error { return nil }

// send does one request. It is sent again only if a connection that was kept from an earlier request turns out to be
// dead without a byte of an answer.
func (s *Server) send(ctx context.Context, to *url.URL, body []byte, header http.Header) (*http.Response, error) {
	for attempt := 0; ; attempt++ {
		var reused atomic.Bool
		trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused.Store(i.Reused) }}
		req := (&http.Request{
			Method: http.MethodPost, URL: to, Host: to.Host, Header: header,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(len(body)),
		}).WithContext(httptrace.WithClientTrace(ctx, trace))
		p := &payload{bytes: body}
		var err error
		if req.Body, err = p.reader(); err != nil {
			return nil, err
		}
		req.GetBody = p.reader
		resp, err := s.transport.RoundTrip(req)
		if err == nil {
			p.answer()
			return resp, nil
		}
		if attempt > 0 || ctx.Err() != nil || !reused.Load() || !neverReached(err) {
			return nil, err
		}
		s.counters.resent.Add(1)
	}
}

// neverReached says whether an error is what a connection gives that the other side had closed before.
func neverReached(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) ||
		errors.Is(err, syscall.EPIPE) || err.Error() == "http: server closed idle connection"
}

// upstreamHeader builds the headers of a request afresh. Nothing of the client's is in them.
func (rt *route) upstreamHeader(stream bool) http.Header {
	h := make(http.Header, 6+len(rt.Headers))
	for k, v := range rt.Headers {
		h.Set(k, v)
	}
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	if stream {
		h.Set("Accept", "text/event-stream")
	}
	h.Set("Accept-Encoding", "identity")
	if h.Get("User-Agent") == "" {
		h.Set("User-Agent", userAgent)
	}
	switch {
	case rt.APIKey == "":
	case rt.Auth == AuthAPIKey:
		h.Set("X-Api-Key", rt.APIKey)
	default:
		h.Set("Authorization", "Bearer "+rt.APIKey)
	}
	return h
}

// decodedBody gives the body of an answer as it was meant: some upstreams compress whatever they are asked.
func decodedBody(resp *http.Response, limit int64) (io.ReadCloser, error) {
	encoding := contentEncoding(resp.Header)
	if encoding == "" {
		return resp.Body, nil
	}
	d, err := decoder(encoding, resp.Body, limit)
	if err != nil {
		return nil, err
	}
	return &nested{ReadCloser: d, outer: resp.Body}, nil
}

type nested struct {
	io.ReadCloser
	outer io.Closer
}

func (n *nested) Close() error {
	return errors.Join(n.ReadCloser.Close(), n.outer.Close())
}

// refusals are the optional fields that an upstream refused before.
type refusals struct{ fields atomic.Uint32 }

func (r *refusals) get() dialect.Fields { return dialect.Fields(r.fields.Load()) }

func (r *refusals) add(f dialect.Fields) { r.fields.Or(uint32(f)) }
