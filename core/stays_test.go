package core

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// What a client cannot leave out is said to come along, even where others of its kind stay out.
func TestWhatStaysIsReported(t *testing.T) {
	t.Parallel()
	p := prop{provider: "prop", describe: func(d *preparer.Descriptor) { d.Inputs[1].Carries[0].Stays = true }}
	s := newStage(t, p)
	ses := s.session("one")
	for preset, want := range map[Preset]InheritState{Desktop: CameAlong, Automation: NotExcluded} {
		ses.Inherit = Inherit{Preset: preset}
		for _, i := range s.prepare(ses).Inherited {
			if i.Kind == preparer.MCPServers && i.State != want {
				t.Errorf("%s: %s %s is reported as %s", preset, i.Kind, i.Name, i.State)
			}
		}
	}
}

// What a client never takes into a session on an endpoint is said to stay out there, whoever asked for it.
func TestWhatStaysOffAnEndpointIsReported(t *testing.T) {
	t.Parallel()
	p := binding()
	describe := p.describe
	p.describe = func(d *preparer.Descriptor) {
		describe(d)
		d.Inherit[preparer.MCPServers] = preparer.Exclusion{How: preparer.ByLayout, OffEndpoint: true}
	}
	s := newStage(t, p)
	plain := s.session("plain")
	onEndpoint := bound(s.session("bound"), "http://127.0.0.1:1/v1")
	for ses, want := range map[*Session]InheritState{&plain: CameAlong, &onEndpoint: LeftOut} {
		found := 0
		for _, i := range s.prepare(*ses).Inherited {
			if i.Kind == preparer.MCPServers {
				found++
				if i.State != want {
					t.Errorf("%s: %s %s is reported as %s, want %s", ses.ID, i.Kind, i.Name, i.State, want)
				}
			}
		}
		if found == 0 {
			t.Errorf("%s: nothing was found", ses.ID)
		}
	}
}

// Sessions of one kind share what was asked for one of them, so no two choices may be written alike.
func TestChoicesAreWrittenApart(t *testing.T) {
	t.Parallel()
	seen := map[string][]string{}
	for _, names := range [][]string{nil, {"a"}, {"b"}, {"a", "b"}, {"a,b"}, {`"a,b"`}, {`"a`, `b"`}, {"a\nskills=all"}, {`a\nskills=all`}, {""}} {
		text := strings.Join(choices(preparer.Inherit{preparer.MCPServers: {Mode: preparer.Only, Names: names}}), "\n")
		if had, ok := seen[text]; ok {
			t.Errorf("%q and %q are both written %q", had, names, text)
		}
		seen[text] = names
	}
}
