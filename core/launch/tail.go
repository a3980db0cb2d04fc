package launch

import (
	"bytes"
	"strings"
	"sync"

	"github.com/greenroom-agents/greenroom/core"
)

// Bounds of what is kept of a client's words.
const (
	tailSize = 16 << 10
	tailShow = 6   // lines of it that go into an error
	maxWords = 600 // bytes of a message of the client's that go into an error
)

// tail keeps the end of the client's error stream.
type tail struct {
	redact func(string) string
	mu     sync.Mutex
	kept   []byte
}

func newTail(redact func(string) string) *tail { return &tail{redact: redact} }

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, b[max(0, len(b)-tailSize):]...)
	if over := len(t.kept) - tailSize; over > 0 {
		t.kept = append(t.kept[:0], t.kept[over:]...)
	}
	return len(b), nil
}

// lines are the last whole lines, with secrets masked. The first kept line may have lost its beginning, and with it what
// a secret is known by, so it is not shown.
func (t *tail) lines() string {
	t.mu.Lock()
	text := t.kept
	if len(text) == tailSize {
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			text = text[i+1:]
		} else {
			text = nil
		}
	}
	shown := strings.TrimSpace(strings.ToValidUTF8(string(text), "?"))
	t.mu.Unlock()
	all := strings.Split(t.redact(shown), "\n")
	all = all[max(0, len(all)-tailShow):]
	for i, line := range all {
		all[i] = cut(strings.TrimRight(line, "\r"), maxWords)
	}
	return strings.Join(all, "\n")
}

// cut shortens a text to n bytes, between characters.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "") + "…"
}

// redactor masks the values of a session's secrets, and says the directories of the user's by what they are.
func redactor(p *core.Prepared, environ []string) func(string) string {
	var pairs []string
	for _, s := range secretsOf(p) {
		// Anything shorter would mask ordinary words, and is no credential.
		if len(s) >= 6 {
			pairs = append(pairs, s, "[masked]")
		}
	}
	home := ""
	for _, kv := range environ {
		if name, value, _ := strings.Cut(kv, "="); name == "HOME" || name == "USERPROFILE" {
			home = value
		}
	}
	// In this order, since one may lie in the other.
	for _, d := range []struct{ path, name string }{{p.Dir, "<session>"}, {p.Cwd, "<workspace>"}, {home, "~"}} {
		if len(d.path) > 1 {
			pairs = append(pairs, d.path, d.name)
		}
	}
	return strings.NewReplacer(pairs...).Replace
}
