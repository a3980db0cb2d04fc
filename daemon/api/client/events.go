package client

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/plan"
)

// Event is something that changed in a workspace.
type Event struct {
	Name string // as openapi.yaml lists them
	Data json.RawMessage
}

// Events is an open stream of events. It belongs to one goroutine, but for Close.
type Events struct {
	body  io.ReadCloser
	lines *bufio.Scanner
	end   context.CancelFunc
}

// maxLine is the length of the longest line of a stream, in bytes.
const maxLine = 1 << 20

// Events listens to what changes in a workspace. It listens when it returns: what changes after that is in the stream.
func (c *Client) Events(ctx context.Context, workspace string) (*Events, error) {
	listening, hangUp := context.WithCancel(ctx)
	late := time.AfterFunc(c.c.Patience, hangUp)
	resp, err := c.call(listening, func(ctx context.Context) (*http.Response, error) { return c.wire.StreamEvents(ctx, workspace) }, workspace)
	if !late.Stop() && ctx.Err() == nil {
		if err == nil {
			resp.Body.Close()
		}
		return nil, unreachable(nil, "the daemon does not answer")
	}
	if err != nil {
		hangUp()
		return nil, err
	}
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, maxLine)
	return &Events{resp.Body, lines, hangUp}, nil
}

// Close ends the stream.
func (e *Events) Close() error {
	e.end()
	return e.body.Close()
}

// Next waits for the next event. io.EOF says that the daemon ended the stream: events may have been missed, and whoever
// shows something reads it anew.
func (e *Events) Next() (Event, error) {
	var next Event
	for e.lines.Scan() {
		field, value, _ := strings.Cut(e.lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "event":
			next.Name = value
		case field == "data":
			next.Data = append(next.Data, value...)
		case e.lines.Text() == "" && next.Name != "":
			return next, nil
		}
	}
	if err := e.lines.Err(); err != nil && !errors.Is(err, context.Canceled) {
		return Event{}, unreachable(err, "the stream of events ended early")
	}
	return Event{}, io.EOF
}

// telling tells somebody how a check goes, by its events and at last by its answer, each stage once as it went.
type telling struct {
	detect.Progress
	began map[plan.Stage]bool
	done  map[plan.Stage]plan.Outcome
}

func newTelling(p detect.Progress) *telling {
	return &telling{p, map[plan.Stage]bool{}, map[plan.Stage]plan.Outcome{}}
}

func (t *telling) hear(events *Events, id string) {
	for {
		e, err := events.Next()
		if err != nil {
			return
		}
		switch e.Name {
		case "model_plan_detection_began":
			var told struct {
				Plan  string `json:"planId"`
				Stage plan.Stage
			}
			if json.Unmarshal(e.Data, &told) == nil && told.Plan == id {
				t.begin(told.Stage)
			}
		case "model_plan_detection_stage":
			var told struct {
				Plan  string `json:"planId"`
				Stage plan.Result
			}
			if json.Unmarshal(e.Data, &told) == nil && told.Plan == id {
				t.end(told.Stage)
			}
		}
	}
}

func (t *telling) begin(s plan.Stage) {
	if !t.began[s] && t.Began != nil {
		t.Began(s)
	}
	t.began[s] = true
}

func (t *telling) end(r plan.Result) {
	t.begin(r.Stage)
	if t.done[r.Stage] != r.Status && t.Done != nil {
		t.Done(r)
	}
	t.done[r.Stage] = r.Status
}

// rest tells what no event told in time.
func (t *telling) rest(all []plan.Result) {
	for _, r := range all {
		t.end(r)
	}
}
