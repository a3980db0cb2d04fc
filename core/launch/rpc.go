package launch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxLine bounds one message of a client.
const maxLine = 64 << 20

// methodNotFound is the code of JSON-RPC 2.0 for a method that the other side does not have.
const methodNotFound = -32601

// RPCError is what a client answers in the place of a result.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"` // of the client's own making: it may name paths
}

// Error does not repeat the client's words.
func (e *RPCError) Error() string { return fmt.Sprintf("the client answered with error %d", e.Code) }

// errEnded says that the client will not say anything more.
var errEnded = errors.New("the client ended, or closed its output")

// message is one line in either direction. The app-server dialect leaves the member jsonrpc away.
type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  *RPCError       `json:"error,omitempty"`
}

// peer is the client at the other end of a pair of pipes, in lines of JSON. It is safe for concurrent use.
type peer struct {
	// notify gets what the client tells, in order; it must not wait for the client. ask answers what the client asks; when it is
	// nil or knows no answer, the client is told that there is no such method.
	notify func(method string, params json.RawMessage)
	ask    func(method string, params json.RawMessage) (result any, ok bool)

	writing sync.Mutex
	w       io.Writer

	mu      sync.Mutex
	next    int
	waiting map[string]chan message
	done    chan struct{} // closed when nothing more is read
	err     error         // why, after done
}

// talk begins to read. It ends when r does.
func talk(r io.Reader, w io.Writer, notify func(string, json.RawMessage), ask func(string, json.RawMessage) (any, bool)) *peer {
	p := &peer{w: w, notify: notify, ask: ask, waiting: map[string]chan message{}, done: make(chan struct{})}
	go p.read(r)
	return p
}

func (p *peer) read(r io.Reader) {
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		var m message
		if json.Unmarshal(lines.Bytes(), &m) != nil {
			continue // what is no message is no answer either
		}
		switch {
		case m.Method == "" && len(m.ID) > 0:
			p.answered(m)
		case m.Method != "" && len(m.ID) > 0:
			go p.answer(m)
		case m.Method != "" && p.notify != nil:
			p.notify(m.Method, m.Params)
		}
	}
	p.mu.Lock()
	if p.err = errEnded; lines.Err() != nil {
		p.err = errors.Join(errEnded, lines.Err())
	}
	p.mu.Unlock()
	close(p.done)
}

func (p *peer) answered(m message) {
	p.mu.Lock()
	ch := p.waiting[string(m.ID)]
	delete(p.waiting, string(m.ID))
	p.mu.Unlock()
	if ch != nil {
		ch <- m
	}
}

// answer replies to a request of the client. Nothing is granted that nobody has decided.
func (p *peer) answer(m message) {
	reply := message{ID: m.ID}
	var result any
	ok := false
	if p.ask != nil {
		result, ok = p.ask(m.Method, m.Params)
	}
	if ok {
		reply.Result, _ = json.Marshal(result)
	} else {
		reply.Error = &RPCError{Code: methodNotFound, Message: "not supported"}
	}
	_ = p.send(reply) // a client that is gone needs no answer
}

func (p *peer) send(m message) error {
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	_, err = p.w.Write(append(data, '\n'))
	return err
}

// tell sends a notification.
func (p *peer) tell(method string, params any) error {
	data, err := encode(params)
	if err != nil {
		return err
	}
	return p.send(message{Method: method, Params: data})
}

// call asks the client and waits for its answer, which is decoded into result unless that is nil.
func (p *peer) call(ctx context.Context, method string, params, result any) error {
	data, err := encode(params)
	if err != nil {
		return err
	}
	ch := make(chan message, 1)
	p.mu.Lock()
	p.next++
	id := fmt.Sprint(p.next)
	p.waiting[id] = ch
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, id)
		p.mu.Unlock()
	}()
	if err := p.send(message{ID: json.RawMessage(id), Method: method, Params: data}); err != nil {
		return errors.Join(errEnded, err)
	}
	select {
	case m := <-ch:
		return m.into(result)
	case <-ctx.Done():
		return ctx.Err()
	case <-p.done:
	}
	select {
	case m := <-ch: // its last word
		return m.into(result)
	default:
		return p.ended()
	}
}

func (p *peer) ended() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (m message) into(result any) error {
	if m.Error != nil {
		return m.Error
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(m.Result, result)
}

func encode(params any) (json.RawMessage, error) {
	if params == nil {
		return nil, nil
	}
	return json.Marshal(params)
}
