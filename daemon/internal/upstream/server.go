package upstream

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// maxBody is the most of a request that is read. A client's first turn has 40 to 100 kB.
const maxBody = 16 << 20

// Upstream is a running endpoint. It is safe for concurrent use.
type Upstream struct {
	url    string
	reply  string
	server *http.Server

	mu    sync.Mutex
	turns []string
}

// Start begins to listen on a free port. Close ends it.
func Start(ctx context.Context, reply string) (*Upstream, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	u := &Upstream{url: "http://" + listener.Addr().String(), reply: reply}
	u.server = &http.Server{Handler: http.HandlerFunc(u.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = u.server.Serve(listener) }()
	return u, nil
}

// URL is the base of the endpoint, without a path and a trailing slash.
func (u *Upstream) URL() string { return u.url }

// Turns are the bodies of the turns that were asked for, in order.
func (u *Upstream) Turns() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string(nil), u.turns...)
}

// Close ends the endpoint and every connection to it.
func (u *Upstream) Close() error {
	if err := u.server.Close(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (u *Upstream) serve(w http.ResponseWriter, r *http.Request) {
	var events []event
	aside := func([]byte) bool { return false }
	switch path := strings.TrimRight(r.URL.Path, "/"); {
	case r.Method == http.MethodHead:
		return
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/responses"):
		events = responses(u.reply)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/messages"):
		events = messages(u.reply)
	case r.Method == http.MethodPost && strings.HasSuffix(path, "/chat/completions"):
		events, aside = chat(u.reply), isAside
	default:
		http.Error(w, `{"error":{"type":"not_found_error","message":"this endpoint only plays one text turn"}}`, http.StatusNotFound)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, `{"error":{"type":"invalid_request_error","message":"the request is too large"}}`, http.StatusRequestEntityTooLarge)
		return
	}
	if !aside(body) {
		u.mu.Lock()
		u.turns = append(u.turns, string(body))
		u.mu.Unlock()
	}
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range events {
		if _, err := e.WriteTo(w); err != nil {
			return
		}
	}
}
