package opencode

import (
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// exclude leaves out what the session should not inherit. The client has read the user's files by then, so this is a
// matter of laying other values over theirs.
func (s *session) exclude() {
	in := s.Options.Inherit
	if !in.All(p.Skills) {
		s.excludeSkills()
	}
	for _, name := range in.LeftOut(p.MCPServers, "", s.Items(serverType, configs...)...) {
		s.doc.In("mcp", name)["enabled"] = p.Bool(false)
	}
	// Plugins run inside the client.
	if off := in.None(p.Plugins); off || s.Endpoint != nil {
		s.SwitchOn(envNoPlugins)
		if !off {
			s.Note(p.Tell("opencode.plugins-left-out", "plugins stay out of a session on an endpoint: they run where its key is", ""))
		} else if inProjectPlugins.In(s.Request).Exists && !s.Secretive() {
			s.Note(p.Tell("opencode.project-plugins-left-out",
				"plugins of the project stay out together with those of the user: one switch takes both", ""))
		}
	}
	if s.Endpoint != nil || !in.All(p.ModelSettings) {
		s.Strip(lists["settings"]...)
	}
}

// excludeSkills hides skills that lie in the user's directories by a rule of permission for each, and switches off the
// look into directories that agents of every make share. That takes the project's too, which are put back.
func (s *session) excludeSkills() {
	for _, name := range inSkills.LeftOut(s.Request) {
		s.rules(s.doc.In("permission"), "skill", skillRule)[name] = p.S("deny")
	}
	s.doc["skills"] = p.Object{"paths": p.List{}, "urls": p.List{}}
	s.SwitchOn(envNoShared)
	s.Bring(s.Request, inProjectShared, root.Join("skills/project-shared"))
	s.Bring(s.Request, inSharedSkills, root.Join("skills/shared"))
	if s.Options.Inherit.LeftIn(inSkillTrees.In(s.Request), inSkills.In(s.Request)) {
		s.Note(p.Warn("opencode.grouped-skills-stay",
			"skills are hidden one by one, and those in folders of the skills directory have no names here: they come along",
			"keep each skill directly in that directory"))
	}
}

// approve lets commands of the host run unasked. The rules are those of the agent that may change things: they lie over
// the user's and take none away. The last rule that fits holds, so there are none where the user forbids such commands.
func (s *session) approve() {
	commands := s.Commands.Approved
	if len(commands) == 0 || slices.Contains(inAgents.In(s.Request).Names, "build.md") || s.forbids(commands[0][0]) {
		return
	}
	for _, words := range commands {
		s.rules(s.doc.In("agent", "build", "permission"), "bash", buildShellRule)[strings.Join(words, " ")+" *"] = p.S("allow")
	}
}

// forbids says whether a rule of the user's denies commands that may begin with a word.
func (s *session) forbids(word string) bool {
	for _, input := range configs {
		for key, v := range input.In(s.Request).Values {
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

// rules are the rules of a permission for one tool. A value that is not a table would be lost when ours is laid over it,
// so it is written out as the rule that it stands for.
func (s *session) rules(permission p.Object, tool string, theirs p.KeyPath) p.Object {
	rules := permission.In(tool)
	if v := s.Value(theirs, configs...); v != nil {
		rules["*"] = v
	}
	return rules
}
