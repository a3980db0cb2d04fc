package gateway_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

const secret = "upstream-secret-0123456789"

// bench is a gateway with one route to a scripted upstream.
type bench struct {
	t        testing.TB
	gw       *gateway.Server
	up       *gatewaytest.Upstream
	handle   *gateway.Handle
	observer *recorder
}

type recorder struct {
	mu     sync.Mutex
	events []gateway.Event
}

func (r *recorder) Observe(e gateway.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.events = append(r.events, e)
}

func (r *recorder) last(kind gateway.EventKind) (gateway.Event, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := len(r.events) - 1; i >= 0; i-- {
		if r.events[i].Kind == kind {
			return r.events[i], true
		}
	}
	return gateway.Event{}, false
}

func start(t testing.TB, cfg gateway.Config, script ...gatewaytest.Answer) *bench {
	t.Helper()
	b := &bench{t: t, observer: &recorder{}}
	b.up = gatewaytest.Start(script...)
	t.Cleanup(b.up.Close)
	if cfg.Observer == nil {
		cfg.Observer = b.observer
	}
	gw, err := gateway.Listen(cfg)
	if err != nil {
		t.Fatal(err)
	}
	b.gw = gw
	t.Cleanup(func() {
		if err := gw.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	b.handle = b.register(b.route())
	if err := b.handle.Commit(); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) route() gateway.Route {
	return gateway.Route{Workspace: "w", Session: "s", BaseURL: b.up.URL(), APIKey: secret, Models: []string{"m"}}
}

func (b *bench) register(r gateway.Route) *gateway.Handle {
	b.t.Helper()
	h, err := b.gw.Register(r)
	if err != nil {
		b.t.Fatal(err)
	}
	return h
}

// recommit replaces the route by a changed one.
func (b *bench) recommit(change func(*gateway.Route)) {
	b.t.Helper()
	r := b.route()
	change(&r)
	b.handle = b.register(r)
	if err := b.handle.Commit(); err != nil {
		b.t.Fatal(err)
	}
}

const turn = `{"model":"m","stream":true,"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}]}`

func (b *bench) request(ctx context.Context, body string) *http.Request {
	b.t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, b.gw.BaseURL()+"/responses", strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+b.handle.Token())
	r.Header.Set("Content-Type", "application/json")
	return r
}

// reply is an answer that was read to its end.
type reply struct {
	status int
	header http.Header
	body   string
	err    error
}

func (b *bench) do(r *http.Request) reply {
	b.t.Helper()
	tr := &http.Transport{DisableCompression: true}
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(r)
	if err != nil {
		b.t.Fatal(err)
	}
	return readReply(resp)
}

func readReply(resp *http.Response) reply {
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, string(body), err}
}

func (b *bench) turn() reply { return b.do(b.request(context.Background(), turn)) }

func (b *bench) post(body string) reply { return b.do(b.request(context.Background(), body)) }

// code gives the code of an error answer.
func (r reply) code() string {
	var e struct {
		Error struct{ Code string }
	}
	_ = json.Unmarshal([]byte(r.body), &e)
	return e.Error.Code
}

func (r reply) message() string {
	var e struct {
		Error struct{ Message string }
	}
	_ = json.Unmarshal([]byte(r.body), &e)
	return e.Error.Message
}

// event is one event of a stream.
type event struct {
	Type string
	Raw  json.RawMessage
}

func (r reply) events(t testing.TB) []event {
	t.Helper()
	var all []event
	sc := bufio.NewScanner(strings.NewReader(r.body))
	sc.Buffer(nil, 64<<20)
	for sc.Scan() {
		if data, ok := strings.CutPrefix(sc.Text(), "data: "); ok {
			var e event
			if err := json.Unmarshal([]byte(data), &e); err != nil {
				t.Fatal(err)
			}
			e.Raw = json.RawMessage(data)
			all = append(all, e)
		}
	}
	return all
}

// final gives the terminal event of a stream that follows the grammar.
func (r reply) final(t testing.TB) event {
	t.Helper()
	if r.status != http.StatusOK {
		t.Fatalf("status %d: %s", r.status, r.body)
	}
	if err := responses.Validate([]byte(r.body)); err != nil {
		t.Fatalf("%v\n%s", err, r.body)
	}
	all := r.events(t)
	return all[len(all)-1]
}

func (e event) get(path ...any) any {
	var v any
	_ = json.Unmarshal(e.Raw, &v)
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[p]
		case int:
			l, _ := v.([]any)
			if p >= len(l) {
				return nil
			}
			v = l[p]
		}
	}
	return v
}

// failure gives the code of a stream that failed.
func (r reply) failure(t testing.TB) string {
	t.Helper()
	e := r.final(t)
	if e.Type != "response.failed" {
		t.Fatalf("ended in %s: %s", e.Type, r.body)
	}
	code, _ := e.get("response", "error", "code").(string)
	return code
}

// text gives all text of a stream.
func (r reply) text(t testing.TB) string {
	t.Helper()
	var b bytes.Buffer
	for _, e := range r.events(t) {
		if e.Type == "response.output_text.delta" {
			s, _ := e.get("delta").(string)
			b.WriteString(s)
		}
	}
	return b.String()
}

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatal("never: " + what)
}

func localListener(t testing.TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}
