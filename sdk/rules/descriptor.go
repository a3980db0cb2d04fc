package rules

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// maxMachine is how many paths a descriptor may name outside of what is the user's: the host looks for each in every
// preparation.
const maxMachine = 8

var machineForm = regexp.MustCompile(`^(C:)?/[A-Za-z0-9][A-Za-z0-9 ._/-]{0,200}$`)

// CheckDescriptor holds a descriptor to the rules. Every error is a *[Finding].
func CheckDescriptor(d preparer.Descriptor) []error {
	c := &descriptorChecker{desc: d}
	if _, err := protocol.EncodeDescriptor(d); err != nil {
		c.add(Descriptor, "descriptor", "%v", err)
		return c.all
	}
	c.identity()
	c.client()
	c.homes()
	c.inputs()
	c.channels()
	c.model()
	c.servers()
	c.names()
	c.transcripts()
	for _, l := range d.OwnState {
		c.location("own state", l)
	}
	c.want(len(d.MachineSettings) <= maxMachine, "machine settings", "they are more than %d paths", maxMachine)
	for _, at := range d.MachineSettings {
		c.want(machineForm.MatchString(at) && path.Clean(at) == at, "machine settings", "%q is no clean absolute path with slashes", at)
	}
	return c.all
}

type descriptorChecker struct {
	findings
	desc preparer.Descriptor
}

// want adds a finding unless ok.
func (c *descriptorChecker) want(ok bool, where, format string, args ...any) {
	if !ok {
		c.add(Descriptor, where, format, args...)
	}
}

func (c *descriptorChecker) identity() {
	c.want(providerForm.MatchString(c.desc.Provider), "provider", "%q is not of the form [a-z0-9-]", c.desc.Provider)
	c.want(versionForm.MatchString(c.desc.Version), "version", "%q is no semantic version", c.desc.Version)
}

func (c *descriptorChecker) client() {
	client := c.desc.Client
	c.want(len(client.Executables) > 0, "client", "it has no executable")
	for _, name := range append(slices.Clone(client.Executables), client.Tools...) {
		c.want(name != "" && badSegment(name) == "", "client", "%q is no name of a program", name)
	}
	c.want(client.Override == "" || envForm.MatchString(client.Override), "client", "the override %q is no name of a variable", client.Override)
	c.want(client.Transport != "", "client", "the transport is missing; a terminal program has %q", preparer.NoTransport)
	c.want(len(client.TransportArgs) == 0 || client.Transport != preparer.NoTransport, "client", "it has arguments for a transport that it does not speak")
	for _, arg := range client.TransportArgs {
		c.want(arg != "" && !strings.ContainsRune(arg, 0), "client", "an argument of the transport is empty or holds a NUL")
	}
	for _, span := range []string{client.Supported, c.desc.RewriteSupported} {
		c.want(span == "" || rangeForm.MatchString(span), "client", "%q is no range of versions, such as \">=1.0 <2\"", span)
	}
	for _, args := range client.Validators {
		c.want(len(args) > 0, "client", "a validator has no arguments")
	}
}

func (c *descriptorChecker) transcripts() {
	t := c.desc.Transcripts
	if len(t.Dirs) == 0 {
		c.want(len(t.From) == 0 && t.Suffix == "" && len(t.ID) == 0, "transcripts", "they lie in no directory")
		return
	}
	for _, dir := range t.Dirs {
		c.want(badPath(dir) == "", "transcripts", "%s", badPath(dir))
	}
	c.want(len(t.From) == len(t.Dirs), "transcripts", "there is not one directory of the user's for each of the session's")
	for _, l := range t.From {
		c.want(l.Base != preparer.BaseWorkspace, "transcripts", "they lie in no workspace")
		c.location("transcripts", l)
	}
	c.want(strings.HasPrefix(t.Suffix, ".") && badSegment("x"+t.Suffix) == "", "transcripts", "%q is no ending of a name", t.Suffix)
	c.want(len(t.ID) > 0, "transcripts", "where the id stands is missing")
}

func (c *descriptorChecker) homes() {
	seen := map[string]bool{}
	for _, h := range c.desc.Homes {
		where := "home " + h.ID
		c.want(idForm.MatchString(h.ID), where, "the id is not of the form [a-z0-9-]")
		c.want(!seen[h.ID], where, "it occurs twice")
		c.want(h.Env == "" || envForm.MatchString(h.Env), where, "%q is no name of a variable", h.Env)
		c.want(h.Env != "" || h.Sub == "", where, "a Sub without an Env says nothing")
		c.want(h.Sub == "" || badPath(h.Sub) == "", where, "Sub: %s", badPath(h.Sub))
		c.want(h.Default != "" || h.Env != "", where, "nothing says where it is")
		c.want(h.Default == "" || badPath(h.Default) == "", where, "Default: %s", badPath(h.Default))
		seen[h.ID] = true
	}
}

func (c *descriptorChecker) inputs() {
	seen := map[string]bool{}
	for _, i := range c.desc.Inputs {
		where := "input " + i.Name
		c.want(inputForm.MatchString(i.Name), where, "the name is malformed")
		c.want(!seen[i.Name], where, "it occurs twice")
		seen[i.Name] = true
		c.want(len(i.At) > 0, where, "it says nowhere to look")
		for _, l := range i.At {
			c.location(where, l)
		}
		switch i.Kind {
		case preparer.InputFile:
			c.file(where, i)
		case preparer.InputNames:
			filters := []string{preparer.FilterSkills, preparer.FilterSkillTrees, preparer.FilterLinkedSkillTrees,
				preparer.FilterDirs}
			c.want(slices.Contains(filters, i.Filter) || strings.HasPrefix(i.Filter, "."),
				where, "filter %q is none of skills, skill_trees, linked_skill_trees, dirs and a suffix such as .toml", i.Filter)
			c.want(i.Learn != preparer.LearnContent, where, "a directory has no content")
			c.want(!i.Secret && !i.Inside, where, "only a file can be secret or inside")
		default:
			c.want(false, where, "the kind is missing")
		}
		for _, carry := range i.Carries {
			c.want(carry.Kind != "", where, "what it carries has no kind")
		}
		for _, path := range i.Displaced {
			c.want(c.desc.Model.Protocol != preparer.NoProtocol, where, "it gives way to a model endpoint, and the model names no protocol")
			c.want(carriesAt(i, path), where, "%s gives way to a model endpoint and is nothing that it carries", path)
		}
	}
}

// carriesAt says whether what stands at a path is an item that an input carries, or holds some.
func carriesAt(i preparer.Input, path preparer.KeyPath) bool {
	return len(path) > 0 && slices.ContainsFunc(i.Carries, func(carry preparer.Carry) bool {
		return slices.ContainsFunc(carry.Keys, func(key preparer.KeyPath) bool {
			return path.Covers(key) || len(path) == len(key) && key.Covers(path)
		})
	})
}

func (c *descriptorChecker) file(where string, i preparer.Input) {
	c.want(i.Filter == "", where, "a file has no filter")
	c.want(!i.Secret || i.Learn == preparer.LearnExists, where, "nothing but its existence is learned of a secret")
	if i.Learn == preparer.LearnValues {
		c.want(len(i.Values) > 0, where, "it learns values and names none")
		c.want(i.Format != "" && i.Format != preparer.Shell, where, "it learns values and has no format")
	} else {
		c.want(len(i.Values) == 0, where, "it names values and does not learn them")
	}
	for _, carry := range i.Carries {
		c.want(len(carry.Keys) == 0 || i.Format != "", where, "it carries keys and has no format")
	}
}

func (c *descriptorChecker) location(where string, l preparer.Location) {
	if l.Base == preparer.BaseHome {
		c.want(slices.ContainsFunc(c.desc.Homes, func(h preparer.Home) bool { return h.ID == l.Home }),
			where, "home %q is not declared", l.Home)
	} else {
		c.want(l.Home == "", where, "only a location in a home names one")
	}
	c.want(l.Base != "", where, "a location has no base")
	c.want(badPath(l.Path) == "" || l.Path == "" && l.Base == preparer.BaseHome, where, "%s", badPath(l.Path))
	c.want(!l.ToGitRoot || l.Base == preparer.BaseWorkspace, where, "only the workspace has a git root")
}

func (c *descriptorChecker) channels() {
	c.want(len(c.desc.Instructions) > 0, "instructions", "there is no channel")
	for i, ch := range c.desc.Instructions {
		c.want(ch != "" && !slices.Contains(c.desc.Instructions[:i], ch), "instructions", "channel %q is empty or occurs twice", ch)
	}
	skills := c.desc.Skills
	c.want(skills.Kind != "", "skills", "the kind is missing; a client without skills has %q", preparer.NoSkills)
	c.want(skills.Names != "" || skills.Kind == preparer.NoSkills, "skills", "the form of names is missing")
	c.want(skills.MaxName >= 0 && skills.MaxName <= 255, "skills", "the longest name has %d bytes", skills.MaxName)
	c.want(c.desc.Rewrite != "", "rewrite", "it is missing; a client without has %q", preparer.InstructionsOnly)
	seen := map[string]bool{}
	for _, g := range c.desc.Gates {
		c.want(idForm.MatchString(g.ID) && !seen[g.ID] && g.Answer != "", "gate "+g.ID, "the id is malformed or occurs twice, or the answer is missing")
		seen[g.ID] = true
		c.want(len(g.Lets) > 0 == (g.Untrusted != ""), "gate "+g.ID, "it says what trust lets in, or how a session without is answered, and not both")
		for i, k := range g.Lets {
			c.want(k != "" && !slices.Contains(g.Lets[:i], k), "gate "+g.ID, "a kind that trust lets in is empty or said twice")
		}
	}
	for k, x := range c.desc.Inherit {
		c.want(k != "" && x.How != "", "inherit "+string(k), "the kind or the means is missing")
	}
}

func (c *descriptorChecker) model() {
	m := c.desc.Model
	if m.Protocol == preparer.NoProtocol {
		c.want(m.Addressing == "" && (m.Endpoint == "" || m.Endpoint == preparer.NoEndpointAdapter) && len(m.Also) == 0 &&
			m.KeyVar == "" && m.APIKeyVar == "" && !m.SecretFile && !m.NativeSubscription, "model", "it names no protocol and yet says more")
		return
	}
	c.want(m.Endpoint != preparer.ResponsesToChatGateway || m.Protocol == preparer.OpenAI, "model",
		"a gateway stands before %s endpoints only", preparer.OpenAI)
	for i, p := range m.Also {
		c.want(p != preparer.NoProtocol && p != m.Protocol && p != m.Wire() && !slices.Contains(m.Also[:i], p), "model",
			"protocol %q is empty or said twice", p)
	}
	c.want(m.Addressing != "" && m.Endpoint != "", "model", "addressing or endpoint adapter is missing")
	c.want(m.KeyVar != "" || m.SecretFile, "model", "there is no way to hand over the credential")
	for _, name := range []string{m.KeyVar, m.APIKeyVar} {
		c.want(name == "" || envForm.MatchString(name) && covered(c.desc.Env, name), "model", "the variable %q is not declared", name)
	}
	c.want(m.APIKeyVar == "" || m.APIKeyVar != m.KeyVar, "model", "two ways to hand over the credential have one variable")
}

func (c *descriptorChecker) servers() {
	begin := c.desc.ServerVars
	c.want(begin == "" || envForm.MatchString(begin) && covered(c.desc.Env, begin+"*"), "server variables", "%q begins no name of a variable, or %q is not declared", begin, begin+"*")
	c.want(begin != "" || !c.desc.BearerServers, "server variables", "it takes bearer tokens of servers, and no servers")
}

func (c *descriptorChecker) names() {
	for _, name := range c.desc.Env {
		where := "env " + name
		c.want(patternForm.MatchString(name), where, "it is no name of a variable")
		c.want(denied(name) == "", where, "no adapter may change %s", denied(name))
	}
	for _, flag := range c.desc.Flags {
		c.want(flagForm.MatchString(flag), "flag "+flag, "it is no flag")
	}
}
