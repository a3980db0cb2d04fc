package opencode

import (
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// speaker is the library for Chat Completions that the client has within, and plan the id of the provider.
const speaker, plan = "@ai-sdk/openai-compatible", p.EndpointProvider

// bind binds the session to its endpoint, and keeps everything away from it that the client lets us keep away. The client lays tables over each other key by key, so each key that could lead
// a request or its key elsewhere is said, the default ones too.
func (s *session) bind() {
	e, key := s.Endpoint, p.S("{env:"+keyVar+"}")
	models := p.Object{}
	for _, m := range e.Models {
		models[m.ID] = p.Object{
			"id": p.S(m.ID), "name": p.S(m.Title()), "provider": p.Object{"npm": p.S(speaker), "api": p.S(e.BaseURL)},
			// Of a header that is there twice, that of the model is sent.
			"headers": p.Object{"Authorization": p.Concat{p.S("Bearer "), key}},
		}
	}
	model := p.S(plan + "/" + e.Default)
	s.doc["model"], s.doc["small_model"] = model, model
	s.doc["enabled_providers"], s.doc["disabled_providers"] = p.Strings(plan), p.List{}
	s.doc["provider"] = p.Object{plan: p.Object{
		"npm": p.S(speaker), "name": p.S(e.Name), "api": p.S(e.BaseURL), "env": p.List{}, "models": models,
		"options":   p.Object{"baseURL": p.S(e.BaseURL), "apiKey": key},
		"whitelist": e.IDs(), "blacklist": p.List{},
	}}
	// Agents and modes of the user's may ask for a model that is not there. The latter are agents when they come from files.
	for table, path := range map[string]p.KeyPath{"agent": agentModel, "mode": modeModel} {
		for _, name := range s.Items(path, configs...) {
			s.doc.In(table, name)["model"] = model
		}
	}
	for _, file := range append(inAgents.In(s.Request).Names, inModes.In(s.Request).Names...) {
		s.doc.In("agent", strings.TrimSuffix(file, ".md"))["model"] = model
	}
	if len(inCommands.In(s.Request).Names)+len(inAgentFolders.In(s.Request).Names)+len(s.Items(commandModel, configs...)) > 0 {
		s.Note(p.Tell("opencode.models-of-their-own",
			"commands of yours, and agents in folders, that name a model fail in this session, which has those of its endpoint only", ""))
	}
	// An organisation that the user is signed in to sends a configuration, which is laid over all others. Logins stand in
	// a file or in the database.
	s.Set(envAuth, p.S("{}"))
	s.Set(envDatabase, root.Join("opencode.db").Value())
	s.Strip(lists["redirects"]...)
	s.Note(p.Warn("opencode.key-in-environment",
		"commands, servers and tools that opencode runs in this session see the key of the endpoint in "+keyVar,
		"use a route of the gateway, whose token is worth nothing elsewhere"))
}

// excludeProject keeps the configuration of the project out: it can name programs and servers and hand them variables, and
// is trusted by the client unasked. Its skills come along another way, and so do its instructions.
func (s *session) excludeProject() {
	s.SwitchOn(envNoProject)
	s.Bring(s.Request, inProjectSkills, root.Join("skills/project"))
	if inProjectInstructions.In(s.Request).Exists {
		s.doc.Append("instructions", inProjectInstructions.Path())
	}
	if inProjectConfig.In(s.Request).Exists || inProjectPlugins.In(s.Request).Exists {
		s.Note(p.Tell("opencode.project-config-left-out",
			"the configuration of the project stays out, but for the nearest instructions and the skills: it runs unasked, and reads what the session has", ""))
	}
}
