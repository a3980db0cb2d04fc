package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// Protocol is a model API that a server speaks.
type Protocol string

// The protocols.
const (
	Responses Protocol = "responses" // spoken by Codex
	Messages  Protocol = "messages"  // spoken by Claude Code
	// Chat is Chat Completions, spoken by OpenCode and Kimi Code. A request without tools is answered beside the script
	// and counts as no turn.
	Chat Protocol = "chat"
	// Thief answers every request with a refusal: it stands where nothing of ours must ever arrive.
	Thief Protocol = "thief"
)

// maxBody bounds what is read of a request.
const maxBody = 32 << 20

// Step is one answer of the model: text, then calls of tools.
type Step struct {
	Text  string
	Calls []Call
}

// Call is a call of one of the client's tools.
type Call struct {
	// Namespace is the one that the tool was declared in, "" for none. Only Responses has any.
	Namespace string

	Name  string
	Input map[string]any
}

// Say is an answer that ends the turn.
func Say(text string) Step { return Step{Text: text} }

// Use is an answer that calls one tool.
func Use(name string, input map[string]any) Step {
	return Step{Text: "calling a tool", Calls: []Call{{Name: name, Input: input}}}
}

// Server is a scripted model provider.
type Server struct {
	protocol Protocol
	url      string
	http     *http.Server
	done     chan struct{}

	mu       sync.Mutex
	steps    []Step
	turns    int
	requests []Request
}

// Start serves on a free port of 127.0.0.1 until Close.
func Start(protocol Protocol, steps ...Step) (*Server, error) {
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen on loopback: %w", err)
	}
	s := &Server{
		protocol: protocol,
		url:      "http://" + listener.Addr().String(),
		steps:    steps,
		done:     make(chan struct{}),
	}
	s.http = &http.Server{Handler: http.HandlerFunc(s.serve), ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.done)
		if err := s.http.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			panic(err) // Serve ends in no other way than by Close
		}
	}()
	return s, nil
}

// URL is the address without a path: the base URL for a client of the Messages protocol.
func (s *Server) URL() string { return s.url }

// BaseURL is the address that a client of the protocol is configured with.
func (s *Server) BaseURL() string {
	if s.protocol == Responses || s.protocol == Chat {
		return s.url + "/v1"
	}
	return s.url
}

// Script replaces what is left of the script.
func (s *Server) Script(steps ...Step) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = steps
}

// Requests are all requests so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Turns are the requests that asked the model.
func (s *Server) Turns() []Request {
	var turns []Request
	for _, r := range s.Requests() {
		if s.isTurn(r) {
			turns = append(turns, r)
		}
	}
	return turns
}

// Close ends the server and waits for it.
func (s *Server) Close() error {
	err := s.http.Close()
	<-s.done
	return err
}

func (s *Server) isTurn(r Request) bool {
	return r.Method == http.MethodPost && s.asks(r.Path) && !(s.protocol == Chat && isAside(r.Body))
}

func (s *Server) asks(path string) bool {
	switch s.protocol {
	case Responses:
		return path == "/v1/responses"
	case Messages:
		return path == "/v1/messages"
	case Chat:
		return path == "/v1/chat/completions"
	default:
		return false
	}
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, "unreadable body", http.StatusBadRequest)
		return
	}
	answer := r.Method == http.MethodPost && s.asks(r.URL.Path)
	request := Request{
		Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone(), Body: body,
	}
	s.mu.Lock()
	s.requests = append(s.requests, request)
	step := Say("the script has ended")
	turn := s.turns
	if s.isTurn(request) {
		s.turns++
		if len(s.steps) > 0 {
			step, s.steps = s.steps[0], s.steps[1:]
		}
	}
	s.mu.Unlock()

	switch {
	case s.protocol == Thief:
		http.Error(w, `{"error":{"message":"nothing should arrive here"}}`, http.StatusForbidden)
	case r.Method == http.MethodHead:
		w.WriteHeader(http.StatusOK)
	case !answer:
		http.Error(w, `{"error":{"message":"no such endpoint"}}`, http.StatusNotFound)
	case s.protocol == Responses:
		s.stream(w, responsesEvents(turn, step))
	case s.protocol == Chat:
		s.stream(w, chatEvents(turn, step))
	default:
		s.stream(w, messagesEvents(turn, step))
	}
}

func (s *Server) stream(w http.ResponseWriter, events []event) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	var b strings.Builder
	for _, e := range events {
		if e.name != "" {
			fmt.Fprintf(&b, "event: %s\n", e.name)
		}
		fmt.Fprintf(&b, "data: %s\n\n", e.data)
	}
	// A client that hangs up is seen by the next request it does not make.
	_, _ = io.WriteString(w, b.String())
}
