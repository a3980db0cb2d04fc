package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// The benchmarks and the load test use a client and an upstream of their own that write prepared bytes and allocate
// nothing for an event, so that what is measured is the gateway.

// wireUpstream answers every request with the same chunked stream, one write for each event.
type wireUpstream struct {
	l      net.Listener
	events [][]byte
	pause  time.Duration                 // before each event
	hold   atomic.Pointer[chan struct{}] // waited for before what is behind the last delta
	eager  atomic.Bool                   // answers before it has read the request's body
}

func startWire(t testing.TB, events [][]byte, pause time.Duration) *wireUpstream {
	t.Helper()
	u := &wireUpstream{l: localListener(t), pause: pause}
	for _, e := range events {
		u.events = append(u.events, []byte(fmt.Sprintf("%x\r\n%s\r\n", len(e), e)))
	}
	t.Cleanup(func() { _ = u.l.Close() })
	go func() {
		for {
			c, err := u.l.Accept()
			if err != nil {
				return
			}
			go u.serve(c)
		}
	}()
	return u
}

func (u *wireUpstream) url() string { return "http://" + u.l.Addr().String() }

func (u *wireUpstream) serve(c net.Conn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		size, ok := readHead(r)
		if !ok {
			return
		}
		eager := u.eager.Load()
		if !eager && !skip(r, size) {
			return
		}
		if _, err := io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"); err != nil {
			return
		}
		for i, e := range u.events {
			if hold := u.hold.Load(); hold != nil && i == len(u.events)-3 {
				<-*hold
			}
			if u.pause > 0 {
				time.Sleep(u.pause)
			}
			if _, err := c.Write(e); err != nil {
				return
			}
		}
		if _, err := io.WriteString(c, "0\r\n\r\n"); err != nil {
			return
		}
		if eager && !skip(r, size) {
			return
		}
	}
}

func skip(r *bufio.Reader, size int) bool {
	_, err := r.Discard(size)
	return err == nil
}

// readHead reads the head of one request and gives the size of its body.
func readHead(r *bufio.Reader) (size int, ok bool) {
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, false
		}
		if len(line) <= 2 {
			return size, true
		}
		if n, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			size = 0
			for _, d := range bytes.TrimSpace(n) {
				size = size*10 + int(d-'0')
			}
		}
	}
}

// wireClient is one connection on which prepared requests are sent.
type wireClient struct {
	c       net.Conn
	request []byte
	buf     []byte
}

func dialWire(t testing.TB, base, token, body string) *wireClient {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &wireClient{c: c, request: []byte(fmt.Sprintf(
		"POST /v1/responses HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
		u.Host, token, len(body), body))}
}

var (
	deltaMark = []byte("response.output_text.delta")
	lastChunk = []byte("0\r\n\r\n")
)

// turn sends the request and reads to the end of the stream.
func (w *wireClient) turn() (first, total time.Duration, err error) {
	began := time.Now()
	if _, err := w.c.Write(w.request); err != nil {
		return 0, 0, err
	}
	w.buf = w.buf[:0]
	for {
		if len(w.buf) == cap(w.buf) {
			w.buf = append(make([]byte, 0, max(1<<20, 2*cap(w.buf))), w.buf...)
		}
		n, err := w.c.Read(w.buf[len(w.buf):cap(w.buf)])
		if err != nil {
			return 0, 0, err
		}
		from := max(0, len(w.buf)-len(deltaMark))
		w.buf = w.buf[:len(w.buf)+n]
		if first == 0 && bytes.Contains(w.buf[from:], deltaMark) {
			first = time.Since(began)
		}
		if bytes.HasSuffix(w.buf, lastChunk) {
			total = time.Since(began)
			if first == 0 {
				first = total
			}
			return first, total, nil
		}
	}
}

// chatEvents is a stream of n deltas.
func chatEvents(n int) [][]byte {
	all := [][]byte{[]byte("data: " + gatewaytest.Chunk(`{"role":"assistant","content":""}`) + "\n\n")}
	for i := range n {
		all = append(all, []byte("data: "+gatewaytest.Delta(fmt.Sprintf(" word%d", i))+"\n\n"))
	}
	for _, p := range []string{gatewaytest.Finish("stop"), gatewaytest.Usage(100, n), "[DONE]"} {
		all = append(all, []byte("data: "+p+"\n\n"))
	}
	return all
}

// pair is a gateway in front of Chat bytes, and a plain forwarder in front of the Responses bytes that the gateway
// makes of them.
type pair struct {
	// direct asks the forwarder's upstream without anything between.
	gateway, forward, direct func(testing.TB, string) *wireClient
	server                   *gateway.Server
	register                 func(session string) *gateway.Handle
}

func startPair(t testing.TB, events [][]byte, pause time.Duration, routes int) *pair {
	t.Helper()
	return newPair(t, startWire(t, events, pause), routes, func(answer [][]byte) *wireUpstream {
		return startWire(t, answer, pause)
	})
}

// startPairHeld is a pair whose upstreams stop behind the last delta until the end of the test.
func startPairHeld(t testing.TB, events [][]byte) *pair {
	t.Helper()
	hold := make(chan struct{})
	chat := startWire(t, events, 0)
	var plain *wireUpstream
	p := newPair(t, chat, 1, func(answer [][]byte) *wireUpstream {
		plain = startWire(t, answer, 0)
		return plain
	})
	chat.hold.Store(&hold)
	plain.hold.Store(&hold)
	t.Cleanup(func() { close(hold) })
	return p
}

func newPair(t testing.TB, chat *wireUpstream, routes int, other func([][]byte) *wireUpstream) *pair {
	t.Helper()
	gw, err := gateway.Listen(gateway.Config{Limits: gateway.Limits{Requests: 4096, RouteRequests: 4096}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close(context.Background()) })
	register := func(session string) *gateway.Handle {
		h, err := gw.Register(gateway.Route{Workspace: "w", Session: session, BaseURL: chat.url(), APIKey: secret})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Commit(); err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := register("s")
	for i := range routes - 1 {
		register(fmt.Sprint("other", i))
	}
	p := &pair{server: gw, register: register}
	p.gateway = func(t testing.TB, body string) *wireClient { return dialWire(t, gw.BaseURL(), h.Token(), body) }

	// What the gateway answers is what the forwarder's upstream sends.
	b := &bench{t: t, gw: gw, handle: h}
	plain := other(grouped(b.turn().body)).url()
	forward := startForward(t, plain)
	p.direct = func(t testing.TB, body string) *wireClient { return dialWire(t, plain, "x", body) }
	p.forward = func(t testing.TB, body string) *wireClient {
		return dialWire(t, forward, "x", body)
	}
	return p
}

// startForward starts a plain forwarder and gives its URL. It reads a request whole before it sends it on: without
// that it breaks streams whose upstream answers early.
func startForward(t testing.TB, upstream string) string {
	t.Helper()
	target, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		FlushInterval: -1,
		Transport:     &http.Transport{MaxIdleConnsPerHost: 4096},
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(target) },
	}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(w, r)
	})}
	l := localListener(t)
	go func() { _ = srv.Serve(l) }()
	t.Cleanup(func() { _ = srv.Close() })
	return "http://" + l.Addr().String()
}

// grouped cuts a stream of the gateway into the pieces that it made of one chunk each: what leads up to a delta goes
// with it. What is behind the last delta comes of the last three chunks.
func grouped(stream string) [][]byte {
	var all [][]byte
	var piece []byte
	for _, block := range strings.SplitAfter(stream, "\n\n") {
		piece = append(piece, block...)
		if strings.HasPrefix(block, "event: response.in_progress") || strings.HasPrefix(block, "event: response.output_text.delta") {
			all, piece = append(all, piece), nil
		}
	}
	third := len(piece) / 3
	return append(all, piece[:third], piece[third:2*third], piece[2*third:])
}

// round lets every client do one turn at the same time and gives the medians.
func round(t testing.TB, clients []*wireClient) (first, total time.Duration) {
	t.Helper()
	firsts, totals := make([]time.Duration, len(clients)), make([]time.Duration, len(clients))
	var wg sync.WaitGroup
	for i, c := range clients {
		wg.Go(func() {
			f, all, err := c.turn()
			if err != nil {
				t.Error(err)
			}
			firsts[i], totals[i] = f, all
		})
	}
	wg.Wait()
	return median(firsts), median(totals)
}

func median(d []time.Duration) time.Duration {
	s := slices.Clone(d)
	slices.Sort(s)
	return s[len(s)/2]
}
