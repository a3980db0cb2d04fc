package control_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/launch/internal/control"
	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
	"github.com/greenroom-agents/greenroom/core/launch/internal/lines"
)

// side is one that answers requests with their text, waits for the end of those that are called wait, and fails others.
type side struct{ heard chan string }

func (s side) Message(kind string, raw json.RawMessage) { s.heard <- kind + " " + string(raw) }
func (s side) Stray(line []byte) error                  { s.heard <- "stray " + string(line); return nil }
func (s side) Request(ctx context.Context, subtype string, raw json.RawMessage) (any, error) {
	switch subtype {
	case "echo":
		return raw, nil
	case "wait":
		<-ctx.Done()
		return nil, errors.New("withdrawn")
	}
	return nil, errors.New("no such request")
}

// pair is a connection and the other end of its pipes.
func pair(t *testing.T) (c *control.Conn, heard chan string, say func(string), read func() string) {
	t.Helper()
	in, theirs := io.Pipe()
	ours, out := io.Pipe()
	heard = make(chan string, 100)
	c = control.New(out, side{heard})
	done := make(chan error, 1)
	go func() { done <- c.Serve(in) }()
	t.Cleanup(func() {
		theirs.Close()
		ours.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	from := bufio.NewReader(ours)
	return c, heard, func(line string) { fmt.Fprintln(theirs, line) }, func() string {
		line, _ := from.ReadString('\n')
		return strings.TrimSpace(line)
	}
}

func TestRequestsAreAnsweredUnderTheirNumber(t *testing.T) {
	t.Parallel()
	_, heard, say, read := pair(t)
	say(`{"type":"control_request","request_id":"w","request":{"subtype":"wait"}}`)
	say(`{"type":"control_request","request_id":"e","request":{"subtype":"echo"}}`)
	if got := read(); got != `{"type":"control_response","response":{"subtype":"success","request_id":"e","response":{"subtype":"echo"}}}` {
		t.Errorf("one beside another that waits: %s", got)
	}
	say(`{"type":"control_cancel_request","request_id":"w"}`)
	if got := read(); got != `{"type":"control_response","response":{"subtype":"error","request_id":"w","error":"withdrawn"}}` {
		t.Errorf("one that is withdrawn: %s", got)
	}
	for _, bad := range []string{`{"subtype":"other"}`, `{}`, `[]`} {
		say(`{"type":"control_request","request_id":"x","request":` + bad + `}`)
		if got := read(); !strings.Contains(got, `"subtype":"error","request_id":"x"`) {
			t.Errorf("%s: %s", bad, got)
		}
	}
	say(`a warning`)
	say(`{"type":"system","n":1}`)
	if got := <-heard + <-heard; got != `stray a warning`+`system {"type":"system","n":1}` {
		t.Errorf("heard %s", got)
	}
}

func TestCallsEndWithAnAnswerOrTheConnection(t *testing.T) {
	t.Parallel()
	c, _, say, read := pair(t)
	answer := func(response string) (result struct{ N int }, err error) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			err = c.Call(t.Context(), map[string]any{"subtype": "ask"}, &result)
		}()
		var asked struct {
			ID string `json:"request_id"`
		}
		if err := json.Unmarshal([]byte(read()), &asked); err != nil {
			t.Error(err)
		}
		say(`{"type":"control_response","response":{"subtype":"success","request_id":"nobody's"}}`)
		say(`{"type":"control_response"}`)
		say(`{"type":"control_response","response":{"request_id":"` + asked.ID + `",` + response + `}}`)
		<-done
		return result, err
	}
	if result, err := answer(`"subtype":"success","response":{"N":7}`); err != nil || result.N != 7 {
		t.Errorf("%+v %v", result, err)
	}
	var said *jsonrpc.Error
	if _, err := answer(`"subtype":"error","error":"not now"`); !errors.As(err, &said) || said.Message != "not now" {
		t.Errorf("an error: %v", err)
	}
	if _, err := answer(`"subtype":"success","response":[]`); err == nil || errors.As(err, &said) && said.Message == "" {
		t.Errorf("another shape: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Call(ctx, map[string]any{"subtype": "ask"}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
}

func TestCallsEndWithTheConnection(t *testing.T) {
	t.Parallel()
	in, theirs := io.Pipe()
	c := control.New(io.Discard, side{make(chan string, 1)})
	done := make(chan error, 1)
	go func() { done <- c.Serve(in) }()
	called := make(chan error, 1)
	go func() { called <- c.Call(context.Background(), map[string]any{"subtype": "ask"}, nil) }()
	theirs.Close()
	if err := <-called; !errors.Is(err, lines.ErrClosed) {
		t.Errorf("the call: %v", err)
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
}
