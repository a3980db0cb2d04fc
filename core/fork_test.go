package core

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	conversation = "0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee"
	rollout      = "prop/talks/2026/talk-" + conversation + ".jsonl"
	talk         = `{"meta":{"id":"` + conversation + `"}}` + "\n" + `{"n":1}` + "\n"
)

// talking is a prop whose conversations can be brought into a session.
func talking(provider string) prop {
	return prop{provider: provider, describe: func(d *preparer.Descriptor) {
		d.Transcripts = preparer.Transcripts{
			Dirs: []string{"prop/talks", "prop/archive"}, From: []preparer.Location{preparer.At("prop", "talks"), preparer.At("prop", "archive")},
			Suffix: ".jsonl", ID: preparer.Key("meta", "id"),
		}
	}}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestC280_C281_AForkedConversationComesAlong(t *testing.T) {
	t.Parallel()
	s := newStage(t, talking("prop"))
	parent, child := s.prepare(s.session("parent")), s.prepare(s.session("child"))
	write(t, filepath.Join(parent.Dir, rollout), talk)
	for range 2 {
		if err := s.host.BindFork(t.Context(), parent.Ref, child.Ref, conversation); err != nil {
			t.Fatal(err)
		}
		if got := s.read(filepath.Join(child.Dir, rollout)); got != talk {
			t.Errorf("the child has %q", got)
		}
	}
	// It is the child's own: what it says there stays, and outlives the parent.
	s.cleanup(s.session("parent"))
	write(t, filepath.Join(child.Dir, rollout), talk+`{"n":2}`+"\n")
	s.prepare(s.session("child"))
	if got := s.read(filepath.Join(child.Dir, rollout)); got != talk+`{"n":2}`+"\n" {
		t.Errorf("prepared again the child has %q", got)
	}
}

func TestC280_ForksThatAreRefused(t *testing.T) {
	t.Parallel()
	other := talking("other")
	other.describe = nil
	s := newStage(t, talking("prop"), other)
	parent := s.prepare(s.session("parent"))
	child := s.prepare(s.session("child"))
	ses := s.session("elsewhere")
	ses.Provider = "other"
	elsewhere := s.prepare(ses)
	write(t, filepath.Join(parent.Dir, rollout), talk)
	none := Ref{Workspace: "w1", ID: "none"}
	for name, c := range map[string]struct {
		parent, child Ref
		id            string
		want          Code
	}{
		"no such parent":         {none, child.Ref, conversation, ErrNotFound},
		"no such child":          {parent.Ref, none, conversation, ErrNotFound},
		"itself":                 {parent.Ref, parent.Ref, conversation, ErrInvalid},
		"no id":                  {parent.Ref, child.Ref, "", ErrInvalid},
		"an id that is a path":   {parent.Ref, child.Ref, "../../talks", ErrInvalid},
		"a blank session":        {parent.Ref, Ref{Workspace: "w1"}, conversation, ErrInvalid},
		"another conversation":   {parent.Ref, child.Ref, "0199aaaa-0000-0000-0000-000000000000", ErrTranscript},
		"another provider":       {parent.Ref, elsewhere.Ref, conversation, ErrSessionMismatch},
		"a client that has none": {elsewhere.Ref, child.Ref, conversation, ErrRefused},
	} {
		if err := s.host.BindFork(t.Context(), c.parent, c.child, c.id); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %s", name, err, c.want)
		}
	}
	if _, err := os.Lstat(filepath.Join(child.Dir, rollout)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("something was copied: %v", err)
	}
}

func TestC223_AConversationOfTheUsersGoesOn(t *testing.T) {
	t.Parallel()
	s := newStage(t, talking("prop"))
	file := s.path("home/.prop/talks/2026/talk-" + conversation + ".jsonl")
	write(t, file, talk)
	ses := s.session("one")
	ses.Transcript = file
	p := s.prepare(ses)
	at := filepath.Join(p.Dir, rollout)
	if to, err := os.Readlink(at); err != nil || to != file {
		t.Errorf("it leads to %q, %v", to, err)
	}
	if again := s.prepare(ses); again.Generation != p.Generation {
		t.Error("preparing again changed something")
	}
	s.cleanup(ses)
	if got := s.read(file); got != talk {
		t.Errorf("after clean-up the user's file holds %q", got)
	}
}

func TestC223_ConversationsThatAreNotTaken(t *testing.T) {
	t.Parallel()
	s := newStage(t, talking("prop"), prop{provider: "other"})
	s.write("home/.prop/talks/note.txt", talk)
	s.write("home/elsewhere/talk.jsonl", talk)
	s.write("home/.prop/talks/real.jsonl", talk)
	if err := os.Symlink(s.path("home/elsewhere/talk.jsonl"), s.path("home/.prop/talks/link.jsonl")); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ provider, file, code string }{
		"none":                     {"prop", "", ""},
		"missing":                  {"prop", s.path("home/.prop/talks/none.jsonl"), "transcript_missing"},
		"a directory":              {"prop", s.path("home/.prop/talks"), "transcript_missing"},
		"of another ending":        {"prop", s.path("home/.prop/talks/note.txt"), "transcript_missing"},
		"outside":                  {"prop", s.path("home/elsewhere/talk.jsonl"), "transcript_outside"},
		"a link that leads out":    {"prop", s.path("home/.prop/talks/link.jsonl"), "transcript_outside"},
		"for another client":       {"other", s.path("home/.prop/talks/real.jsonl"), "transcript_not_taken"},
		"spelled to lead back out": {"prop", s.path("home/.prop/talks") + "/../../elsewhere/talk.jsonl", "transcript_outside"},
	} {
		ses := s.session(name)
		ses.Provider, ses.Transcript = c.provider, c.file
		p := s.prepare(ses)
		if _, err := os.Lstat(filepath.Join(p.Dir, "prop", "talks")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: something stands there: %v", name, err)
		}
		said := slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == c.code })
		if said != (c.code != "") {
			t.Errorf("%s: %s is said: %v", name, c.code, said)
		}
	}
	ses := s.session("relative")
	ses.Transcript = "talks/real.jsonl"
	if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, ErrInvalid) {
		t.Errorf("a relative path: %v", err)
	}
}
