package gateway

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/redact"
	"github.com/greenroom-agents/greenroom/gateway/sse"
)

// FuzzGuard: however texts and bytes are cut, no credential comes out, and a stream without one comes out as it was.
func FuzzGuard(f *testing.F) {
	f.Add("say secret-credential now", uint8(3), uint8(5), false)
	f.Add("secret-secret-credentialsecret-credentia", uint8(1), uint8(1), true)
	f.Add("no such thing, sec", uint8(4), uint8(200), true)
	f.Add("sé\"cret\\-credential\n", uint8(2), uint8(7), false)
	f.Fuzz(func(t *testing.T, text string, cutText, cutBytes uint8, crlf bool) {
		if len(text) > 2000 || strings.Contains(text, "\uFFFD") {
			t.Skip()
		}
		const key = "secret-credential"
		var stream bytes.Buffer
		blank := "\n\n"
		if crlf {
			blank = "\r\n\r\n"
		}
		rest := []rune(text)
		for n := int(cutText)%7 + 1; len(rest) > 0; {
			piece, err := json.Marshal(string(rest[:min(n, len(rest))]))
			if err != nil {
				t.Skip()
			}
			rest = rest[min(n, len(rest)):]
			stream.WriteString(`data: {"choices":[{"delta":{"content":` + string(piece) + `},"index":0}]}` + blank)
		}
		stream.WriteString("data: [DONE]" + blank)
		g := newGuard(redact.New([]string{key}, nil))
		var out []byte
		for b := stream.Bytes(); len(b) > 0; {
			n := min(int(cutBytes)+1, len(b))
			out = g.write(out, b[:n])
			b = b[n:]
		}
		out = g.end(out)
		var seen strings.Builder
		for _, line := range strings.Split(string(out), "\n") {
			data, ok := strings.CutPrefix(strings.TrimSpace(line), "data: {")
			if !ok {
				continue
			}
			var e struct {
				Choices []struct{ Delta struct{ Content string } }
			}
			if err := json.Unmarshal([]byte("{"+data), &e); err != nil {
				t.Fatalf("%v in %q", err, line)
			}
			seen.WriteString(e.Choices[0].Delta.Content)
		}
		if strings.Contains(seen.String(), key) {
			t.Fatalf("the credential came out of %q", text)
		}
		plain := string([]rune(text))
		if !strings.Contains(plain, key) && !bytes.Equal(out, stream.Bytes()) {
			t.Fatalf("%q was changed to\n%s", stream.String(), out)
		}
		if want := strings.ReplaceAll(plain, key, redact.Mask); strings.Contains(plain, key) && seen.String() != want {
			t.Fatalf("text %q, want %q", seen.String(), want)
		}
		if !bytes.HasSuffix(out, []byte("data: [DONE]"+blank)) {
			t.Fatalf("the end is missing: %q", out)
		}
	})
}

// However an upstream cuts, interleaves and frames what it says, no text of the stream holds the credential, and every
// other one is as it was.
func TestG74_GuardFollowsEveryText(t *testing.T) {
	t.Parallel()
	const key = "secret-credential"
	delta := func(fields string) string { return `{"choices":[{"index":0,"delta":{` + fields + `}}]}` }
	call := func(index int, arguments string) string {
		return delta(fmt.Sprintf(`"tool_calls":[{"index":%d,"function":{"arguments":"%s"}}]`, index, arguments))
	}
	block := func(index int, typ, field, text string) string {
		return fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"%s","%s":"%s"}}`, index, typ, field, text)
	}
	for name, tc := range map[string]struct {
		events []string
		blank  string
		want   []string // the texts, by channel, in any order
	}{
		"thoughts beside an empty text": {events: []string{delta(`"content":"","reasoning_content":"a secret-"`), delta(`"content":"","reasoning_content":"credential b"`)}, want: []string{"a [redacted] b"}},
		"calls that take turns":         {events: []string{call(0, "secret-"), call(1, "x"), call(0, "cred"), call(1, "y"), call(0, "ential")}, want: []string{"[redacted]", "xy"}},
		"two texts that are none":       {events: []string{call(0, "secret-"), call(1, "credential")}, want: []string{"secret-", "credential"}},
		"a comment between":             {events: []string{delta(`"content":"secret-"`), ": note", delta(`"content":"credential"`)}, want: []string{"[redacted]"}},
		"an event between":              {events: []string{delta(`"content":"secret-"`), `{"type":"ping"}`, delta(`"content":"credential"`)}, want: []string{"[redacted]"}},
		"escapes":                       {events: []string{delta(`"content":"\u0073ecret-"`), delta(`"content":"cr\u0065dential"`)}, want: []string{"[redacted]"}},
		"parts":                         {events: []string{delta(`"content":[{"type":"text","text":"secret-"}]`), delta(`"content":[{"type":"text","text":"credential"}]`)}, want: []string{"[redacted]"}},
		"arguments of messages":         {events: []string{block(1, "input_json_delta", "partial_json", "secret-"), block(0, "text_delta", "text", "t"), block(1, "input_json_delta", "partial_json", "credential")}, want: []string{"[redacted]", "t"}},
		"line feeds and both":           {events: []string{delta(`"content":"secret-"`), delta(`"content":"credential"`)}, blank: "\n\r\n", want: []string{"[redacted]"}},
		"carriage returns":              {events: []string{delta(`"content":"secret-"`), delta(`"content":"credential"`)}, blank: "\r\r", want: []string{"[redacted]"}},
		"several lines":                 {events: []string{delta(`"content":"secret-"`), "{\"choices\":[{\ndata: \"delta\":\ndata:{\"content\":\"credential\"}, \"index\":0}]}"}, want: []string{"[redacted]"}},
		"a name in front":               {events: []string{"event: x\ndata: " + delta(`"content":"secret-"`), delta(`"content":"credential"`)}, want: []string{"[redacted]"}},
		"a mark in front":               {events: []string{"\uFEFFdata: " + delta(`"content":"secret-"`), delta(`"content":"credential"`)}, want: []string{"[redacted]"}},
		"never the rest":                {events: []string{delta(`"content":"secret-"`), call(0, "x")}, want: []string{"secret-", "x"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tc.blank == "" {
				tc.blank = "\n\n"
			}
			var stream strings.Builder
			for _, e := range tc.events {
				if strings.HasPrefix(e, "{") {
					e = "data: " + e
				}
				stream.WriteString(e + tc.blank)
			}
			whole := strings.TrimRight(stream.String(), "\r\n")
			for _, size := range []int{1, 7, stream.Len()} {
				g := newGuard(redact.New([]string{key}, nil))
				var out []byte
				for b := []byte(whole); len(b) > 0; {
					n := min(size, len(b))
					out = g.write(out, b[:n])
					b = b[n:]
				}
				out = g.end(out)
				if got := textsOf(t, out); !slices.Equal(got, slices.Sorted(slices.Values(tc.want))) {
					t.Errorf("by %d: %q in\n%s", size, got, out)
				}
			}
		})
	}
}

// A text that never goes on must not keep back what others say.
func TestGuardWaitsForAFewEventsOnly(t *testing.T) {
	t.Parallel()
	g := newGuard(redact.New([]string{"secret-credential"}, nil))
	out := g.write(nil, []byte(`data: {"content":"se"}`+"\n\n"))
	for range maxWaiting {
		out = g.write(out, []byte(`data: {"text":"other"}`+"\n\n"))
	}
	if !bytes.HasPrefix(out, []byte(`data: {"content":"se"}`)) {
		t.Errorf("got %q", out)
	}
}

func TestG06_HostWithoutThePortOfHTTP(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{"127.0.0.1": true, "127.0.0.1:80": true, "127.0.0.1:81": false, "127.0.0.1:80:80": false, "localhost": false, "": false} {
		l := &listener{host: "127.0.0.1:80"}
		if got := l.guard(&http.Request{Host: host}) == nil; got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
}

// textsOf joins the texts of a stream by the way to them.
func textsOf(t *testing.T, stream []byte) []string {
	t.Helper()
	all := map[string]string{}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			if n, ok := v["index"].(float64); ok {
				path += fmt.Sprint("#", n)
			}
			for k, e := range v {
				if s, ok := e.(string); ok && k != "type" {
					all[path+k] += s
				}
				walk(path+k, e)
			}
		case []any:
			for _, e := range v {
				walk(path, e)
			}
		}
	}
	for r := sse.NewReader(bytes.NewReader(stream), sse.Limits{}, nil); ; {
		e, err := r.Next()
		if err != nil {
			break
		}
		var v any
		if err := json.Unmarshal(e.Data, &v); err != nil {
			t.Fatalf("%v in %q", err, stream)
		}
		walk("", v)
	}
	var texts []string
	for _, s := range all {
		if s != "" {
			texts = append(texts, s)
		}
	}
	slices.Sort(texts)
	return texts
}
