package opencode

import (
	"slices"
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	// plan is the id of the provider in the session's configuration, and keyVar the variable that carries its key. Hosts
	// know both, so neither changes.
	plan   = "tutti-model-plan"
	keyVar = "TUTTI_MODEL_PLAN_API_KEY"
	// speaker is the library for Chat Completions that the client has within.
	speaker = "@ai-sdk/openai-compatible"
)

// redirects are variables that lead the client to other directories, providers or remote configurations, beside those
// that this session sets.
var redirects = []string{"OPENCODE_MODELS_PATH", "OPENCODE_MODELS_URL", "OPENCODE_TEST_*", "OPENCODE_WORKSPACE_ID"}

// bind binds the session to its endpoint. The client lays tables over each other key by key, so each key that could lead
// a request or its key elsewhere is said, the default ones too.
func (c *config) bind() {
	e, l := c.request.Endpoint, c.layout
	key := p.S("{env:" + keyVar + "}")
	models, known := p.Object{}, p.List{}
	for _, m := range e.Models {
		name := m.Name
		if name == "" {
			name = m.ID
		}
		known = append(known, p.S(m.ID))
		models[m.ID] = p.Object{
			"id": p.S(m.ID), "name": p.S(name), "provider": p.Object{"npm": p.S(speaker), "api": p.S(e.BaseURL)},
			// Of a header that is there twice, that of the model is sent.
			"headers": p.Object{"Authorization": p.Concat{p.S("Bearer "), key}},
		}
	}
	model := p.S(plan + "/" + e.Default)
	c.doc["model"], c.doc["small_model"] = model, model
	c.doc["enabled_providers"], c.doc["disabled_providers"] = p.Strings(plan), p.List{}
	c.doc["provider"] = p.Object{plan: p.Object{
		"npm": p.S(speaker), "name": p.S(e.Name), "api": p.S(e.BaseURL), "env": p.List{}, "models": models,
		"options":   p.Object{"baseURL": p.S(e.BaseURL), "apiKey": key},
		"whitelist": known, "blacklist": p.List{},
	}}
	c.rebindAgents(model)
	c.shield()
	l.Set(keyVar, e.Key)
}

// rebindAgents gives the endpoint's model to agents of the user's that may ask for one that is not there.
func (c *config) rebindAgents(model p.Value) {
	names := c.names(agentModel)
	for _, file := range c.request.Inputs[inAgents].Names {
		names = append(names, strings.TrimSuffix(file, ".md"))
	}
	for _, name := range names {
		c.agent(name)["model"] = model
	}
}

// shield keeps everything away from the endpoint and its key that the client lets us keep away.
func (c *config) shield() {
	l := c.layout
	// Plugins run inside the client.
	if !c.request.Options.Inherit.None(p.Plugins) {
		l.Set(envNoPlugins, p.S("1"))
		l.Note(p.Diagnostic{Severity: p.Info, Code: "opencode.plugins-left-out",
			Text: "plugins stay out of a session on an endpoint: they run where its key is"})
	}
	// An organisation that the user is signed in to sends a configuration, which is laid over all others. Logins stand in
	// a file or in the database.
	l.Set(envAuth, p.S("{}"))
	l.Set(envDatabase, c.root.Join("opencode.db").Value())
	strip := redirects
	if c.request.Options.Inherit.All(p.ModelSettings) {
		strip = append(append([]string{}, settings...), redirects...)
	}
	l.Strip(strip...)
	l.Note(p.Warn("opencode.key-in-environment",
		"commands, servers and tools that opencode runs in this session see the key of the endpoint in "+keyVar,
		"use a route of the gateway, whose token is worth nothing elsewhere"))
}

// secret says whether the session has a credential of the host's in its environment.
func secret(r p.Request) bool {
	return r.Endpoint != nil || slices.ContainsFunc(r.Servers, func(s p.Server) bool { return len(s.Headers) > 0 })
}

// excludeProject keeps the configuration of the project out: it can name programs and servers and hand them variables, and
// is trusted by the client unasked. Its skills come along another way, and so do its instructions.
func (c *config) excludeProject() {
	c.layout.Set(envNoProject, p.S("1"))
	c.layout.Expose(p.Expose{At: c.root.Join("skills/project"), Input: inProjectSkills})
	if c.request.Inputs[inProjectConfig].Exists || c.request.Inputs[inProjectPlugins].Exists {
		c.layout.Note(p.Diagnostic{Severity: p.Info, Code: "opencode.project-config-left-out",
			Text: "the configuration of the project stays out, but for the nearest instructions and the skills: it could read credentials of the session"})
	}
}
