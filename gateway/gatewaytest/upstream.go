package gatewaytest

import (
	"bytes"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"time"
)

// Request is one request as it reached the upstream.
type Request struct {
	Method, Path, Query, Host string
	Header                    http.Header
	Body                      []byte
	// Remote is the address of the connection, to see which requests shared one.
	Remote string
	// Gone is closed when the gateway gave the request up, or when it was answered.
	Gone <-chan struct{}
}

// Upstream is a server that answers by a script.
type Upstream struct {
	srv *httptest.Server

	mu       sync.Mutex
	script   []Answer
	choose   func(Request) Answer
	requests []Request

	active atomic.Int64
}

// Start serves a script on a free port of 127.0.0.1. The last answer is repeated.
func Start(script ...Answer) *Upstream {
	u := &Upstream{script: script}
	u.srv = httptest.NewUnstartedServer(http.HandlerFunc(u.serve))
	u.srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	u.srv.Start()
	return u
}

// StartFunc serves what choose says for each request.
func StartFunc(choose func(Request) Answer) *Upstream {
	u := Start()
	u.mu.Lock()
	u.choose = choose
	u.mu.Unlock()
	return u
}

// URL is the base URL, without /v1.
func (u *Upstream) URL() string { return u.srv.URL }

// Close ends every connection and waits for the answers that are being given.
func (u *Upstream) Close() {
	u.srv.CloseClientConnections()
	u.srv.Close()
}

// Script replaces what is left of the script.
func (u *Upstream) Script(script ...Answer) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.script, u.choose = script, nil
}

// Requests gives the requests so far, in the order of their arrival.
func (u *Upstream) Requests() []Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]Request(nil), u.requests...)
}

// Hits is the number of requests so far.
func (u *Upstream) Hits() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.requests)
}

// Last gives the newest request; the zero Request if there was none.
func (u *Upstream) Last() Request {
	u.mu.Lock()
	defer u.mu.Unlock()
	if len(u.requests) == 0 {
		return Request{}
	}
	return u.requests[len(u.requests)-1]
}

// Active is the number of requests being answered now.
func (u *Upstream) Active() int { return int(u.active.Load()) }

func (u *Upstream) serve(w http.ResponseWriter, r *http.Request) {
	u.active.Add(1)
	defer u.active.Add(-1)
	var body bytes.Buffer
	if _, err := io.Copy(&body, r.Body); err != nil {
		return
	}
	req := Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Host: r.Host, Header: r.Header.Clone(),
		Body: body.Bytes(), Remote: r.RemoteAddr, Gone: r.Context().Done(),
	}
	u.mu.Lock()
	u.requests = append(u.requests, req)
	choose := u.choose
	answer := Status(http.StatusNotImplemented, `{"error":{"message":"the script is empty"}}`)
	if choose == nil && len(u.script) > 0 {
		answer = u.script[0]
		if len(u.script) > 1 {
			u.script = u.script[1:]
		}
	}
	u.mu.Unlock()
	if choose != nil {
		answer = choose(req)
	}
	answer.play(w, r)
}

func (a Answer) play(w http.ResponseWriter, r *http.Request) {
	rc := http.NewResponseController(w)
	for k, v := range a.Header {
		w.Header()[http.CanonicalHeaderKey(k)] = v
	}
	if a.Delay > 0 && !pause(r, a.Delay) {
		return
	}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	w.WriteHeader(a.Status)
	if !a.HoldHeader && rc.Flush() != nil {
		return
	}
	for _, s := range a.Steps {
		switch {
		case s.Cut:
			cut(rc)
			return
		case s.Stall:
			<-r.Context().Done()
			return
		case s.Until != nil:
			select {
			case <-s.Until:
			case <-r.Context().Done():
				return
			}
		case s.Pause > 0:
			if !pause(r, s.Pause) {
				return
			}
		}
		if s.Send != nil {
			if _, err := w.Write(s.Send); err != nil {
				return
			}
		}
		if !s.Hold && rc.Flush() != nil {
			return
		}
	}
}

func pause(r *http.Request, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// cut resets the connection, as a crashed server or a broken network does.
func cut(rc *http.ResponseController) {
	conn, _, err := rc.Hijack()
	if err != nil {
		return
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
