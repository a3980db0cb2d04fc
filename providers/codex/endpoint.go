package codex

import (
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	// plan is the id of the provider in every session that is bound to an endpoint, whatever the endpoint is: the client
	// files threads by it, and would not find those of another id again.
	plan = p.EndpointProvider
	// keyVar carries the key of the endpoint.
	keyVar = p.EndpointKeyVar
)

// patch shows the client's own way to change files. Without a tool for it the model has to be shown; the client takes the
// command out of the shell's hands.
const patch = `
apply_patch <<'EOF'
*** Begin Patch
*** Update File: docs/notes.txt
@@ def example():
 context
-old
+new
*** Add File: docs/new.txt
+line
*** Delete File: docs/old.txt
*** End Patch
EOF
`

// catalogFile lists the models of the plan to the client.
var catalogFile = root.Join(plan + ".json")

// served says whether the client can be bound to the endpoint of a request.
func served(e *p.Endpoint) error {
	if e.Protocol != p.Responses {
		return p.Refuse("codex.endpoint-protocol", "codex speaks responses to a model endpoint, and this one speaks another protocol",
			"put a gateway before an endpoint of the openai protocol")
	}
	if e.BaseURL == "" || e.Default == "" || e.Key.Name == "" || e.Base.Name == "" || len(e.Models) == 0 {
		return p.Refuse("codex.endpoint-incomplete", "the model endpoint lacks a base URL, a key or a model", "complete the endpoint")
	}
	return nil
}

// endpoint places the catalog and the key.
func endpoint(l *p.Layout, e *p.Endpoint) {
	l.Document(catalogFile, p.JSON, p.Object{"models": catalog(e)})
	l.Set(keyVar, e.Key)
}

// catalog describes the models to the client. Without it, a model whose id the client happens to know would be given
// tools in a form that no Chat Completions endpoint takes.
func catalog(e *p.Endpoint) p.List {
	var models p.List
	for i, m := range e.Models {
		name := m.Name
		if name == "" {
			name = m.ID
		}
		models = append(models, p.Object{
			"slug":              p.S(m.ID),
			"display_name":      p.S(name),
			"description":       p.S("A model of the plan."),
			"visibility":        p.S("list"),
			"supported_in_api":  p.Bool(true),
			"priority":          p.Int(i),
			"base_instructions": p.Concat{e.Base.Text(), p.S(patch)},
			// Commands through plain functions, patches through a command.
			"shell_type":                   p.S("unified_exec"),
			"use_responses_lite":           p.Bool(false),
			"supports_search_tool":         p.Bool(false),
			"experimental_supported_tools": p.List{},
			"input_modalities":             modalities(m),
			"supported_reasoning_levels":   p.List{},
			"support_verbosity":            p.Bool(false),
			// The client compacts a thread before it outgrows this, by what the endpoint says of its tokens.
			"context_window":    p.Int(window(m)),
			"truncation_policy": p.Object{"mode": p.S("tokens"), "limit": p.Int(10_000)},
		})
	}
	return models
}

// modalities is what a model takes. What is not known of one is not assumed: a picture that it cannot see would spoil the
// whole thread.
func modalities(m p.EndpointModel) p.List {
	if m.Images {
		return p.Strings("text", "image")
	}
	return p.Strings("text")
}

// window is how many tokens a model reads at once. Where that is not known, it is what models of today have at the least.
func window(m p.EndpointModel) int {
	if m.ContextTokens > 0 {
		return m.ContextTokens
	}
	return 128_000
}

// bound are the edits that bind the client to the endpoint, and to nothing else.
func bound(r p.Request) []p.Edit {
	e := r.Endpoint
	name := e.Name
	// To a provider of this name the client speaks as to its vendor's own, with requests that only the vendor takes.
	if n := strings.TrimSpace(name); n == "" || strings.EqualFold(n, "openai") {
		name = "Model plan"
	}
	var edits []p.Edit
	// What would put another provider, model or address in the place of ours, or was chosen for a model that is not here.
	for _, key := range []string{"profile", "profiles", "openai_base_url", "chatgpt_base_url", "oss_provider",
		"review_model", "service_tier", "model_context_window", "model_auto_compact_token_limit"} {
		edits = append(edits, p.Delete(p.Key(key)))
	}
	// Where plugins are on, the client asks after those that its vendor offers, at two hosts and at its start.
	if !hasPlugin(r) {
		edits = append(edits, p.Set(p.Key("features", "plugins"), p.Bool(false)))
	}
	return append(edits,
		// The vendor has no part in this session: neither in counting it, nor with what an account there brings along.
		p.Set(p.Key("analytics", "enabled"), p.Bool(false)),
		p.Set(p.Key("features", "apps"), p.Bool(false)),
		// A project that is trusted may bring a configuration of its own, with another model.
		p.Delete(p.Key("projects")),
		p.Set(p.Key("model_provider"), p.S(plan)),
		p.Set(p.Key("model"), p.S(e.Default)),
		p.Set(p.Key("model_catalog_json"), catalogFile.Value()),
		// All of theirs go, so that nothing in a role or a command leads to another one.
		p.Replace(p.Key("model_providers"), p.Object{plan: p.Object{
			"name": p.S(name), "base_url": p.S(e.BaseURL), "env_key": p.S(keyVar), "wire_api": p.S("responses"),
			// The gateway repeats what is worth repeating.
			"request_max_retries": p.Int(1), "stream_max_retries": p.Int(2),
		}}),
		p.Set(p.Key("features", "unbounded_connection_retries"), p.Bool(false)),
		// The search runs at the vendor, which is not there.
		p.Set(p.Key("web_search"), p.S("disabled")),
		// Commands inherit the environment, and have no use for the key.
		p.Append(p.Key("shell_environment_policy", "exclude"), p.ListIDs, p.S(keyVar)),
	)
}

// hasPlugin says whether the user has a plugin that is on.
func hasPlugin(r p.Request) bool {
	for key, value := range r.Inputs[inConfig].Values {
		if strings.HasPrefix(key, "plugins/") && value == p.Bool(true) {
			return true
		}
	}
	return false
}
