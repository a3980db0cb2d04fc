package cli_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
)

// Where nobody can be asked, the flag decides, and without one nothing is allowed.
func TestPromptAnswersForThePersonWhoIsNotThere(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		flags []string
		kind  string
		want  string
	}{
		"no flag":                     {nil, "edit", "answer n1\n"},
		"deny":                        {[]string{"--permission", "deny"}, "edit", "answer n1\n"},
		"allow edits, an edit":        {[]string{"--permission", "allow-edits"}, "edit", "answer o1\n"},
		"allow edits, and no command": {[]string{"--permission", "allow-edits"}, "execute", "answer n1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTroupe(t)
			got := w.run(append([]string{"prompt", launchtest.Provider}, append(c.flags, "ask t1 "+c.kind+" the file")...)...)
			if got.status != 0 || got.out != c.want || strings.Contains(got.errors, "denied: the file") != (c.want == "answer n1\n") {
				t.Errorf("%+v, want %q", got, c.want)
			}
			if left := w.sessionDirs(); len(left) != 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
	w := newTroupe(t)
	for flag, says := range map[string]string{"ask": "needs a terminal", "perhaps": "is unknown"} {
		if got := w.run("prompt", launchtest.Provider, "--permission", flag, "say x"); got.status != 2 || !strings.Contains(got.errors, says) || got.out != "" {
			t.Errorf("%s: %+v", flag, got)
		}
	}
}

// The prompt is the text of the arguments, or of what is piped, or the one and then the other; no text at all is a wrong call.
func TestPromptTakesItsTextFromArgumentsAndStdin(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args  []string
		stdin string
		want  string // "" for a wrong call
		says  string
	}{
		"arguments":       {[]string{"say", "one"}, "", "one\n", ""},
		"stdin":           {nil, "say two\n", "two\n", ""},
		"both":            {[]string{"say one"}, "\nsay two\n", "onetwo\n", ""},
		"neither":         {nil, "", "", "there is no prompt"},
		"blanks":          {[]string{" "}, " \n\t", "", "there is no prompt"},
		"no text":         {[]string{"say one"}, "\xff\xfe", "", "no text of at most 4 MB"},
		"too much":        {nil, strings.Repeat("x", 4<<20+1), "", "no text of at most 4 MB"},
		"resumed, nobody": {[]string{"--resume", "s-1", "say one"}, "", "", "a session that was kept"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newTroupe(t)
			w.stdin = strings.NewReader(c.stdin)
			got := w.run(append([]string{"prompt", launchtest.Provider}, c.args...)...)
			status := 0
			if c.want == "" {
				status = 2
			}
			if got.status != status || got.out != c.want || !strings.Contains(got.errors, c.says) {
				t.Errorf("%+v", got)
			}
			if left := w.sessionDirs(); len(left) != 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

// A conversation goes on in a session that was kept, and what the agent does on the way stands beside the answer.
func TestPromptGoesOnAndTellsToolsApart(t *testing.T) {
	t.Parallel()
	w := newTroupe(t)
	var begin struct {
		Conversation struct{ ID string }
	}
	first, _, _ := strings.Cut(w.must("prompt", launchtest.Provider, "--session", "one", "--keep", "all", "--json", "say hello"), "\n")
	if err := json.Unmarshal([]byte(first), &begin); err != nil || begin.Conversation.ID == "" {
		t.Fatalf("%q: %v", first, err)
	}
	resumed := w.must("prompt", launchtest.Provider, "--session", "one", "--keep", "all", "--resume", begin.Conversation.ID, "show")
	if !strings.Contains(resumed, begin.Conversation.ID) {
		t.Errorf("it goes on in %q, want %s", resumed, begin.Conversation.ID)
	}
	got := w.run("prompt", launchtest.Provider, "--session", "one", "say a\ntool t1 execute ls -l\ndone t1 a file\nsay b")
	if got.status != 0 || got.out != "ab\n" || strings.Count(got.errors, "execute ls -l") != 1 || strings.Contains(got.errors, "a file") {
		t.Errorf("%+v", got)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}
