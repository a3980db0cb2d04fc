package overlay

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// Prefix begins the provider ids of agents that extensions describe; the key of the extension follows.
const Prefix = "acp:"

var keyForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// Agent is what a package says of its agent, as far as sessions depend on it.
type Agent struct {
	Key     string // of the extension, e.g. "hermes"
	Version string // of the package, semantic
	// Digest tells this content of the package from any other.
	Digest string
	// Unsafe says that nobody was asked whether the package may be trusted. It is said in records and listings.
	Unsafe bool
	// Executables are names of the agent's program, and Args make it speak the Agent Client Protocol.
	Executables []string
	Args        []string
	// Supported is the range of versions of the agent that the package was made for, "" for any.
	Supported string
	// Roots are the directories in which the agent looks for skills by itself.
	Roots []runtimeprep.Root
	// Plugins are files of plugins of the agent's, placed in the home of a session and never run by us.
	Plugins []Plugin
	// Prep is what a session of it needs; nil is the zero Declaration.
	Prep *runtimeprep.Declaration
}

// Overlay is an adapter for the agent of one package.
type Overlay struct {
	agent  Agent
	prep   runtimeprep.Declaration
	desc   preparer.Descriptor
	digest string
}

var _ preparer.Preparer = (*Overlay)(nil)

// New makes the adapter. Errors: fault.Invalid, which names the field that breaks a rule.
func New(a Agent) (*Overlay, error) {
	bad := func(what, detail string) error { return fault.New(fault.Invalid, "use extension", what, detail) }
	switch {
	case !keyForm.MatchString(a.Key):
		return nil, bad("key", "is not of the form [a-z0-9._-]")
	case a.Digest == "":
		return nil, bad("digest", "is missing: nothing says which content this is")
	}
	o := &Overlay{agent: a}
	if a.Prep != nil {
		o.prep = *a.Prep
	}
	if found := slices.Concat(o.prep.Check(), runtimeprep.CheckRoots(a.Roots)); len(found) > 0 {
		return nil, found[0]
	}
	for _, plugin := range a.Plugins {
		if why := plugin.wrong(o.prep.Home); why != "" {
			return nil, bad("plugin "+plugin.name(), why)
		}
	}
	data, err := json.Marshal(a)
	if err != nil {
		return nil, bad("extension", "cannot be written down")
	}
	// What was declared is copied, so that whoever declared it can change nothing of it any more.
	var own Agent
	if err := json.Unmarshal(data, &own); err != nil {
		return nil, bad("extension", "cannot be read back")
	}
	if o.agent = own; own.Prep != nil {
		o.prep = *own.Prep
	}
	sum := sha256.Sum256(data)
	o.digest = hex.EncodeToString(sum[:])
	o.desc = o.describe()
	if found := rules.CheckDescriptor(o.desc); len(found) > 0 {
		return nil, bad("agent", found[0].Error())
	}
	// What is in each other's way in the fullest session is so in no session because something is missing there.
	full := preparer.Request{Skills: preparer.SkillSet{Count: 1}, Instructions: preparer.Document{Name: "instructions"}, Inputs: map[string]preparer.Found{},
		RTK: &preparer.RTK{Program: preparer.Session("rtk/bin/rtk")}}
	for _, in := range o.desc.Inputs {
		full.Inputs[in.Name] = preparer.Found{Exists: in.Name != inHidden}
	}
	l, err := o.Prepare(context.Background(), full)
	if err != nil {
		return nil, err
	}
	if found := rules.CheckLayout(o.desc, l); len(found) > 0 {
		return nil, bad("agent", found[0].Error())
	}
	return o, nil
}

// Provider is the id of the agent.
func (o *Overlay) Provider() string { return Prefix + o.agent.Key }

// Agent is what the overlay was made from. Nothing of it may be changed.
func (o *Overlay) Agent() Agent { return o.agent }

// Digest tells one overlay from another: of the package and of what is taken from it.
func (o *Overlay) Digest() string { return o.digest }

// Config is the name of the input that the edited configuration file begins as, "" for none.
func (o *Overlay) Config() string {
	if o.prep.Home == nil || !o.prep.Home.Edits() {
		return ""
	}
	return inConfig
}

// Texts are the documents that the layout refers to besides those of core, by name.
func (o *Overlay) Texts() map[string]string {
	texts := map[string]string{}
	for _, p := range o.agent.Plugins {
		if p.File != "" {
			texts[p.document()] = p.Text
		}
	}
	return texts
}

// Describe implements preparer.Preparer.
func (o *Overlay) Describe() preparer.Descriptor { return o.desc }
