package translate

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/sse"
)

// longRequest is a request of 250 KB with 100 messages and 30 tools.
func longRequest() []byte {
	prose := strings.Repeat("Some <prose> with \\\"quotes\\\" & a line break\\n", 56)
	var items, tools []string
	items = append(items, `{"type":"message","id":"msg_0","role":"developer","content":[{"type":"input_text","text":"`+strings.Repeat(prose, 9)+`"}]}`)
	for i := range 33 {
		items = append(items,
			fmt.Sprintf(`{"type":"message","id":"msg_%d","role":"user","content":[{"type":"input_text","text":"%s"}]}`, i, prose),
			fmt.Sprintf(`{"type":"reasoning","id":"rs_%d","summary":[{"type":"summary_text","text":"%s"}],"content":null,"encrypted_content":null}`, i, prose[:200]),
			fmt.Sprintf(`{"type":"function_call","id":"fc_%d","status":"completed","name":"t%d","namespace":"mcp__files","arguments":"{\"path\":\"a/%d\"}","call_id":"call_%d"}`, i, i%30, i, i),
			fmt.Sprintf(`{"type":"function_call_output","id":"fco_%d","call_id":"call_%d","output":"%s"}`, i, i, prose))
	}
	for i := range 30 {
		tools = append(tools, fmt.Sprintf(`{"type":"function","name":"t%d","description":"%s","strict":false,"parameters":{"type":"object","properties":{"path":{"type":"string","description":"%s"}},"required":["path"],"additionalProperties":false}}`, i, prose[:800], prose[:400]))
	}
	return []byte(`{"model":"m","stream":true,"input":[` + strings.Join(items, ",") + `],"tools":[{"type":"namespace","name":"mcp__files","description":"Files.","tools":[` +
		strings.Join(tools, ",") + `]}],"tool_choice":"auto","parallel_tool_calls":true,"store":false,"reasoning":{"summary":"auto"}}`)
}

func BenchmarkRequest250KB(b *testing.B) {
	body := longRequest()
	opt := testOptions()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		req, err := responses.ParseRequest(body, false)
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := Request(req, opt); err != nil {
			b.Fatal(err)
		}
	}
}

// deltaStream is an upstream's stream of n deltas.
func deltaStream(n int, chunk func(i int) string) []byte {
	var all strings.Builder
	for i := range n {
		all.WriteString("data: " + chunk(i) + "\n\n")
	}
	all.WriteString("data: " + finish("stop") + "\n\ndata: " + usageChunk + "\n\ndata: [DONE]\n\n")
	return []byte(all.String())
}

func textChunk(i int) string {
	return fmt.Sprintf(`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","system_fingerprint":"fp","choices":[{"index":0,"delta":{"content":"token %d "},"logprobs":null,"finish_reason":null}]}`, i)
}

func argumentChunk(i int) string {
	switch i {
	case 0:
		return piece(0, "a", "f", `{"x":"`)
	case 199:
		return piece(0, "", "", `"}`)
	}
	return piece(0, "", "", "some text ")
}

// run passes a stream through, reusing the buffer as a server does between writes.
func run(b testing.TB, ctx *Context, opt *Options, stream, buf []byte) (int, []byte) {
	s := NewStream(ctx, opt, 1)
	r := sse.NewReader(bytes.NewReader(stream), sse.Limits{}, nil)
	total := 0
	for !s.Done() {
		e, err := r.Next()
		if err != nil {
			b.Fatal(err)
		}
		if buf = s.Event(buf, e.Name, e.Data); !r.Buffered() || len(buf) > 4<<10 {
			total += len(buf)
			buf = buf[:0]
		}
	}
	return total + len(buf), buf[:0]
}

func BenchmarkStream200Deltas(b *testing.B) {
	for name, stream := range map[string][]byte{"text": deltaStream(200, textChunk), "arguments": deltaStream(200, argumentChunk)} {
		b.Run(name, func(b *testing.B) {
			opt := testOptions()
			ctx := newStream(b, opt, streamRequest).ctx
			var buf []byte
			out := 0
			b.ReportAllocs()
			for b.Loop() {
				out, buf = run(b, ctx, opt, stream, buf)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/200, "ns/delta")
			b.ReportMetric(float64(out)/200, "out-B/delta")
		})
	}
}

// A delta costs at most two allocations, and a long request at most 2,000.
func TestAllocationsStayFew(t *testing.T) {
	opt := testOptions()
	ctx := newStream(t, opt, streamRequest).ctx
	for name, chunk := range map[string]func(int) string{"text": textChunk, "arguments": argumentChunk} {
		few, many := deltaStream(200, chunk), deltaStream(1200, func(i int) string { return chunk(min(i, 198)) })
		buf := make([]byte, 0, 1<<20)
		count := func(stream []byte) float64 {
			return testing.AllocsPerRun(5, func() { _, buf = run(t, ctx, opt, stream, buf) })
		}
		if more := (count(many) - count(few)) / 1000; more > 0.2 {
			t.Errorf("%s: %.2f allocations a delta", name, more)
		}
	}
	body := longRequest()
	n := testing.AllocsPerRun(5, func() {
		req, err := responses.ParseRequest(body, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Request(req, opt); err != nil {
			t.Fatal(err)
		}
	})
	if n > 2000 || len(body) < 240<<10 {
		t.Errorf("%.0f allocations for %d bytes", n, len(body))
	}
}
