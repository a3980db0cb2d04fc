package conformance_test

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// inputs are the entries of a conversation as they were sent, byte by byte.
func inputs(t *testing.T, r upstream.Request) []json.RawMessage {
	t.Helper()
	var body struct{ Input []json.RawMessage }
	if err := json.Unmarshal(r.Body, &body); err != nil || len(body.Input) == 0 {
		t.Fatalf("no conversation: %v", err)
	}
	return body.Input
}

// goesOn demands that a request repeats another one byte by byte before it says anything new.
func goesOn(t *testing.T, before, after upstream.Request) {
	t.Helper()
	first, second := inputs(t, before), inputs(t, after)
	if len(second) <= len(first) {
		t.Fatalf("%d items after %d", len(second), len(first))
	}
	for i := range first {
		if !bytes.Equal(first[i], second[i]) {
			t.Errorf("item %d is %.200s, and was %.200s", i, second[i], first[i])
		}
	}
}

// rollout is the file of a conversation below a directory.
func rollout(t *testing.T, dir, thread string) string {
	t.Helper()
	found := ""
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.Contains(d.Name(), thread) {
			found = path
		}
		return err
	})
	if err != nil || found == "" {
		t.Fatalf("no file of %s: %v", thread, err)
	}
	return found
}

// A conversation that the user began without us goes on in a session, word for word, and in the user's own file.
func TestC223_CodexGoesOnWithTheUsersConversation(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex, upstream.Say("first-answer"), upstream.Say("second-answer"))
	// What the session has and the user's plain client has not would be new in the conversation; the prefix stays.
	thread, err := codex.thread(s.play(s.plain(codex.turn("first-prompt")...)).Stdout)
	if err != nil {
		t.Fatal(err)
	}
	file := rollout(t, s.inHome(".codex/sessions"), thread)
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g := s.open()
	home := s.take(s.home)
	session := g.session("goes-on", core.Desktop)
	session.Transcript = file
	p := g.prepare(session)
	g.run(p, codex.resume(thread, "second-prompt")...)
	turns := s.turns(2)
	goesOn(t, turns[0], turns[1])
	s.counts(s.text(turns[1]), map[string]int{"first-prompt": 1, "first-answer": 1, "second-prompt": 1})
	g.cleanup(session)
	g.nothingLeft()
	now, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(now, was) || !bytes.Contains(now, []byte("second-answer")) {
		t.Errorf("the user's file does not go on: %v", err)
	}
	rel, err := filepath.Rel(s.home, file)
	if err != nil {
		t.Fatal(err)
	}
	s.unchanged("the home", home, s.take(s.home), append(codex.ownState(), filepath.ToSlash(rel))...)
}

// A conversation of one session goes on in another one, byte by byte, and the two no longer know of each other.
func TestC281_CodexGoesOnWithAForkedConversation(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex, upstream.Say("first-answer"), upstream.Say("second-answer"), upstream.Say("third-answer"))
	g := s.open()
	parent, child := g.session("parent", core.Desktop), g.session("child", core.Desktop)
	first := g.prepare(parent)
	thread, err := codex.thread(g.run(first, codex.turn("first-prompt")...).Stdout)
	if err != nil {
		t.Fatal(err)
	}
	second := g.prepare(child)
	if err := g.host.BindFork(t.Context(), parent.Ref(), child.Ref(), thread); err != nil {
		t.Fatal(err)
	}
	g.run(second, codex.resume(thread, "second-prompt")...)
	turns := s.turns(2)
	goesOn(t, turns[0], turns[1])
	// The client lists the skills anew behind it, since the home that it finds them in is another one.
	s.counts(s.text(turns[1]), map[string]int{g.instructions(): 1, "first-prompt": 1, "first-answer": 1, "second-prompt": 1})

	// The child went on by itself: to bind it again changes nothing, and the parent knows nothing of it.
	own, err := os.ReadFile(rollout(t, codexHome(g, second), thread))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.host.BindFork(t.Context(), parent.Ref(), child.Ref(), thread); err != nil {
		t.Error(err)
	}
	if again, err := os.ReadFile(rollout(t, codexHome(g, second), thread)); err != nil || !bytes.Equal(own, again) {
		t.Errorf("C287: the child's file changed: %v", err)
	}
	g.run(first, codex.resume(thread, "third-prompt")...)
	s.counts(s.text(s.turns(3)[2]), map[string]int{"first-answer": 1, "second-prompt": 0, "third-prompt": 1})
	for _, session := range []core.Session{parent, child} {
		g.cleanup(session)
	}
	g.nothingLeft()
}

// For whom an agent writes is part of its instructions, and follows the session from one preparation to the next. What
// the user tells the client in its configuration is neither added to nor taken away.
func TestC217_C218_DetailModeLeavesTheUsersInstructions(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex, upstream.Say("done"), upstream.Say("done"))
	own := "developer_instructions = \"\"\"\nuser-developer-51c2\n### Non-technical UI\n\"\"\"\n"
	rig.Write(t, s.inHome(".codex/config.toml"), own+codexConfig(s))
	g := s.open()
	session := g.session("detail", core.Desktop)
	for turn, c := range []struct {
		mode core.DetailMode
		told int
	}{{core.General, 1}, {core.Coding, 0}} {
		session.Detail = c.mode
		g.run(g.prepare(session), codex.turn("hello")...)
		s.counts(s.text(s.turns(turn + 1)[turn]), map[string]int{
			"## How to write": c.told, "user-developer-51c2": 1, "### Non-technical UI": 1,
		})
	}
}
