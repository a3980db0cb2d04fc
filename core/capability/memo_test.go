package capability_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// With a memory the result is the one without, whatever a pack, a source or the session says the next time, also in values
// that were handed over before.
func TestMemoResolvesAsIfItHadNone(t *testing.T) {
	t.Parallel()
	texts, err := canon.Default()
	if err != nil {
		t.Fatal(err)
	}
	said := capability.CapabilityContribution{Enabled: true, EnvOverlay: []string{"APP_MODE=one"},
		PolicySections: []capability.PolicySection{{Anchor: capability.Tools, Key: "a", Body: "one"}}}
	var failed error
	pack := capability.CapabilityPack{Name: "app", Resolve: func(context.Context, capability.View) (capability.CapabilityContribution, error) {
		return said, failed
	}}
	brought := []capability.SkillSpec{{Skill: skill.Skill{Name: "mine", Files: map[string][]byte{skill.MainFile: []byte("---\nname: mine\ndescription: One.\n---\none\n")}}}}
	r := capability.Request{
		Profile: capability.DeploymentProfile{Name: "p", Packs: []capability.CapabilityPack{capability.CoreSkills(), pack}}, Texts: texts,
		Descriptor: preparer.Descriptor{Skills: preparer.SkillChannel{Kind: preparer.SkillDirectory, Names: preparer.PlainNames}},
		Connectors: &connector.Context{Hints: []connector.Hint{{Key: "crm", DisplayName: "Customers", Aliases: []string{"sales"}}}},
		Agent:      canon.Agent{Name: "one", Tools: []string{"hammer"}},
		Sources: []capability.SkillSource{capability.SkillSourceFunc(func(context.Context, capability.SkillContext) ([]capability.SkillSpec, error) {
			return brought, nil
		})},
	}
	var memo capability.Memo
	var last *capability.Resolved
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"nothing", func() {}},
		{"a variable", func() { said.EnvOverlay[0] = "APP_MODE=two" }},
		{"the text of a section", func() { said.PolicySections[0].Body = "two" }},
		{"its delivery", func() { said.PolicySections[0].Delivery = capability.SkillBundle }},
		{"a byte of a skill", func() { brought[0].Files[skill.MainFile][38] ^= 1 }},
		{"a file of a skill", func() { brought[0].Files["more.md"] = []byte("more") }},
		{"who brings it", func() { brought[0].Source = "app" }},
		{"a tool of the agent", func() { r.Agent.Tools[0] = "saw" }},
		{"a hint", func() { r.Connectors.Hints[0].Aliases[0] = "deals" }},
		{"the person", func() { r.General = true }},
		{"the spelling of names", func() { r.Descriptor.Skills.Names = preparer.PluginNames }},
		{"the name of a pack", func() { r.Profile.Packs[1].Name = "app2" }},
		{"no skills", func() { r.SkipSkills = true }},
		{"a pack less", func() { said.Enabled = false }},
	} {
		c.change()
		bare := r
		bare.Memo = nil
		want, err := capability.Resolve(t.Context(), bare)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if last != nil && (want.Digest == last.Digest) != (c.name == "nothing") {
			t.Errorf("%s: its digest is that of the one before", c.name)
		}
		remembering := r
		remembering.Memo = &memo
		first, err := capability.Resolve(t.Context(), remembering)
		if err != nil {
			t.Fatal(err)
		}
		again, err := capability.Resolve(t.Context(), remembering)
		if err != nil || again != first {
			t.Errorf("%s: the second time it is another one, %v", c.name, err)
		}
		if diff := cmp.Diff(want, again, cmpopts.IgnoreUnexported(command.Snapshot{}), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		last = want
	}
	failed = errors.New("down")
	r.Memo = &memo
	if _, err := capability.Resolve(t.Context(), r); !errors.Is(err, failed) {
		t.Errorf("a pack that fails now: %v", err)
	}
}
