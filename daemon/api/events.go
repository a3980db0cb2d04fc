package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/store"
)

// waiting is how many events a listener may be behind. One that is further behind is told to read everything again.
const waiting = 64

// Events passes changes on to those who listen. It is safe for concurrent use.
type Events struct {
	mu        sync.Mutex
	listeners map[chan event]string // their workspaces
}

type event struct {
	name string
	data []byte
}

// NewEvents makes Events that nobody listens to yet.
func NewEvents() *Events { return &Events{listeners: map[chan event]string{}} }

// Changed tells of a change of the store, in the form of [access.Config].
func (e *Events) Changed(c store.Change) { e.publish(c.Workspace, string(c.Kind)+"_changed", c) }

// Began tells that a stage of a check begins. id is "" for a draft.
func (e *Events) Began(workspace, id string, stage plan.Stage) {
	e.publish(workspace, "model_plan_detection_began", map[string]any{"planId": id, "stage": stage})
}

// Stage tells how a stage of a check went. id is "" for a draft.
func (e *Events) Stage(workspace, id string, result plan.Result) {
	e.publish(workspace, "model_plan_detection_stage", map[string]any{"planId": id, "stage": result})
}

func (e *Events) publish(workspace, name string, value any) {
	data, err := json.Marshal(value)
	if err != nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	for to, of := range e.listeners {
		if of != workspace {
			continue
		}
		select {
		case to <- event{name, data}:
		default:
			// It may have missed anything now, and is let go, which it can see.
			delete(e.listeners, to)
			close(to)
		}
	}
}

func (e *Events) listen(workspace string) (from chan event, stop func()) {
	from = make(chan event, waiting)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.listeners[from] = workspace
	return from, func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if _, there := e.listeners[from]; there {
			delete(e.listeners, from)
			close(from)
		}
	}
}

// events streams what changes in a workspace. Its end means that events were missed or that the server ends: whoever
// listens reads everything again.
func (s *server) events(w http.ResponseWriter, r *http.Request, in string) error {
	from, stop := s.Events.listen(in)
	defer stop()
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	rc := http.NewResponseController(w)
	beat := time.NewTicker(15 * time.Second)
	defer beat.Stop()
	for text := ": listening\n\n"; ; {
		if _, err := fmt.Fprint(w, text); err != nil || rc.Flush() != nil {
			return nil
		}
		select {
		case e, more := <-from:
			if !more {
				return nil
			}
			text = "event: " + e.name + "\ndata: " + string(e.data) + "\n\n"
		case <-beat.C:
			text = ": still here\n\n"
		case <-r.Context().Done():
			return nil
		}
	}
}
