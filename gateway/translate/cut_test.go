package translate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/sse"
)

// An upstream may go away behind any byte. Before it has said why it finished, no call is made of what it sent; what it
// did say stays; and the stream ends once, in a failure unless all of it is there.
func TestG61F19_CutBehindEveryByte(t *testing.T) {
	t.Parallel()
	chunks := []string{
		delta(`"reasoning_content":"think \u00e9"`), content("say "), content("\U0001F600"), piece(0, "a", "f", `{"x"`), piece(1, "b", "g", `{}`),
		piece(0, "", "", `:1}`), piece(2, "c", "p", `{"input":"raw"}`), finish("tool_calls"), usageChunk, "[DONE]",
	}
	stream := "data: " + strings.Join(chunks, "\n\ndata: ") + "\n\n"
	// The finish counts once its line is whole.
	whole := strings.Index(stream, `"finish_reason"`)
	whole += strings.IndexByte(stream[whole:], '\n') - 1
	for cut := range len(stream) + 1 {
		s := newStream(t, testOptions(), streamRequest)
		var out []byte
		for r := sse.NewReader(strings.NewReader(stream[:cut]), sse.Limits{}, nil); ; {
			e, err := r.Next()
			if err != nil {
				out = s.End(out, EndEOF)
				break
			}
			out = s.Event(out, e.Name, e.Data)
		}
		if err := responses.Validate(out); err != nil {
			t.Fatalf("behind %d: %v\n%s", cut, err, out)
		}
		o := s.Outcome()
		got := fmt.Sprint(o.Status, o.Calls)
		want := "failed0"
		if cut > whole {
			want = "completed3"
		}
		if got != want {
			t.Fatalf("behind %q: %s, want %s", stream[max(0, cut-20):cut], got, want)
		}
		if cut <= whole && strings.Contains(string(out), "function_call_arguments.done") {
			t.Fatalf("behind %d a call was finished", cut)
		}
	}
}

// Some upstreams give a call a fresh id in each of its chunks, some say its name each time, some number from one.
func TestCallsWithRestlessIdentities(t *testing.T) {
	t.Parallel()
	one := `function_call a f {"x":1}`
	runStreams(t, []streamCase{
		{name: "a fresh id in each chunk", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x"`), piece(0, "a2", "", `:1`), piece(0, "a3", "", `}`), finish("tool_calls")}},
		{name: "a fresh id and the name in each chunk", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x"`), piece(0, "a2", "f", `:1`), piece(0, "a3", "f", `}`), finish("tool_calls")}},
		{name: "numbers from one", end: "completed", output: []string{one, "function_call b g {}"}, chunks: []string{piece(1, "a", "f", `{"x":1}`), piece(2, "b", "g", `{}`), finish("tool_calls")}},
		{name: "numbers with a gap, the larger first", end: "completed", output: []string{one, "function_call b g {}"}, chunks: []string{piece(7, "a", "f", `{"x"`), piece(3, "b", "g", `{}`), piece(7, "", "", `:1}`), finish("tool_calls")}},
		{name: "the same id for two calls of different numbers", end: "completed", output: []string{one, "function_call a g {}"}, chunks: []string{piece(0, "a", "f", `{"x":1}`), piece(1, "a", "g", `{}`), finish("tool_calls")}},
		{name: "two finishes", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x":1}`), finish("tool_calls"), finish("stop"), usageChunk}},
		{name: "the finish before the end of the arguments", end: "completed", output: []string{one}, chunks: []string{piece(0, "a", "f", `{"x"`), finish("tool_calls"), piece(0, "", "", `:1}`)}},
		{name: "everything null", end: "completed", output: []string{one}, chunks: []string{
			`{"id":null,"object":null,"created":null,"model":null,"error":null,"usage":null,"choices":[{"index":null,"delta":{"role":null,"content":null,"refusal":null,"reasoning_content":null,"tool_calls":null,"function_call":null},"finish_reason":null,"logprobs":null}]}`,
			`{"choices":[null,{"delta":{"tool_calls":[null,{"index":null,"id":"a","type":null,"function":{"name":"f","arguments":null}}]}}]}`,
			`{"choices":[{"delta":{"tool_calls":[{"index":null,"id":null,"function":{"name":null,"arguments":"{\"x\":1}"}}]}}]}`, finish("tool_calls")}},
		{name: "numbers that no computer counts", end: "completed", output: []string{one}, chunks: []string{
			`{"created":1e999,"choices":[{"index":0,"delta":{"tool_calls":[{"index":99999999999999999999,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}}]}}]}`, finish("tool_calls")}},
	})
}
