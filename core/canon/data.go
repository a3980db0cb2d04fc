package canon

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/outside"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// data is what templates see: values for words, and nothing that a session could be told apart by.
type data struct {
	Product, CLI, EnvPrefix, Slug string
	Title, Intro                  string
	Vars                          Vars
	NativeImages, Sandboxed       bool
	PluginNames                   bool // names are spelled plugin:name
	General                       bool
	TurnResources                 string
	Room                          bool
	StartOnly                     []string // prefixes of targets that take one message only
	Families                      []string
	Connectors                    connectorView
	Agent                         agentView
	Skills                        []skillName

	commands *command.Snapshot
	policy   map[Anchor]string
}

type skillName struct{ ID, Name string }

type connectorView struct {
	Index, Enabled string
	Shared         bool
	Granted        []string
}

func (s *Set) data(f Facts) data {
	d := data{
		Product: f.Product, CLI: f.CLI, EnvPrefix: f.EnvPrefix, Slug: f.slug(), Title: f.Title, Intro: f.Intro, Vars: VarsFor(f.EnvPrefix),
		NativeImages: f.NativeImages, Sandboxed: f.Sandboxed, PluginNames: f.SkillNames == preparer.PluginNames, General: f.General,
		TurnResources: string(f.Host.TurnResources), Room: f.Host.WorkspaceScope == Room,
		StartOnly: f.Host.TargetContinuation.UnsupportedTargetIDPrefixes,
		Agent:     f.Agent.view(), commands: f.Commands,
	}
	if d.commands == nil {
		d.commands = command.Empty(f.CLI)
	}
	d.Families = d.commands.Families()
	d.Connectors.Enabled = connector.None
	if c := f.Connectors; c != nil {
		d.Connectors = connectorView{
			Index: connector.Index(c.Hints), Enabled: connector.EnabledIndex(c.EnabledConnectors), Shared: c.SharedInvocation, Granted: lines(c.Granted),
		}
	}
	return d
}

// names are the skills of a session as a document spells them.
func (f Facts) names(skills []namedText) []skillName {
	var list []skillName
	add := func(id, own string) {
		if given := f.Names[id]; given != "" {
			own = given
		}
		list = append(list, skillName{id, f.Spell(own)})
	}
	for _, one := range skills {
		add(one.id, one.name)
	}
	for _, o := range f.Others {
		add(o.ID, o.Name)
	}
	return list
}

// Spell is how the model has to spell a skill of the given name.
func (f Facts) Spell(name string) string {
	if f.SkillNames == preparer.PluginNames {
		plugin := f.PluginName
		if plugin == "" {
			plugin = DefaultPlugin
		}
		return plugin + ":" + name
	}
	return name
}

func (d data) skillName(id string) (string, bool) {
	i := slices.IndexFunc(d.Skills, func(s skillName) bool { return s.ID == id })
	if i < 0 {
		return "", false
	}
	return d.Skills[i].Name, true
}

// funcs are the functions of all templates. Whatever they are asked for and do not know is an error.
func (d data) funcs() template.FuncMap {
	c := d.commands
	return template.FuncMap{
		"has":       c.Has,
		"hasAll":    c.HasAll,
		"hasFamily": c.HasFamily,
		"hasAny": func(ids ...string) bool {
			return slices.ContainsFunc(ids, c.Has)
		},
		"hasInput":    c.HasInput,
		"inputValues": c.InputValues,
		"path":        c.Path,
		"args":        command.MakeArgs,
		"command":     func(id string, a command.Args) (string, error) { return c.Text(id, a) },
		"guide":       c.Guide,
		"fallback": func(ids ...string) (string, error) {
			for _, id := range ids {
				if c.Has(id) {
					text, err := c.Text(id, nil)
					return "`" + text + "`", err
				}
			}
			return "unavailable", nil
		},
		"policies": func(anchor string) bool { return d.policy[Anchor(anchor)] != "" },
		"policy": func(anchor string) (string, error) {
			if !slices.Contains(Anchors(), Anchor(anchor)) {
				return "", fmt.Errorf("there is no anchor %q", anchor)
			}
			return d.policy[Anchor(anchor)], nil
		},
		"hasSkill": func(id string) bool { _, ok := d.skillName(id); return ok },
		"skill": func(id string) (string, error) {
			if name, ok := d.skillName(id); ok {
				return name, nil
			}
			return "", fmt.Errorf("there is no skill %q", id)
		},
		"tool": func(id string) string {
			if name, ok := d.skillName(id); ok {
				return "`" + name + "`"
			}
			return "none"
		},
		"codes": func(list []string) string { return "`" + strings.Join(list, "`, `") + "`" },
		"join":  func(list []string) string { return strings.Join(list, ", ") },
		"quote": quote,
		"line":  func(text string) string { return outside.Line(text, 200) },
	}
}

// placeholders lets templates parse before anybody knows the facts.
func placeholders() template.FuncMap { return data{commands: &command.Snapshot{}}.funcs() }
