package redact_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway/redact"
)

const key = `up/stream+sec"ret&0123456789`

func TestG79_TextHidesEveryForm(t *testing.T) {
	t.Parallel()
	quoted, _ := json.Marshal(key)
	forms := map[string]string{
		"plain":        key,
		"bearer":       "Bearer " + key,
		"json":         string(quoted),
		"json slash":   strings.ReplaceAll(strings.ReplaceAll(key, `"`, `\"`), "/", `\/`),
		"query":        url.QueryEscape(key),
		"path":         url.PathEscape(key),
		"small hex":    strings.ReplaceAll(url.QueryEscape(key), "%2B", "%2b"),
		"base64":       base64.StdEncoding.EncodeToString([]byte(key)),
		"base64url":    base64.URLEncoding.EncodeToString([]byte(key)),
		"basic":        base64.StdEncoding.EncodeToString([]byte("u:" + key)),
		"basic longer": base64.StdEncoding.EncodeToString([]byte("user:" + key + "!")),
		"prefix":       key[:12],
		"suffix":       key[len(key)-12:],
		"middle":       key[5:20],
	}
	s := redact.New([]string{key}, nil)
	for name, form := range forms {
		t.Run(name, func(t *testing.T) {
			got := s.Text("before " + form + " after")
			if !strings.Contains(got, redact.Mask) {
				t.Fatalf("nothing masked: %q", got)
			}
			if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
				t.Fatalf("text around is gone: %q", got)
			}
			for i := 0; i+12 <= len(form); i++ {
				if strings.Contains(got, form[i:i+12]) {
					t.Fatalf("%q still holds %q", got, form[i:i+12])
				}
			}
		})
	}
}

func TestTextLeavesOtherThingsAlone(t *testing.T) {
	t.Parallel()
	s := redact.New([]string{key, "", "ollama"}, []string{"api.example.test:8443", "api.example.test"})
	for in, want := range map[string]string{
		"":                                  "",
		"model is ollama":                   "model is ollama",
		"up/stream":                         "up/stream",
		"dial api.example.test:8443 failed": "dial [upstream] failed",
		"see https://api.example.test/x":    "see https://[upstream]/x",
	} {
		if got := s.Text(in); got != want {
			t.Errorf("Text(%q) = %q, want %q", in, got, want)
		}
	}
	var none *redact.Secrets
	if got := none.Text(key); got != key {
		t.Errorf("nil Secrets changed the text to %q", got)
	}
	if f := redact.New([]string{"EMPTY"}, nil).Filter(); f != nil {
		t.Error("a stand-in got a filter")
	}
}

func TestG74_FilterAcrossPieces(t *testing.T) {
	t.Parallel()
	s := redact.New([]string{"upstream-secret"}, nil)
	for name, tc := range map[string]struct {
		pieces []string
		want   string
	}{
		"split":        {[]string{"say upst", "ream-sec", "ret now"}, "say [redacted] now"},
		"twice":        {[]string{"upstream-secretupstream-", "secret"}, "[redacted][redacted]"},
		"false start":  {[]string{"up", "upstream-sea"}, "upupstream-sea"},
		"restart":      {[]string{"upstream-upstream-secret"}, "upstream-[redacted]"},
		"held at end":  {[]string{"the upstream-secre"}, "the upstream-secre"},
		"other letter": {[]string{"ünïcode ", "upstream"}, "ünïcode upstream"},
	} {
		t.Run(name, func(t *testing.T) {
			f := s.Filter()
			var got []byte
			for _, p := range tc.pieces {
				got = f.Append(got, []byte(p))
			}
			if got = f.Flush(got); string(got) != tc.want {
				t.Fatalf("got %q, want %q", got, tc.want)
			}
			if f.Held() != 0 {
				t.Fatal("flush left text behind")
			}
		})
	}
}

func TestFilterPassesOrdinaryTextAtOnce(t *testing.T) {
	t.Parallel()
	f := redact.New([]string{"zx-upstream-secret"}, nil).Filter()
	text := []byte("an ordinary text without that letter")
	if got := f.Append(nil, text); !bytes.Equal(got, text) {
		t.Fatalf("held back: %q", got)
	}
}

func TestFilterDoesNotAllocate(t *testing.T) {
	f := redact.New([]string{"sk-upstream-secret"}, nil).Filter()
	dst, text := make([]byte, 0, 256), []byte("some skilful text, as a model writes it, sk")
	if n := testing.AllocsPerRun(100, func() { dst = f.Append(dst[:0], text) }); n != 0 {
		t.Fatalf("%v allocations", n)
	}
}

func FuzzFilter(f *testing.F) {
	f.Add("upstream-secret-key", "say upst", "ream-secret-key", uint8(3))
	f.Add("aaaaaaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaab", "", uint8(1))
	f.Add(`k"e/y+0123456789`, `k\"e\/y+0123456789 k%22e%2Fy%2B0123456789`, "x", uint8(7))
	f.Add("abcabcabcabd", "abcabcabcabcabcabd", "abcabd", uint8(2))
	f.Fuzz(func(t *testing.T, key, before, after string, step uint8) {
		if len(key) < redact.MinLength || len(key) > 200 || len(before)+len(after) > 4096 {
			t.Skip()
		}
		for _, c := range []byte(key) {
			// The route takes visible ASCII only; a key that shares letters with the mask can be rebuilt by it.
			if c < '!' || c > '~' || strings.IndexByte(redact.Mask, c) >= 0 {
				t.Skip()
			}
		}
		s := redact.New([]string{key}, nil)
		text := []byte(before + key + after)
		whole := s.Filter()
		want := whole.Flush(whole.Append(nil, text))
		if bytes.Contains(want, []byte(key)) {
			t.Fatalf("the key is still there: %q", want)
		}
		if !bytes.Contains(want, []byte(redact.Mask)) {
			t.Fatalf("nothing masked: %q", want)
		}
		parts := s.Filter()
		var got []byte
		for rest := text; len(rest) > 0; {
			n := min(int(step)%16+1, len(rest))
			got = parts.Append(got, rest[:n])
			rest = rest[n:]
			if parts.Held() >= 3*len(key)+8 {
				t.Fatalf("holds %d bytes back for a key of %d", parts.Held(), len(key))
			}
		}
		if got = parts.Flush(got); !bytes.Equal(got, want) {
			t.Fatalf("in pieces %q, whole %q", got, want)
		}
		if clean := s.Text(string(text)); strings.Contains(clean, key) {
			t.Fatalf("error text holds the key: %q", clean)
		}
	})
}
