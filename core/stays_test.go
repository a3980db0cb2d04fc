package core

import (
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
