package launch

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
)

// Whoever decides is told what is about to be done, as far as the client says it, in the shapes of the real clients.
func TestACPPermissionSaysWhatIsAskedFor(t *testing.T) {
	t.Parallel()
	const options = `,"options":[{"optionId":"o","name":"Once","kind":"allow_once"}]}`
	for params, want := range map[string]string{
		`{"sessionId":"s","toolCall":{"toolCallId":"1","title":"Bash","content":[{"type":"content","content":{"type":"text","text":"Running: touch x"}}]}`:   "Bash: Running: touch x",
		`{"sessionId":"s","toolCall":{"toolCallId":"2","title":"bash","kind":"execute","status":"pending","rawInput":{"command":"echo two"}}`:                "echo two",
		`{"sessionId":"s","toolCall":{"toolCallId":"3","title":"Edit a.go","kind":"edit","status":"pending"}`:                                                "Edit a.go",
		`{"sessionId":"s","toolCall":{"toolCallId":"4","title":"rm -r x","content":[{"type":"content","content":{"type":"text","text":"rm -r x"}}]}`:         "rm -r x",
		`{"sessionId":"s","toolCall":{"toolCallId":"5","content":[{"type":"content","content":{"type":"text","text":"rm -r x"}}]}`:                           "rm -r x",
		`{"sessionId":"s","toolCall":{"toolCallId":"6","title":"Bash","content":[{"type":"content","content":{"type":"text","text":"Running: touch a-…"}}]}`: "touch a-long-name",
	} {
		var got Request
		a := newACP(io.Discard, side{p: &core.Prepared{}, log: slog.New(slog.DiscardHandler), emit: func(Event) {},
			permit: func(_ context.Context, r Request, _ []byte) Answer { got = r; return Deny }})
		a.Notify("session/update", json.RawMessage(`{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"6","title":"Bash","kind":"execute",
			"content":[{"type":"content","content":{"type":"text","text":"{\"command\":\"touch a-long-name\"}"}}]}}`))
		if _, err := a.Request(t.Context(), "session/request_permission", json.RawMessage(params+options)); err != nil {
			t.Fatal(err)
		}
		if got.Tool.Title != want || got.Tool.Output != "" {
			t.Errorf("%s: asked for %+v", params, got.Tool)
		}
	}
}
