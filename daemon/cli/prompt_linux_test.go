package cli_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
)

// A person at a terminal is asked, and everything but a clear yes is a no.
func TestPromptAsksThePersonAtTheTerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		prompt, asks, keys string
		want               string
	}{
		"yes":      {"ask t1 edit the file", "[y]es, [a]lways, [N]o: ", "y\n", "answer o1"},
		"no":       {"ask t1 edit the file", "[y]es, [a]lways, [N]o: ", "n\n", "answer n1"},
		"nothing":  {"ask t1 edit the file", "[y]es, [a]lways, [N]o: ", "\n", "answer n1"},
		"always":   {"ask t1 edit the file", "[y]es, [a]lways, [N]o: ", "a\n", "answer a1"},
		"a number": {"question which one", "2 blue", "2\n\n", `"colour":"blue"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTroupe(t)
			cmd, keys, screen := w.onTerminal("prompt", launchtest.Provider, "--trust-workspace", "no", c.prompt)
			if seen := untilAsked(t, screen, c.asks); c.asks != "2 blue" && !strings.Contains(seen, "edit the file") {
				t.Errorf("asked in the words %q", seen)
			}
			if _, err := keys.WriteString(c.keys); err != nil {
				t.Fatal(err)
			}
			until(t, screen, c.want)
			until(t, screen, "conversation ")
			if err := cmd.Wait(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestPromptIsCancelledByTheInterruptKey(t *testing.T) {
	t.Parallel()
	w := newTroupe(t)
	cmd, keys, screen := w.onTerminal("prompt", launchtest.Provider, "--trust-workspace", "no", "tool t1 execute begun\nsleep 5m")
	until(t, screen, "execute begun")
	if _, err := keys.WriteString("\x03"); err != nil {
		t.Fatal(err)
	}
	until(t, screen, "cancelled")
	_ = cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); got != 130 {
		t.Errorf("status %d", got)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

// What is drawn while the agent is waited for is wiped before the answer.
func TestPromptWipesThePictureOfWaiting(t *testing.T) {
	t.Parallel()
	w := newTroupe(t)
	cmd, _, screen := w.onTerminal("prompt", launchtest.Provider, "--trust-workspace", "no", "sleep 2s\nsay the answer")
	seen := until(t, screen, "the answer")
	_, waited, drawn := strings.Cut(seen, "waiting for "+launchtest.Provider)
	picture, text, wiped := cutLast(waited, "\r\x1b[K")
	if !drawn || !wiped || strings.Contains(text, "waiting for") || !strings.Contains(text, "the answer") || strings.Contains(picture, "the answer") {
		t.Errorf("%q", seen)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func cutLast(s, sep string) (before, after string, found bool) {
	i := strings.LastIndex(s, sep)
	if i < 0 {
		return s, "", false
	}
	return s[:i], s[i+len(sep):], true
}
