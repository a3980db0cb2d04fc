package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway/chat"
	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/responses"
	"github.com/greenroom-agents/greenroom/gateway/sse"
)

// Each fault that users of other gateways reported has an input in the corpus, which every test run goes through.
func TestEveryFaultIsInTheCorpus(t *testing.T) {
	t.Parallel()
	rows := []int{1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 16, 17, 19, 20, 21, 23, 24, 25, 27, 28, 30, 31, 33, 34, 35, 37, 39, 41, 42, 44}
	for _, row := range rows {
		inputs, err := filepath.Glob(fmt.Sprintf("testdata/fuzz/Fuzz*/F%02d-*", row))
		if err != nil || len(inputs) == 0 {
			t.Errorf("F%02d: no input, %v", row, err)
		}
	}
}

// fuzzOptions chooses options by a number.
func fuzzOptions(choice uint8) *Options {
	opt := testOptions()
	names := dialect.Names()
	opt.Dialect, _ = dialect.Named(names[int(choice)%len(names)])
	if choice&16 != 0 {
		opt.Dialect.System, opt.Dialect.StrictIDs, opt.Dialect.NoVision = dialect.UserTag, true, true
	}
	if choice&32 != 0 {
		opt.Dialect.Think, opt.PromoteReasoning = dialect.ThinkAnywhere, true
		opt.Dialect.Schema, opt.Dialect.Echo = dialect.SchemaMoonshot, dialect.EchoInlineThink
	}
	if choice&64 != 0 {
		opt.Redact = func() Filter { return &secretFilter{} }
		opt.RedactText = func(s string) string { return strings.ReplaceAll(s, "secret", "[redacted]") }
		opt.Dialect.Think, opt.DropHostedHistory = dialect.ThinkOpen, true
	}
	if choice&128 != 0 {
		opt.SealKey, opt.Strict = []byte("key"), true
	}
	return opt
}

// FuzzRequest gives any JSON: it is refused with an error for the client, or becomes a request that the strictest
// upstream takes, always by the same bytes.
func FuzzRequest(f *testing.F) {
	for _, bodies := range recorded(f) {
		for i, body := range bodies {
			f.Add([]byte(body), uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, choice uint8) {
		opt := fuzzOptions(choice)
		req, err := responses.ParseRequest(body, opt.Strict)
		var out, again []byte
		if err == nil {
			if out, _, err = Request(req, opt); err == nil {
				again, _, _ = Request(req, opt)
			}
		}
		if err != nil {
			var e *responses.Error
			if !errors.As(err, &e) || e.Status != http.StatusBadRequest || !json.Valid(e.AppendJSON(nil)) {
				t.Fatalf("not an error for the client: %#v", err)
			}
			return
		}
		if !bytes.Equal(out, again) {
			t.Fatalf("the second time it was\n%s\nafter\n%s", again, out)
		}
		if err := chat.Validate(out, extensions); err != nil {
			t.Fatalf("a strict upstream refuses it: %v\n%s", err, out)
		}
	})
}

// FuzzStream gives any bytes, cut anywhere, as an upstream's stream and as its whole answer. What comes out follows the
// grammar, ends once, finishes no call of a broken answer, and does not depend on the cuts.
func FuzzStream(f *testing.F) {
	for _, evs := range streamFixtures(f) {
		f.Add([]byte("data: "+strings.Join(chunksFor(evs), "\n\ndata: ")), uint8(3), uint8(0))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut, choice uint8) {
		out := fuzzRun(t, bytes.NewReader(stream), choice)
		if choice&4 == 0 {
			if other := fuzzRun(t, &cutter{rest: stream, size: int(cut) + 1}, choice); !bytes.Equal(out, other) {
				t.Fatalf("cut otherwise it is\n%s\nafter\n%s", other, out)
			}
		}
		if choice&64 != 0 && bytes.Contains(out, []byte("secret")) {
			t.Fatalf("not hidden:\n%s", out)
		}
		s := newStream(t, fuzzOptions(choice), streamRequest)
		if out := s.Answer(nil, stream); s.EarlyError() == nil {
			if err := responses.Validate(out); err != nil {
				t.Fatalf("whole: %v\n%s", err, out)
			}
		} else if len(out) > 0 || s.EarlyError().Message == "" || s.EarlyError().Status < 400 {
			t.Fatalf("%v after\n%s", s.EarlyError(), out)
		}
		opt := fuzzOptions(choice)
		if body, _, e := Answer(s.ctx, opt, stream, 1, 2); (e == nil) != json.Valid(body) {
			t.Fatalf("%v beside %s", e, body)
		}
		if e := HTTPError(400+int(choice), nil, stream, StatusMode(choice&1), time.Time{}); e.Message == "" || !json.Valid(e.AppendJSON(nil)) {
			t.Fatalf("%+v", e)
		}
	})
}

func fuzzRun(t *testing.T, r io.Reader, choice uint8) []byte {
	s := newStream(t, fuzzOptions(choice), streamRequest)
	reader := sse.NewReader(r, sse.Limits{Line: 1 << 20, Event: 1 << 20, Total: 1 << 21}, nil)
	var out []byte
	for !s.Done() && s.EarlyError() == nil {
		e, err := reader.Next()
		if err != nil {
			out = s.End(out, EndEOF)
			break
		}
		if out = s.Event(out, e.Name, e.Data); choice&4 != 0 && s.EarlyError() == nil {
			out = s.KeepAlive(out)
		}
	}
	if e := s.EarlyError(); e != nil {
		if len(out) > 0 {
			t.Fatalf("an early error behind\n%s", out)
		}
		out = s.Fail(out, e)
	}
	if err := responses.Validate(out); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if o := s.Outcome(); o.Calls > 0 && o.Status != "completed" {
		t.Fatalf("%+v\n%s", o, out)
	}
	return out
}

type cutter struct {
	rest []byte
	size int
}

func (c *cutter) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
