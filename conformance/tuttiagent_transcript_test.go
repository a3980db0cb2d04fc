package conformance_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// goOn runs a turn of a conversation in a new process, of a new conversation where none is named, and gives its id.
func (g *greenroom) goOn(p *core.Prepared, conversation, prompt string) string {
	g.Helper()
	c, err := g.launchTutti(p)
	if err != nil {
		g.Fatal(err)
	}
	var talk string
	if conversation == "" {
		begun, err := c.NewSession(g.Context())
		if err != nil {
			g.Fatal(err)
		}
		talk = begun.ID
	} else if again, err := c.Resume(g.Context(), conversation); err != nil || again.ID != conversation || again.Replaced {
		g.Fatalf("it does not go on: %+v, %v", again, err)
	} else {
		talk = again.ID
	}
	g.say(c, prompt)
	g.hangUp(c)
	return talk
}

// A conversation that the user began without us goes on in a session, word for word, and in the user's own file.
func TestC223_TuttiAgentGoesOnWithTheUsersConversation(t *testing.T) {
	t.Parallel()
	g := openTutti(t, upstream.Say("first-answer"), upstream.Say("second-answer"))
	cmd := g.plain(codex.turn("first-prompt")...)
	cmd.Env = append(cmd.Env, "CODEX_HOME="+g.inHome(".tutti-agent"))
	thread, err := codex.thread(g.play(cmd).Stdout)
	if err != nil {
		t.Fatal(err)
	}
	file := rollout(t, g.inHome(".tutti-agent/sessions"), thread)
	was, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	home := g.take(g.home)
	session := g.tuttiSession("goes-on")
	session.Transcript = file
	g.goOn(g.prepare(session), thread, "second-prompt")
	turns := g.turns(2)
	goesOn(t, turns[0], turns[1])
	g.counts(g.text(turns[1]), map[string]int{"first-prompt": 1, "first-answer": 1, "second-prompt": 1})
	g.cleanup(session)
	g.nothingLeft()
	now, err := os.ReadFile(file)
	if err != nil || !bytes.HasPrefix(now, was) || !bytes.Contains(now, []byte("second-answer")) {
		t.Errorf("the user's file does not go on: %v", err)
	}
	rel, err := filepath.Rel(g.home, file)
	if err != nil {
		t.Fatal(err)
	}
	g.unchanged("the home", home, g.take(g.home), append(tuttiOwn(), filepath.ToSlash(rel))...)
}

// A conversation of one session goes on in another one, byte by byte, and the two no longer know of each other.
func TestC281_TuttiAgentGoesOnWithAForkedConversation(t *testing.T) {
	t.Parallel()
	g := openTutti(t, upstream.Say("first-answer"), upstream.Say("second-answer"), upstream.Say("third-answer"))
	parent, child := g.tuttiSession("parent"), g.tuttiSession("child")
	first, second := g.prepare(parent), g.prepare(child)
	talk := g.goOn(first, "", "first-prompt")
	bind := func() {
		if err := g.host.BindFork(t.Context(), parent.Ref(), child.Ref(), talk); err != nil {
			t.Fatal(err)
		}
	}
	bind()
	g.goOn(second, talk, "second-prompt")
	turns := g.turns(2)
	goesOn(t, turns[0], turns[1])
	g.counts(g.text(turns[1]), map[string]int{"# " + product + " session": 1, "first-prompt": 1, "first-answer": 1, "second-prompt": 1})

	// The child went on by itself: to bind it again changes nothing, and the parent knows nothing of it.
	read := func() []byte {
		data, err := os.ReadFile(rollout(t, filepath.Join(second.Dir, "tutti-agent/sessions"), talk))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	own := read()
	bind()
	if !bytes.Equal(own, read()) {
		t.Error("C287: the child's file changed")
	}
	g.goOn(first, talk, "third-prompt")
	g.counts(g.text(g.turns(3)[2]), map[string]int{"first-answer": 1, "second-prompt": 0, "third-prompt": 1})
	g.cleanup(parent)
	g.cleanup(child)
	g.nothingLeft()
}
