package opencode

import (
	"maps"
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// exclude leaves out what the session should not inherit. The client has read the user's files by then, so this is a
// matter of laying other values over theirs.
func (c *config) exclude() {
	in, l := c.request.Options.Inherit, c.layout
	if !in.All(p.Skills) {
		c.excludeSkills()
	}
	for _, name := range c.names(serverType) {
		if !in.Takes(p.MCPServers, name) {
			c.servers()[name] = p.Object{"enabled": p.Bool(false)}
		}
	}
	if in.None(p.Plugins) {
		l.Set(envNoPlugins, p.S("1"))
		if c.request.Inputs[inProjectPlugins].Exists && !secret(c.request) {
			l.Note(p.Diagnostic{Severity: p.Info, Code: "opencode.project-plugins-left-out",
				Text: "plugins of the project stay out together with those of the user: one switch takes both"})
		}
	}
	if !in.All(p.ModelSettings) {
		l.Strip(settings...)
	}
}

// excludeSkills hides skills that lie in the user's directories by a rule of permission for each, and switches off the
// look into directories that agents of every make share. That takes the project's too, which are put back.
func (c *config) excludeSkills() {
	in, l := c.request.Options.Inherit, c.layout
	own := c.request.Inputs[inSkills].Names
	hidden := p.Object{}
	for _, name := range own {
		if !in.Takes(p.Skills, name) {
			hidden[name] = p.S("deny")
		}
	}
	if len(hidden) > 0 {
		c.rules(c.permission, "skill", hidden, skillRule)
	}
	c.doc["skills"] = p.Object{"paths": p.List{}, "urls": p.List{}}
	l.Set(envNoShared, p.S("1"))
	l.Expose(p.Expose{At: c.root.Join("skills/project-shared"), Input: inProjectShared})
	if choice := in[p.Skills]; choice.Mode == p.Only && len(choice.Names) > 0 {
		l.Expose(p.Expose{At: c.root.Join("skills/shared"), Input: inSharedSkills, Only: choice.Names})
	}
	if slices.ContainsFunc(c.request.Inputs[inSkillTrees].Names, func(name string) bool { return !slices.Contains(own, name) }) {
		l.Note(p.Warn("opencode.grouped-skills-stay",
			"skills are hidden one by one, and those in folders of the skills directory have no names here: they come along",
			"keep each skill directly in that directory"))
	}
}

// approve lets commands of the host run unasked. The rules are those of the agent that may change things: they lie over
// the user's and take none away. The last rule that fits holds, so there are none where the user forbids such commands.
func (c *config) approve() {
	commands := c.request.Commands.Approved
	if len(commands) == 0 || slices.Contains(c.request.Inputs[inAgents].Names, "build.md") || c.forbids(commands[0][0]) {
		return
	}
	rules, permission := p.Object{}, p.Object{}
	for _, words := range commands {
		rules[strings.Join(words, " ")+" *"] = p.S("allow")
	}
	c.rules(permission, "bash", rules, buildShellRule)
	c.agent("build")["permission"] = permission
}

// forbids says whether a rule of the user's denies commands that may begin with a word.
func (c *config) forbids(word string) bool {
	for _, input := range configs {
		for key, v := range c.request.Inputs[input].Values {
			pattern, ok := strings.CutPrefix(key, "permission")
			if !ok || v != p.S("deny") {
				continue
			}
			pattern, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimPrefix(pattern, "/bash"), "/"), "*")
			if strings.HasPrefix(word, pattern) || strings.HasPrefix(pattern, word) {
				return true
			}
		}
	}
	return false
}

// agent is the part of the configuration about one agent.
func (c *config) agent(name string) p.Object {
	agents, ok := c.doc["agent"].(p.Object)
	if !ok {
		agents = p.Object{}
		c.doc["agent"] = agents
	}
	agent, ok := agents[name].(p.Object)
	if !ok {
		agent = p.Object{}
		agents[name] = agent
	}
	return agent
}

// names lists, sorted, what the wildcard of the key paths stands for in the user's configurations.
func (c *config) names(paths ...p.KeyPath) []string {
	set := map[string]bool{}
	for _, input := range configs {
		for key := range c.request.Inputs[input].Values {
			for _, path := range paths {
				if name, ok := wildcard(key, path); ok {
					set[name] = true
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// wildcard is what the second segment of a path stands for in a key that matches it.
func wildcard(key string, path p.KeyPath) (string, bool) {
	segments := strings.Split(key, "/")
	if len(segments) != len(path) || segments[0] != path[0] || segments[2] != path[2] {
		return "", false
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(segments[1]), true
}
