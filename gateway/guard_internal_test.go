package gateway

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/redact"
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
		g := &guard{secrets: redact.New([]string{key}, nil)}
		var out []byte
		for b := stream.Bytes(); len(b) > 0; {
			n := min(int(cutBytes)+1, len(b))
			out = g.write(out, b[:n])
			b = b[n:]
		}
		out = append(g.flush(out), g.rest...)
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
