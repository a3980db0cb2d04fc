package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// TestSoak_Streams keeps 1,000 streams going for the time that GREENROOM_SOAK says, while clients go away, upstreams
// stall and reset, and routes are replaced and revoked.
func TestSoak_Streams(t *testing.T) {
	length, err := time.ParseDuration(os.Getenv("GREENROOM_SOAK"))
	if err != nil {
		t.Skip("GREENROOM_SOAK does not say how long")
	}
	load(t, 1000, 100, length)
}

// TestStreamsUnderLoad is the same with few streams and little time.
func TestStreamsUnderLoad(t *testing.T) {
	load(t, 60, 10, time.Second)
}

// keyOf is the credential of a route; the upstream says in every text whose credential it got.
func keyOf(route int) string { return fmt.Sprintf("load-credential-%06d", route) }

// moody answers with a text that names the route, and in one of many ways to fail.
func moody(w http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	route := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer load-credential-")
	rc := http.NewResponseController(w)
	send := func(payload string) bool {
		_, err := io.WriteString(w, "data: "+payload+"\n\n")
		return err == nil && rc.Flush() == nil
	}
	mood := rand.IntN(20)
	if mood == 0 {
		http.Error(w, `{"error":{"message":"route `+route+` is overloaded"}}`, 503)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	n := 1 + rand.IntN(30)
	for i := range n {
		if !send(gatewaytest.Delta(fmt.Sprintf("[%s:%d]", route, i))) {
			return
		}
		switch {
		case i < n/2:
		case mood == 1: // reset
			if conn, _, err := rc.Hijack(); err == nil {
				if tcp, ok := conn.(*net.TCPConn); ok {
					_ = tcp.SetLinger(0)
				}
				_ = conn.Close()
			}
			return
		case mood == 2: // end in the middle
			return
		case mood == 3: // stall
			<-r.Context().Done()
			return
		case mood == 4:
			_ = send(`{"error":{"message":"route ` + route + ` broke"}}`)
			return
		}
		if mood >= 15 {
			time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		}
	}
	if send(gatewaytest.Finish("stop")) && send(gatewaytest.Usage(1, n)) {
		_ = send("[DONE]")
	}
}

// loaded is one session of the load test: its token changes now and then.
type loaded struct {
	mu     sync.Mutex
	handle *gateway.Handle
	old    []string // dead tokens
}

func load(t *testing.T, streams, sessions int, length time.Duration) {
	settled := runtime.NumGoroutine()
	up := &http.Server{Handler: http.HandlerFunc(moody)}
	l := localListener(t)
	go func() { _ = up.Serve(l) }()
	gw, err := gateway.Listen(gateway.Config{
		Limits:   gateway.Limits{Requests: 2 * streams, RouteRequests: 2 * streams},
		Timeouts: gateway.Timeouts{Idle: 2 * time.Second, FirstByte: 5 * time.Second, Headers: 20 * time.Second, KeepAlive: 200 * time.Millisecond, Commit: 50 * time.Millisecond},
	})
	if err != nil {
		t.Fatal(err)
	}
	register := func(i int) *gateway.Handle {
		h, err := gw.Register(gateway.Route{Workspace: "w", Session: fmt.Sprint(i), BaseURL: "http://" + l.Addr().String(), APIKey: keyOf(i)})
		if err != nil {
			t.Error(err)
			return nil
		}
		if err := h.Commit(); err != nil && !errors.Is(err, gateway.ErrStale) {
			t.Error(err)
		}
		return h
	}
	all := make([]*loaded, sessions)
	for i := range all {
		all[i] = &loaded{handle: register(i)}
	}
	client := &http.Transport{MaxIdleConnsPerHost: streams, DisableCompression: true}
	ctx, stop := context.WithTimeout(context.Background(), length)
	defer stop()
	var wg sync.WaitGroup
	var tally outcomes
	for range streams {
		wg.Go(func() {
			for ctx.Err() == nil {
				i := rand.IntN(sessions)
				all[i].turn(t, gw, client, i, &tally)
			}
		})
	}
	wg.Go(func() {
		for ctx.Err() == nil {
			i := rand.IntN(sessions)
			s := all[i]
			s.mu.Lock()
			s.old = append(s.old, s.handle.Token())
			if rand.IntN(4) == 0 {
				gw.Revoke("w", fmt.Sprint(i))
			}
			s.handle = register(i)
			s.mu.Unlock()
			time.Sleep(20 * time.Millisecond)
		}
	})
	wg.Wait()
	client.CloseIdleConnections()
	c := gw.Counters()
	if c.Active != 0 || c.Panics != 0 {
		eventually(t, "no request runs", func() bool { return gw.Counters().Active == 0 })
	}
	if err := gw.Close(context.Background()); err != nil {
		t.Error(err)
	}
	_ = up.Close()
	t.Logf("%v; gateway: %v, failed %v", &tally, c.Requests, c.Failed)
	if tally.good.Load() == 0 || tally.left.Load() == 0 || c.Panics != 0 {
		t.Errorf("nothing was tried, or %d panics", c.Panics)
	}
	eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= settled })
}

type outcomes struct{ good, failed, refused, left, dead atomic.Int64 }

func (o *outcomes) String() string {
	return fmt.Sprintf("%d completed, %d failed in the stream, %d by status, %d left, %d dead tokens refused",
		o.good.Load(), o.failed.Load(), o.refused.Load(), o.left.Load(), o.dead.Load())
}

// turn does one request in one of several ways and checks what comes back.
func (s *loaded) turn(t *testing.T, gw *gateway.Server, client *http.Transport, session int, tally *outcomes) {
	s.mu.Lock()
	token, dead := s.handle.Token(), ""
	if len(s.old) > 0 && rand.IntN(20) == 0 {
		dead = s.old[rand.IntN(len(s.old))]
	}
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, gw.BaseURL()+"/responses", strings.NewReader(turn))
	if err != nil {
		t.Error(err)
		return
	}
	if dead != "" {
		token = dead
	}
	r.Header.Set("Authorization", "Bearer "+token)
	leave := time.Duration(0)
	if rand.IntN(5) == 0 {
		leave = time.Duration(rand.IntN(60)) * time.Millisecond
		time.AfterFunc(leave, cancel)
	}
	resp, err := client.RoundTrip(r)
	if err != nil {
		if ctx.Err() == nil {
			t.Errorf("no answer: %v", err)
		}
		tally.left.Add(1)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	text := string(body)
	switch {
	case dead != "":
		if resp.StatusCode != http.StatusUnauthorized && ctx.Err() == nil {
			t.Errorf("a dead token got %d", resp.StatusCode)
		}
		tally.dead.Add(1)
		return
	case err != nil:
		if ctx.Err() == nil {
			t.Errorf("cut: %v", err)
		}
		tally.left.Add(1)
		return
	case resp.StatusCode != http.StatusOK:
		// 401 comes of a route that was replaced between the look at the token and the request.
		if c := resp.StatusCode; c != 401 && c != 503 && c != 502 && c != 504 {
			t.Errorf("status %d: %s", c, text)
		}
		tally.refused.Add(1)
		return
	}
	if err := responses.Validate(body); err != nil {
		t.Errorf("%v\n%.2000s", err, text)
	}
	own := fmt.Sprintf("[%06d:", session)
	if strings.Count(text, "[0") != strings.Count(text, own) {
		t.Errorf("session %d got another's text: %.2000s", session, text)
	}
	if strings.Contains(text, "event: response.completed") {
		tally.good.Add(1)
	} else {
		tally.failed.Add(1)
	}
}
