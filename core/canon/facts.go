package canon

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Facts are everything that the texts depend on. No secret, no session id and no path is among them.
type Facts struct {
	Product   string // what the host calls itself, e.g. "Tutti"
	CLI       string // the name of the host's command line tool, e.g. "tutti"
	EnvPrefix string // begins the names of the variables of [VarsFor], e.g. "TUTTI"
	// Title and Intro begin the document. Defaults: the product's name, and who prepared the session.
	Title, Intro string
	// SkillNames is how the model has to spell a skill. The zero value is preparer.PlainNames.
	SkillNames preparer.NameForm
	// PluginName is for preparer.PluginNames. Default: [DefaultPlugin].
	PluginName string
	// NativeImages says that the client shows images itself, as its descriptor says.
	NativeImages bool
	// Sandboxed says that the client runs commands in a sandbox, as its descriptor says.
	Sandboxed bool
	// General is for a person who does not program.
	General bool
	Host    HostFacts
	// Commands are those that the session has. Nil: none.
	Commands *command.Snapshot
	// Connectors is what is told of connectors. Nil: nothing.
	Connectors *connector.Context
	Agent      Agent
	// Skills are the ids of the canonical skills that the session has, in order. Nil: those of [CorePack].
	Skills []string
	// Others are the skills of the session that are not canonical, for the document's list.
	Others []Other
	// Policy are the sections of capability packs, in order.
	Policy []Policy
	// Names gives, by id, the names that skills got where they could not have their own (see skill.Resolve). Only the
	// documents depend on it. A skill that is not in it has its own name.
	Names map[string]string
}

// Other is a skill of a host or a pack.
type Other struct{ ID, Name string }

// Policy is one section of a capability pack.
type Policy struct {
	Anchor   Anchor
	Key      string // "<pack>/<key>": names the section in errors
	Delivery Delivery
	Body     string // a template
}

// Anchor is where in the documents a section goes.
type Anchor string

// The anchors, in the order of the documents.
const (
	AnchorOpening       Anchor = "opening" // in front of everything
	AnchorEnvironment   Anchor = "environment"
	AnchorTools         Anchor = "tools"
	AnchorSkillStrategy Anchor = "skill-strategy"
	AnchorSpecialized   Anchor = "specialized"
)

// Anchors lists them in order.
func Anchors() []Anchor {
	return []Anchor{AnchorOpening, AnchorEnvironment, AnchorTools, AnchorSkillStrategy, AnchorSpecialized}
}

// Delivery is which documents a section goes into.
type Delivery string

// The deliveries.
const (
	Everywhere      Delivery = ""
	ProviderRuntime Delivery = "provider-runtime" // the client's own instructions only
	SkillBundle     Delivery = "skill-bundle"     // the prompt of a rendered bundle only
)

// DefaultPlugin is the name of the plugin that carries our skills where a client namespaces them.
const DefaultPlugin = "tutti-cli"

// Vars are the names of the variables that tell an agent which session it is.
type Vars struct {
	Workspace, Session, Provider, Cwd string
}

// VarsFor gives the names for a prefix. The document tells agents of exactly these, so a host sets them.
func VarsFor(prefix string) Vars {
	return Vars{
		Workspace: prefix + "_WORKSPACE_ID",
		Session:   prefix + "_AGENT_SESSION_ID",
		Provider:  prefix + "_AGENT_PROVIDER",
		Cwd:       prefix + "_AGENT_CWD",
	}
}

func (f Facts) withDefaults() (Facts, error) {
	if f.SkillNames == "" {
		f.SkillNames = preparer.PlainNames
	}
	if f.PluginName == "" {
		f.PluginName = DefaultPlugin
	}
	if f.Title == "" {
		f.Title = f.Product + " session"
	}
	if f.Intro == "" {
		f.Intro = f.Product + " prepared this session for you before it started. You work for the person who opened it."
	}
	var err error
	f.Host, err = f.Host.Complete()
	return f, err
}

var (
	toolForm = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,63}$`)
	prefix   = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)
	name     = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

// maxSlug leaves room for the rest of a skill's name.
const maxSlug = 32

// slug begins the names of skills that would be called alike on another host.
func (f Facts) slug() string {
	s := strings.ToLower(strings.ReplaceAll(f.EnvPrefix, "_", "-"))
	return strings.TrimRight(s[:min(len(s), maxSlug)], "-")
}

// check refuses values that would change the text around them, such as a product name with a line break.
func (f Facts) check() error {
	refuse := func(what, detail string) error {
		return fault.New(fault.Invalid, "render text", what, detail)
	}
	for what, text := range map[string]string{"product name": f.Product, "title": f.Title} {
		if !isLine(text, 128) || strings.ContainsAny(text, "`<>") {
			return refuse(what, "it is empty, longer than 128 bytes or holds characters that would change the text")
		}
	}
	if !isLine(f.Intro, 1024) {
		return refuse("intro", "it is empty, longer than 1,024 bytes or holds characters that are not printed")
	}
	if !toolForm.MatchString(f.CLI) {
		return refuse("command line name", "it is not a plain word of letters, digits, dots, dashes and underscores")
	}
	if !prefix.MatchString(f.EnvPrefix) {
		return refuse("variable prefix", "it is not a word of capital letters, digits and underscores")
	}
	switch f.SkillNames {
	case preparer.PlainNames:
	case preparer.PluginNames:
		if !name.MatchString(f.PluginName) {
			return refuse("plugin name", "it is not a plain word of letters, digits, dots, dashes and underscores")
		}
	default:
		return refuse("skill name form", "it is not known")
	}
	for id, given := range f.Names {
		if !name.MatchString(given) {
			return refuse("skill:"+id, "the name it got is not a plain word")
		}
	}
	for _, p := range f.Policy {
		if !slices.Contains(Anchors(), p.Anchor) {
			return refuse("section "+p.Key, "its anchor is none that there is")
		}
	}
	return f.Agent.check()
}

func isLine(text string, limit int) bool {
	return strings.TrimSpace(text) != "" && len(text) <= limit && utf8.ValidString(text) && !strings.ContainsFunc(text, notPrinted)
}

func notPrinted(r rune) bool { return !unicode.IsPrint(r) }

// Key is the same for equal facts only.
func (f Facts) Key() []byte {
	size := 2 << 10
	for _, p := range f.Policy { // which are most of it
		size += len(p.Body) + 64
	}
	b := make([]byte, 0, size)
	add := func(parts ...string) {
		b = strconv.AppendInt(b, int64(len(parts)), 10)
		for _, p := range parts {
			b = append(b, ' ')
			b = strconv.AppendInt(b, int64(len(p)), 10)
			b = append(b, ':')
			b = append(b, p...)
		}
	}
	flag := strconv.FormatBool
	add(f.Product, f.CLI, f.EnvPrefix, f.Title, f.Intro, string(f.SkillNames), f.PluginName, flag(f.NativeImages), flag(f.Sandboxed), flag(f.General))
	h := f.Host
	add(string(h.TurnResources), string(h.WorkspaceScope), string(h.TargetContinuation.Mode))
	add(h.TargetContinuation.UnsupportedTargetIDPrefixes...)
	if f.Commands != nil {
		add(f.Commands.Digest())
	}
	if c := f.Connectors; c != nil {
		add("connectors", flag(c.SharedInvocation), connector.EnabledIndex(c.EnabledConnectors), connector.Index(c.Hints))
		add(c.Granted...)
	}
	add(f.Agent.Name, f.Agent.Description, f.Agent.Instructions)
	add(f.Agent.Skills...)
	add(f.Agent.Tools...)
	add(flag(f.Skills == nil))
	add(f.Skills...)
	for _, o := range f.Others {
		add(o.ID, o.Name)
	}
	for _, p := range f.Policy {
		add(string(p.Anchor), p.Key, string(p.Delivery), p.Body)
	}
	for _, id := range slices.Sorted(maps.Keys(f.Names)) {
		add("name", id, f.Names[id])
	}
	return b
}
