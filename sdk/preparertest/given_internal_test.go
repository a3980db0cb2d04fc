package preparertest

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// without is the good adapter with entries of one kind left out of its layouts.
func without[E p.Entry]() actor {
	return then(func(l *p.Layout, _ p.Request) {
		l.Entries = slices.DeleteFunc(l.Entries, func(e p.Entry) bool { _, is := e.(E); return is })
	})
}

// sectioned is the good adapter that places a section of its instructions, and forgets that there are others.
func sectioned() actor {
	return then(func(l *p.Layout, r p.Request) {
		for i, e := range l.Entries {
			if b, ok := e.(p.Block); ok && len(r.Instructions.Sections) > 0 {
				b.Body = []p.Value{r.Instructions.Section(r.Instructions.Sections[0])}
				l.Entries[i] = b
			}
		}
	})
}

// TestAnAdapterThatHangsDoesNotHoldUpTheKit: it is asked once, and found out.
func TestAnAdapterThatHangsDoesNotHoldUpTheKit(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	defer close(over)
	bad := good()
	bad.wait = func(context.Context) { <-over }
	b := &bounded{Preparer: bad, limit: 100 * time.Millisecond}
	found := survey(t.Context(), b, 1000, 1)[Answers]
	if len(found) != most || !strings.Contains(found[0].Error(), "did not answer within 100ms") {
		t.Errorf("found %v", found)
	}
}

func TestWhatAnAdapterMayNotImport(t *testing.T) {
	t.Parallel()
	for imported, bad := range map[string]bool{
		"os": true, "os/exec": true, "net/http/httptest": true, "time": true, "math/rand/v2": true, "path/filepath": true, "runtime": true,
		"net/url": false, "path": false, "strings": false, "context": false, "example.com/os": false,
	} {
		if found := pure("example.com/adapter", []string{imported}); len(found) > 0 != bad {
			t.Errorf("%s: found %v", imported, found)
		}
	}
}

func TestDifferenceIsTheFirstLineThatIsNotTheSame(t *testing.T) {
	t.Parallel()
	for want, pair := range map[string][2]string{
		`"b" and "c"`:                      {"a\n  b\nd", "a\n  c\nd"},
		"one goes on where the other ends": {"a", "a\nb"},
	} {
		if have := difference(pair[0], pair[1]); have != want {
			t.Errorf("%q: %s, want %s", pair, have, want)
		}
	}
}

// TestSkillsWhereTheyAreFound: a client that finds nested skills, one whose folder is the place itself, and one that is
// told the root.
func TestSkillsWhereTheyAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		at      string
		channel p.SkillChannel
	}{
		"nested":      {"actor/skills/greenroom", p.SkillChannel{Kind: p.SkillDirectory, Nested: true}},
		"the folder":  {"actor/skills", p.SkillChannel{Kind: p.SkillDirectory}},
		"plugin":      {"plugin/skills", p.SkillChannel{Kind: p.SkillPlugin}},
		"extra roots": {"actor/skills/greenroom", p.SkillChannel{Kind: p.SkillExtraRoots}},
	} {
		d, l := good().desc, p.NewLayout()
		d.Skills = c.channel
		l.Skills(p.PlaceSkills{At: p.Session(c.at)})
		if d.Skills.Kind == p.SkillExtraRoots {
			d.Client.Transport = p.CodexAppServer
			l.Action(p.Action{Kind: p.ExtraRoots, At: p.Session(c.at)})
			l.Action(p.Action{Kind: p.VerifySkills})
		}
		if found := CheckLayout(d, l); len(found) != 0 {
			t.Errorf("%s: found %v", name, found)
		}
	}
}
