package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func (b *bench) statusWith(token string) int {
	b.t.Helper()
	r := b.request(context.Background(), turn)
	r.Header.Set("Authorization", "Bearer "+token)
	return b.do(r).status
}

func TestG03_ReplacedTokenIsDead(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	old := b.handle.Token()
	next := b.register(b.route())
	if got := b.statusWith(next.Token()); got != 401 {
		t.Fatalf("token before commit: %d", got)
	}
	if got := b.statusWith(old); got != 200 {
		t.Fatalf("old token before commit: %d", got)
	}
	if err := next.Commit(); err != nil {
		t.Fatal(err)
	}
	if got := b.statusWith(old); got != 401 {
		t.Fatalf("old token after commit: %d", got)
	}
	if got := b.statusWith(next.Token()); got != 200 {
		t.Fatalf("new token: %d", got)
	}
	if got := b.statusWith(old); got != 401 {
		t.Fatalf("old token after the first answer: %d", got)
	}
	if old == next.Token() || len(old) != 43 {
		t.Fatalf("tokens of %d bytes", len(old))
	}
}

func TestHandleLife(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))

	dropped := b.register(b.route())
	dropped.Discard()
	dropped.Discard()
	if err := dropped.Commit(); !errors.Is(err, gateway.ErrStale) {
		t.Fatalf("commit of a discarded handle: %v", err)
	}
	if got := b.statusWith(b.handle.Token()); got != 200 {
		t.Fatalf("a discarded handle hurt the old route: %d", got)
	}

	early, late := b.register(b.route()), b.register(b.route())
	if early.Generation() >= late.Generation() {
		t.Fatal("generations do not grow")
	}
	if err := late.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := late.Commit(); err != nil {
		t.Fatalf("second commit: %v", err)
	}
	if err := early.Commit(); !errors.Is(err, gateway.ErrStale) {
		t.Fatalf("an older handle replaced a newer one: %v", err)
	}
	late.Discard()
	if got := b.statusWith(late.Token()); got != 200 {
		t.Fatalf("discard after commit: %d", got)
	}

	b.handle.Revoke() // the first one was replaced: nothing of it is left
	if got := b.statusWith(late.Token()); got != 200 {
		t.Fatalf("revoking an old generation hurt the new one: %d", got)
	}
	late.Revoke()
	if got := b.statusWith(late.Token()); got != 401 {
		t.Fatalf("after revoke: %d", got)
	}
	if b.gw.Revoke("w", "s") {
		t.Fatal("something was left to revoke")
	}
	pending := b.register(b.route())
	if !b.gw.Revoke("w", "s") {
		t.Fatal("a pending handle was not revoked")
	}
	if err := pending.Commit(); !errors.Is(err, gateway.ErrStale) {
		t.Fatalf("commit of a revoked handle: %v", err)
	}
	if got := b.gw.Counters().Routes; got != 0 {
		t.Fatalf("%d routes left", got)
	}
}

func TestRoutesDoNotMix(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	other := gatewaytest.Start(gatewaytest.Text("y"))
	t.Cleanup(other.Close)
	r := b.route()
	r.Session, r.BaseURL, r.APIKey = "s2", other.URL(), "another-secret-123"
	h := b.register(r)
	if err := h.Commit(); err != nil {
		t.Fatal(err)
	}
	req := b.request(context.Background(), turn)
	req.Header.Set("Authorization", "Bearer "+h.Token())
	if got := b.do(req).text(t); got != "y" {
		t.Fatalf("text %q", got)
	}
	if got := b.turn().text(t); got != "x" {
		t.Fatalf("text %q", got)
	}
	if other.Last().Header.Get("Authorization") != "Bearer another-secret-123" || b.up.Last().Header.Get("Authorization") != "Bearer "+secret {
		t.Fatal("credentials are mixed up")
	}
	// "a"+"bc" and "ab"+"c" are two sessions.
	r.Workspace, r.Session = "a", "bc"
	first := b.register(r)
	r.Workspace, r.Session = "ab", "c"
	second := b.register(r)
	for _, h := range []*gateway.Handle{first, second} {
		if err := h.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	if !b.gw.Revoke("ab", "c") || b.statusWith(first.Token()) != 200 {
		t.Fatal("keys are mixed up")
	}
}

func (b *bench) statusWithAny(token string) int { return b.statusWith(token) }

// stalled opens a stream that stands still after its first text.
func (b *bench) stalled() (*http.Response, func()) {
	b.t.Helper()
	tr := &http.Transport{}
	resp, err := tr.RoundTrip(b.request(context.Background(), turn))
	if err != nil {
		b.t.Fatal(err)
	}
	return resp, tr.CloseIdleConnections
}

func TestG04_RevokeEndsRunningRequests(t *testing.T) {
	t.Parallel()
	for name, revoke := range map[string]func(*bench){
		"session": func(b *bench) { b.gw.Revoke("w", "s") },
		"handle":  func(b *bench) { b.handle.Revoke() },
		"a generation that was replaced": func(b *bench) {
			next := b.register(b.route())
			if err := next.Commit(); err != nil {
				b.t.Fatal(err)
			}
			b.gw.Revoke("w", "s")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{}, gatewaytest.Text("a", "b").First(2).Then(gatewaytest.Step{Stall: true}))
			resp, done := b.stalled()
			defer done()
			eventually(t, "the upstream is asked", func() bool { return b.up.Active() == 1 })
			began := time.Now()
			revoke(b)
			got := readReply(resp)
			if code := got.failure(t); code != "route_revoked" {
				t.Fatalf("code %q", code)
			}
			<-b.up.Last().Gone
			if took := time.Since(began); took > time.Second {
				t.Fatalf("took %v", took)
			}
			if n := b.gw.Counters().Routes; n != 0 {
				t.Fatalf("%d routes left", n)
			}
		})
	}
}

func TestReplacedRouteFinishesItsTurn(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	answer := gatewaytest.Text("a", "b")
	answer.Steps[2].Until = more
	b := start(t, gateway.Config{}, answer)
	resp, done := b.stalled()
	defer done()
	eventually(t, "the upstream is asked", func() bool { return b.up.Active() == 1 })
	old := b.handle
	b.recommit(func(*gateway.Route) {})
	close(more)
	got := readReply(resp)
	if e := got.final(t); e.Type != "response.completed" || got.text(t) != "ab" {
		t.Fatalf("%s", got.body)
	}
	if b.statusWith(old.Token()) != 401 {
		t.Fatal("the old token lives")
	}
}

func TestNothingPrintsASecret(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("x"))
	r := b.route()
	for _, format := range []string{"%v", "%+v", "%#v", "%s"} {
		for _, v := range []any{r, &r, b.handle} {
			text := fmt.Sprintf(format, v)
			if strings.Contains(text, secret) || strings.Contains(text, b.handle.Token()) {
				t.Errorf("%s of %T: %s", format, v, text)
			}
		}
	}
}
