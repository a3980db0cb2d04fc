package gateway_test

import (
	"bufio"
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

const toolTurn = `{"model":"m","stream":true,"input":"hi","tools":[` +
	`{"type":"function","name":"f","parameters":{"type":"object","properties":{}}},` +
	`{"type":"function","name":"g","parameters":{"type":"object","properties":{}}}]}`

// TestQuirksOverHTTP takes every odd answer through the whole server: it ends well or it fails, by the grammar.
func TestQuirksOverHTTP(t *testing.T) {
	t.Parallel()
	for _, q := range gatewaytest.Quirks() {
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{}, q.Answer)
			r := b.post(toolTurn)
			if r.status != 200 && q.Fails {
				return
			}
			e := r.final(t)
			if q.Fails {
				if e.Type != "response.failed" {
					t.Fatalf("ended in %s", e.Type)
				}
				if strings.Contains(r.body, `"type":"response.output_item.done","item":{"type":"function_call"`) {
					t.Fatalf("a call was finished: %s", r.body)
				}
				return
			}
			if e.Type != "response.completed" {
				t.Fatalf("ended in %s: %s", e.Type, r.body)
			}
			text, reasoning, calls := outputOf(e)
			if text != q.Text || reasoning != q.Reasoning {
				t.Fatalf("text %q, reasoning %q", text, reasoning)
			}
			if len(calls) != len(q.Calls) {
				t.Fatalf("calls %v", calls)
			}
			for i, c := range q.Calls {
				if c.ID == "" {
					c.ID = calls[i].ID
				}
				if calls[i] != c || c.ID == "" {
					t.Fatalf("call %v, want %v", calls[i], c)
				}
			}
		})
	}
}

func outputOf(e event) (text, reasoning string, calls []gatewaytest.Call) {
	for i := 0; e.get("response", "output", i) != nil; i++ {
		str := func(path ...any) string {
			s, _ := e.get(append([]any{"response", "output", i}, path...)...).(string)
			return s
		}
		switch str("type") {
		case "message":
			text += str("content", 0, "text")
		case "reasoning":
			reasoning += str("content", 0, "text") + str("summary", 0, "text")
		case "function_call":
			calls = append(calls, gatewaytest.Call{ID: str("call_id"), Name: str("name"), Arguments: str("arguments")})
		}
	}
	return text, reasoning, calls
}

func TestG71_AnswersThatAreNoStream(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer gatewaytest.Answer
		status int
		code   string
	}{
		"html":               {gatewaytest.Raw("text/html; charset=utf-8", "<html>welcome</html>"), 502, "upstream_not_an_api"},
		"html without type":  {gatewaytest.Raw("", "<html>welcome</html>"), 502, "upstream_not_an_api"},
		"error in JSON":      {gatewaytest.JSON(`{"error":{"message":"no","code":"boom"}}`), 502, ""},
		"error event first":  {gatewaytest.Events(`{"error":{"message":"limit, try again in 3s","code":429}}`), 429, "rate_limit_exceeded"},
		"brotli":             {gatewaytest.Text("x").With("Content-Encoding", "br"), 502, "upstream_not_an_api"},
		"cut in the headers": {gatewaytest.Text().First(0).Then(gatewaytest.Step{Cut: true}), 502, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{}, tc.answer)
			r := b.turn()
			if r.status == 200 {
				if code := r.failure(t); code == "" {
					t.Fatal("no code")
				}
				return
			}
			if r.status != tc.status || tc.code != "" && r.code() != tc.code {
				t.Fatalf("%d %s", r.status, r.body)
			}
			if r.status == 429 && r.header.Get("Retry-After") == "" {
				t.Fatal("429 without Retry-After")
			}
			if strings.Contains(r.body, "<html") {
				t.Fatalf("HTML in the message: %s", r.body)
			}
		})
	}
}

func TestCompressedAnswersAreDecoded(t *testing.T) {
	t.Parallel()
	plain := gatewaytest.Text("Hello").Together().Steps[0].Send
	for name, body := range map[string][]byte{"gzip": gzipped(t, string(plain)), "zstd": zstandard(t, string(plain))} {
		b := start(t, gateway.Config{}, gatewaytest.Raw("text/event-stream", string(body)).With("Content-Encoding", name))
		if r := b.turn(); r.final(t).Type != "response.completed" || r.text(t) != "Hello" {
			t.Errorf("%s: %s", name, r.body)
		}
	}
}

func TestF16_G72_KeepAliveIsAnEvent(t *testing.T) {
	t.Parallel()
	answer := gatewaytest.Text("a", "b")
	answer.Steps[2].Pause = 900 * time.Millisecond
	b := start(t, gateway.Config{Timeouts: gateway.Timeouts{KeepAlive: 100 * time.Millisecond}}, answer)
	tr := &http.Transport{}
	defer tr.CloseIdleConnections()
	resp, err := tr.RoundTrip(b.request(context.Background(), turn))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	// The client gives up after half of the silence without a data line.
	data, longest := 0, time.Duration(0)
	sc, last := bufio.NewScanner(resp.Body), time.Now()
	var all strings.Builder
	for sc.Scan() {
		all.WriteString(sc.Text() + "\n")
		if strings.HasPrefix(sc.Text(), "data: ") {
			longest = max(longest, time.Since(last))
			last = time.Now()
			data++
		}
	}
	if longest > 450*time.Millisecond {
		t.Fatalf("%v without an event", longest)
	}
	r := reply{status: resp.StatusCode, body: all.String()}
	if e := r.final(t); e.Type != "response.completed" || r.text(t) != "ab" {
		t.Fatalf("%s", r.body)
	}
	if n := strings.Count(r.body, "event: response.in_progress"); n < 3 {
		t.Fatalf("%d response.in_progress events", n)
	}
	if e, _ := b.observer.last(gateway.EventRequest); e.KeepAlives < 2 {
		t.Fatalf("%d keep-alives counted", e.KeepAlives)
	}
}

func TestKeepAliveWhileTheUpstreamOnlySendsComments(t *testing.T) {
	t.Parallel()
	answer := gatewaytest.Raw("text/event-stream")
	for range 12 {
		answer = answer.Then(gatewaytest.Step{Pause: 60 * time.Millisecond, Send: []byte(": PROCESSING\n\n")})
	}
	answer.Steps = append(answer.Steps, gatewaytest.Text("x").Steps...)
	b := start(t, gateway.Config{Timeouts: gateway.Timeouts{
		KeepAlive: 100 * time.Millisecond, Commit: 50 * time.Millisecond, Idle: 400 * time.Millisecond,
		FirstByte: 400 * time.Millisecond,
	}}, answer)
	r := b.turn()
	if e := r.final(t); e.Type != "response.completed" {
		t.Fatalf("F17: comments did not count as life: %s", r.body)
	}
	if n := strings.Count(r.body, "event: response.in_progress"); n < 3 {
		t.Fatalf("%d response.in_progress events", n)
	}
}

func TestStatusIsHeldBackForAWhile(t *testing.T) {
	t.Parallel()
	late := gatewaytest.Events(`{"error":{"message":"no credit","code":402}}`)
	late.Steps[0].Pause = 100 * time.Millisecond
	b := start(t, gateway.Config{Timeouts: gateway.Timeouts{Commit: 5 * time.Second}}, late)
	if r := b.turn(); r.status == 200 {
		t.Fatalf("%d %s", r.status, r.body)
	}
	b = start(t, gateway.Config{Timeouts: gateway.Timeouts{Commit: 20 * time.Millisecond}}, late)
	r := b.turn()
	if r.failure(t) == "" {
		t.Fatal("no code")
	}
}

func TestF17_IdleUpstream(t *testing.T) {
	t.Parallel()
	limits := gateway.Timeouts{Idle: 150 * time.Millisecond, FirstByte: 150 * time.Millisecond}
	b := start(t, gateway.Config{Timeouts: limits}, gatewaytest.Text("a", "b").First(2).Then(gatewaytest.Step{Stall: true}))
	if code := b.turn().failure(t); code != "upstream_timeout" {
		t.Fatalf("code %q", code)
	}
	b = start(t, gateway.Config{Timeouts: limits}, gatewaytest.Text().First(0).Then(gatewaytest.Step{Stall: true}))
	if r := b.turn(); r.status != 504 || r.code() != "upstream_timeout" {
		t.Fatalf("no first byte: %d %s", r.status, r.body)
	}
	b = start(t, gateway.Config{Timeouts: gateway.Timeouts{Headers: 100 * time.Millisecond}},
		gatewaytest.Answer{Delay: 5 * time.Second})
	if r := b.turn(); r.status != 504 || r.code() != "upstream_timeout" {
		t.Fatalf("no headers: %d %s", r.status, r.body)
	}
	// A stream that goes on for much longer than every limit, without ever standing still, is healthy.
	pieces := make([]string, 20)
	for i := range pieces {
		pieces[i] = "x"
	}
	slow := gatewaytest.Text(pieces...)
	for i := range slow.Steps {
		slow.Steps[i].Pause = 30 * time.Millisecond
	}
	b = start(t, gateway.Config{Timeouts: limits}, slow)
	if e := b.turn().final(t); e.Type != "response.completed" {
		t.Fatalf("ended in %s", e.Type)
	}
}

func TestF20_FinishIsEnough(t *testing.T) {
	t.Parallel()
	open := gatewaytest.Text("a").First(3).Then(gatewaytest.Step{Stall: true})
	b := start(t, gateway.Config{Timeouts: gateway.Timeouts{Finish: 100 * time.Millisecond}}, open)
	r := b.turn()
	if e := r.final(t); e.Type != "response.completed" || r.text(t) != "a" {
		t.Fatalf("ended in %s", e.Type)
	}
}

func TestF19_F42_CutStreamsFail(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		for name, last := range map[string][]gatewaytest.Step{"end": nil, "reset": {{Cut: true}}} {
			answer := gatewaytest.Calls(gatewaytest.Call{ID: "c", Name: "f", Arguments: `{"x":1}`}).First(n)
			answer.Steps = append(answer.Steps, last...)
			b := start(t, gateway.Config{}, answer)
			r := b.post(toolTurn)
			if r.status != 200 {
				continue
			}
			if code := r.failure(t); code != "upstream_stream_error" {
				t.Errorf("%s after %d: code %q", name, n, code)
			}
			for _, e := range r.events(t) {
				if e.Type == "response.output_item.done" && e.get("item", "type") == "function_call" {
					t.Errorf("%s after %d: the call was finished", name, n)
				}
			}
		}
	}
}

func TestG73_ClientGoesAway(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Text("a", "b").First(2).Then(gatewaytest.Step{Stall: true}))
	fastest := time.Hour
	for name, answer := range map[string]gatewaytest.Answer{
		"in the stream":      gatewaytest.Text("a", "b").First(2).Then(gatewaytest.Step{Stall: true}),
		"before a byte":      gatewaytest.Text().First(0).Then(gatewaytest.Step{Stall: true}),
		"before the headers": {Delay: time.Minute},
	} {
		b.up.Script(answer)
		before := b.up.Hits()
		ctx, cancel := context.WithCancel(context.Background())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			tr := &http.Transport{}
			defer tr.CloseIdleConnections()
			resp, err := tr.RoundTrip(b.request(ctx, turn))
			if err != nil {
				return
			}
			readReply(resp)
		}()
		eventually(t, name+": the upstream is asked", func() bool { return b.up.Hits() == before+1 })
		upstreamGone := b.up.Last().Gone
		time.Sleep(20 * time.Millisecond)
		began := time.Now()
		cancel()
		<-upstreamGone
		took := time.Since(began)
		if fastest = min(fastest, took); took > time.Second {
			t.Fatalf("%s: the upstream was let go after %v", name, took)
		}
		<-gone
		eventually(t, name+": the request is over", func() bool { return b.gw.Counters().Active == 0 })
	}
	if fastest > 100*time.Millisecond {
		t.Errorf("the upstream was let go after %v at best", fastest)
	}
	if n := b.gw.Counters().Requests[gateway.OutcomeCancelled]; n != 3 {
		t.Fatalf("%d cancelled requests counted: %v", n, b.gw.Counters().Requests)
	}
}

func TestG73_NoGoroutineStays(t *testing.T) {
	b := start(t, gateway.Config{}, gatewaytest.Text("a", "b").First(2).Then(gatewaytest.Step{Stall: true}))
	b.up.Script(gatewaytest.Text("x"))
	b.turn()
	settle := func() int {
		n := runtime.NumGoroutine()
		for range 50 {
			time.Sleep(10 * time.Millisecond)
			if m := runtime.NumGoroutine(); m >= n {
				return n
			} else {
				n = m
			}
		}
		return n
	}
	before := settle()
	b.up.Script(gatewaytest.Text("a", "b").First(2).Then(gatewaytest.Step{Stall: true}))
	ctx, cancel := context.WithCancel(context.Background())
	tr := &http.Transport{}
	for range 20 {
		r := b.request(ctx, turn)
		resp, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if resp.StatusCode == 429 {
			_ = resp.Body.Close()
		}
	}
	cancel()
	tr.CloseIdleConnections()
	eventually(t, "the goroutines are gone", func() bool { return runtime.NumGoroutine() <= before })
}

func TestG74_SecretInModelText(t *testing.T) {
	t.Parallel()
	third := len(secret) / 3
	pieces := []string{"it is ", secret[:third], secret[third : 2*third], secret[2*third:], " indeed " + secret}
	b := start(t, gateway.Config{}, gatewaytest.Text(pieces...))
	r := b.turn()
	if e := r.final(t); e.Type != "response.completed" {
		t.Fatalf("ended in %s", e.Type)
	}
	if strings.Contains(r.body, secret) {
		t.Fatalf("the secret is in the stream: %s", r.body)
	}
	if got := r.text(t); got != "it is [redacted] indeed [redacted]" {
		t.Fatalf("text %q", got)
	}
	b.up.Script(gatewaytest.Calls(gatewaytest.Call{ID: "c", Name: "f", Arguments: `{"x":"` + secret + `"}`}))
	if r := b.post(toolTurn); strings.Contains(r.body, secret) || strings.Contains(r.text(t), secret) {
		t.Fatalf("the secret is in a call: %s", r.body)
	}
	b.up.Script(gatewaytest.JSON(gatewaytest.Completion("whole " + secret)))
	if r := b.post(strings.Replace(turn, `"stream":true`, `"stream":false`, 1)); strings.Contains(r.body, secret) || r.status != 200 {
		t.Fatalf("the secret is in a whole answer: %s", r.body)
	}
}

func TestG65_SecretInAStreamError(t *testing.T) {
	t.Parallel()
	b := start(t, gateway.Config{}, gatewaytest.Events(gatewaytest.Delta("a"),
		`{"error":{"message":"limit key=`+secret+`, try again in 3s","code":429}}`))
	r := b.turn()
	if code := r.failure(t); code != "rate_limit_exceeded" {
		t.Fatalf("code %q", code)
	}
	msg, _ := r.final(t).get("response", "error", "message").(string)
	if strings.Contains(r.body, secret[:12]) || !strings.Contains(msg, "try again in 3s") {
		t.Fatalf("message %q", msg)
	}
}

func TestG76_Sizes(t *testing.T) {
	t.Parallel()
	long := `{"x":"` + strings.Repeat("y", 70<<10) + `"}`
	b := start(t, gateway.Config{}, gatewaytest.Stream(gatewaytest.Chunk(
		`{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"`+strings.ReplaceAll(long, `"`, `\"`)+`"}}]}`),
		gatewaytest.Finish("tool_calls")))
	r := b.post(toolTurn)
	if got := r.final(t).get("response", "output", 0, "arguments"); got != long {
		t.Fatal("the arguments are not what was sent")
	}
	b = start(t, gateway.Config{}, gatewaytest.Events(gatewaytest.Delta("a"), gatewaytest.Delta(strings.Repeat("z", 9<<20))))
	if code := b.turn().failure(t); code != "response_too_large" {
		t.Fatalf("9 MiB line: %q", code)
	}
	pieces := make([]string, 40)
	for i := range pieces {
		pieces[i] = strings.Repeat("a", 3<<10)
	}
	b = start(t, gateway.Config{Limits: gateway.Limits{Response: 16 << 10}}, gatewaytest.Text(pieces...))
	if code := b.turn().failure(t); code != "response_too_large" {
		t.Fatalf("whole: %q", code)
	}
}

func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	whole := strings.Replace(turn, `"stream":true`, `"stream":false`, 1)
	b := start(t, gateway.Config{}, gatewaytest.JSON(gatewaytest.Completion("Hello")))
	r := b.post(whole)
	if r.status != 200 || !strings.Contains(r.body, `"Hello"`) || r.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s", r.status, r.body)
	}
	if b.up.Last().Header.Get("Accept") != "application/json" {
		t.Fatal("asked for a stream")
	}
	for name, answer := range map[string]gatewaytest.Answer{
		"html":  gatewaytest.Raw("text/html", "<p>"),
		"empty": gatewaytest.JSON(""),
		"error": gatewaytest.JSON(`{"error":{"message":"x"}}`),
		"cut":   gatewaytest.JSON(gatewaytest.Completion("Hello")[:40]).Then(gatewaytest.Step{Cut: true}),
		"stall": gatewaytest.JSON(`{`).Then(gatewaytest.Step{Stall: true}),
	} {
		b := start(t, gateway.Config{Timeouts: gateway.Timeouts{Idle: 200 * time.Millisecond}}, answer)
		if r := b.post(whole); r.status < 500 || r.code() == "" && name != "error" {
			t.Errorf("%s: %d %s", name, r.status, r.body)
		}
	}
}
