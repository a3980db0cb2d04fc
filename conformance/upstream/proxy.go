package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"
)

// Proxy refuses every request and records where it was meant to go.
type Proxy struct {
	url  string
	http *http.Server
	done chan struct{}

	mu      sync.Mutex
	targets []string
}

// StartProxy serves on a free port of 127.0.0.1 until Close.
func StartProxy() (*Proxy, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	p := &Proxy{url: "http://" + listener.Addr().String(), done: make(chan struct{})}
	p.http = &http.Server{Handler: http.HandlerFunc(p.refuse), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(p.done)
		if err := p.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // Serve ends in no other way than by Close
		}
	}()
	return p, nil
}

// URL is the value for HTTPS_PROXY and HTTP_PROXY.
func (p *Proxy) URL() string { return p.url }

// Targets are the hosts that were asked for, in order, one for each request.
func (p *Proxy) Targets() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.targets...)
}

// Close ends the proxy and waits for it.
func (p *Proxy) Close() error {
	err := p.http.Close()
	<-p.done
	return err
}

func (p *Proxy) refuse(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.targets = append(p.targets, r.Host)
	p.mu.Unlock()
	http.Error(w, "no way out of this test", http.StatusForbidden)
}
