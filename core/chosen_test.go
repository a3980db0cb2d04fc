package core

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// What was chosen for a session can be read back, to prepare it again, and nothing that binds it to an endpoint is lost.
func TestChoicesAreReadBack(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]Inherit{
		"nothing said": {},
		"nothing":      {Preset: Automation},
		"names": {Kinds: map[preparer.Kind]preparer.Choice{
			preparer.Skills:  {Mode: preparer.Only, Names: []string{"a", "b,c", `d"e`, "f g", "h\ti", `"j`}},
			preparer.Plugins: {Mode: preparer.None},
		}},
	} {
		want, err := in.resolve()
		if err != nil {
			t.Fatal(name, err)
		}
		back, err := chosen(choices(want))
		if err != nil {
			t.Fatal(name, err)
		}
		got, err := back.resolve()
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if _, err := chosen([]string{`skills=only,"a`}); CodeOf(err) != ErrCorrupt {
		t.Errorf("a torn name: %v", err)
	}
}

// A session tells which conversation its client had last, and that of a client's own making is held to what ids look like.
func TestConversationIsRemembered(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session("one")
	ses.Endpoint = nil
	p := s.prepare(ses)
	lease, err := s.host.Hold(t.Context(), p.Ref)
	if err != nil {
		t.Fatal(err)
	}
	talk := func() string {
		i, err := s.host.Session(t.Context(), p.Ref)
		if err != nil {
			t.Fatal(err)
		}
		if i.Models != "native" {
			t.Errorf("it runs on %q", i.Models)
		}
		return i.Conversation
	}
	if got := talk(); got != "" {
		t.Errorf("before there is one: %q", got)
	}
	for _, id := range []string{"ses_1", "0197-ab"} {
		if err := lease.Remember(id); err != nil || talk() != id {
			t.Errorf("%s: %v, %q", id, err, talk())
		}
	}
	for _, id := range []string{"", "--resume", "a b", "a\nb", "é"} {
		if err := lease.Remember(id); CodeOf(err) != ErrInvalid || talk() != "0197-ab" {
			t.Errorf("%q: %v", id, err)
		}
	}
	if _, err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := lease.Remember("x"); CodeOf(err) != ErrInvalid {
		t.Errorf("after its end: %v", err)
	}
	s.prepare(ses)
	if got := talk(); got != "0197-ab" {
		t.Errorf("after it was prepared again: %q", got)
	}
	if _, err := s.host.Cleanup(t.Context(), p.Ref, CleanupOptions{}); err != nil {
		t.Error(err)
	}
}
