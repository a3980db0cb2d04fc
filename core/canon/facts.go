package canon

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Facts are everything that the texts depend on.
type Facts struct {
	Product   string // what the host calls itself, e.g. "Tutti"
	CLI       string // the name of the host's command line tool, e.g. "tutti"
	EnvPrefix string // begins the names of the variables of [VarsFor], e.g. "TUTTI"
	// SkillNames is how the model has to spell a skill. The zero value is preparer.PlainNames.
	SkillNames preparer.NameForm
	// PluginName is for preparer.PluginNames. Default: [DefaultPlugin].
	PluginName string
	// NativeImages says that the client handles images itself, as its descriptor says.
	NativeImages bool
	// Names gives, by id, the names that skills got where they could not have their own (see skill.Resolve). Only the
	// document depends on it. A skill that is not in it has its own name.
	Names map[string]string
}

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

func (f Facts) withDefaults() Facts {
	if f.SkillNames == "" {
		f.SkillNames = preparer.PlainNames
	}
	if f.PluginName == "" {
		f.PluginName = DefaultPlugin
	}
	return f
}

var (
	command = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9._-]{0,63}$`)
	prefix  = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,63}$`)
	name    = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
)

// check refuses values that would change the text around them, such as a product name with a line break.
func (f Facts) check() error {
	refuse := func(what, detail string) error {
		return fault.New(fault.Invalid, "render text", what, detail)
	}
	if strings.TrimSpace(f.Product) == "" || len(f.Product) > 128 || !utf8.ValidString(f.Product) ||
		strings.ContainsFunc(f.Product, notPrinted) || strings.ContainsAny(f.Product, "`<>") {
		return refuse("product name", "it is empty, longer than 128 bytes or holds characters that would change the text")
	}
	if !command.MatchString(f.CLI) {
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
	return nil
}

func notPrinted(r rune) bool { return !unicode.IsPrint(r) }

// key is the same for equal facts only.
func (f Facts) key() string {
	parts := []string{f.Product, f.CLI, f.EnvPrefix, string(f.SkillNames), f.PluginName}
	if f.NativeImages {
		parts = append(parts, "images")
	}
	for _, id := range slices.Sorted(maps.Keys(f.Names)) {
		parts = append(parts, id, f.Names[id])
	}
	return strings.Join(parts, "\x00")
}
