package launchtest

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/greenroom-agents/greenroom/core/launch"
)

// Appserver plays a client of the Codex app-server protocol. Its fields are set before Play; the zero value does what the
// real client does.
type Appserver struct {
	// Refuse answers a method with an error.
	Refuse map[string]launch.RPCError
	// Hang and End are methods that are never answered, and that the client ends at.
	Hang, End string
	// Junk is a method that is answered with a result of another shape.
	Junk string
	// Forget leaves these skills out of what is listed, Twice lists them twice, Disabled lists them as switched off, and
	// Rename lists them under another name.
	Forget, Twice, Disabled, Rename []string
	// Before is called ahead of every answer.
	Before func(method string, params json.RawMessage)

	mu     sync.Mutex
	called []string
	roots  []string
	ready  bool
}

// Called are the methods that the client was asked and told, in order.
func (a *Appserver) Called() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.called)
}

// Roots are the directories of skills that the client was told of last.
func (a *Appserver) Roots() []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.roots)
}

// Play starts the client. It ends with its input, which end closes.
func (a *Appserver) Play() (pipes launch.Pipes, end func()) {
	in, theirs := io.Pipe()
	out, ours := io.Pipe()
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		defer ours.Close()
		defer in.Close()
		for lines := bufio.NewScanner(in); lines.Scan(); {
			reply, alive := a.line(lines.Bytes())
			if !alive {
				return
			}
			if reply == nil {
				continue
			}
			if _, err := ours.Write(append(reply, '\n')); err != nil {
				return
			}
		}
	}()
	return launch.Pipes{In: theirs, Out: out}, func() {
		theirs.Close()
		out.Close()
		<-gone
	}
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

func (a *Appserver) line(data []byte) (reply []byte, alive bool) {
	var r request
	if json.Unmarshal(data, &r) != nil || r.Method == "" {
		return nil, true
	}
	if a.Before != nil {
		a.Before(r.Method, r.Params)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.called = append(a.called, r.Method)
	switch {
	case r.Method == a.End:
		return nil, false
	case r.Method == a.Hang || r.ID == nil:
		return nil, true
	}
	answer := map[string]any{"id": r.ID}
	result, fail := a.answer(r)
	if r.Method == a.Junk {
		result = []int{1}
	}
	if fail != nil {
		answer["error"] = fail
	} else {
		answer["result"] = result
	}
	reply, _ = json.Marshal(answer)
	return reply, true
}

func (a *Appserver) answer(r request) (any, *launch.RPCError) {
	if fail, ok := a.Refuse[r.Method]; ok {
		return nil, &fail
	}
	if r.Method == "initialize" {
		a.ready = true
		return map[string]any{"userAgent": "launchtest"}, nil
	}
	if !a.ready {
		return nil, &launch.RPCError{Code: -32600, Message: "Not initialized"}
	}
	switch r.Method {
	case "skills/extraRoots/set":
		var p struct {
			ExtraRoots []string `json:"extraRoots"`
		}
		if json.Unmarshal(r.Params, &p) != nil || p.ExtraRoots == nil || slices.ContainsFunc(p.ExtraRoots, func(d string) bool { return !filepath.IsAbs(d) }) {
			return nil, &launch.RPCError{Code: -32600, Message: "Invalid request"}
		}
		a.roots = p.ExtraRoots
		return map[string]any{}, nil
	case "skills/list":
		return map[string]any{"data": []any{map[string]any{"skills": a.list(), "errors": []any{}}}}, nil
	case "thread/start":
		return map[string]any{"thread": map[string]any{"id": "thread-1"}}, nil
	case "thread/resume":
		var p struct {
			ThreadID string `json:"threadId"`
		}
		_ = json.Unmarshal(r.Params, &p)
		return map[string]any{"thread": map[string]any{"id": p.ThreadID}}, nil
	}
	return nil, &launch.RPCError{Code: -32601, Message: "no method " + r.Method}
}

// list looks for skills directly in the directories that the client was told of, as the real one does: one that is not
// there holds none.
func (a *Appserver) list() []map[string]any {
	found := []map[string]any{}
	for _, root := range a.roots {
		entries, _ := os.ReadDir(root)
		for _, e := range entries {
			path := filepath.Join(root, e.Name(), "SKILL.md")
			if _, err := os.Stat(path); err != nil || slices.Contains(a.Forget, e.Name()) {
				continue
			}
			name := e.Name()
			if slices.Contains(a.Rename, name) {
				name += "-renamed"
			}
			skill := map[string]any{"name": name, "path": path, "scope": "user", "enabled": !slices.Contains(a.Disabled, name)}
			if found = append(found, skill); slices.Contains(a.Twice, name) {
				found = append(found, skill)
			}
		}
	}
	return found
}
