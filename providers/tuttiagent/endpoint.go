package tuttiagent

import (
	"strings"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// plan is the id of the provider in every session that is bound to an endpoint: the client files threads by it. keyVar
// carries the key.
const plan, keyVar = "tutti-model-plan", "TUTTI_MODEL_PLAN_API_KEY"

// patch shows the client's own way to change files, for which a model has no tool. The client takes the command out of
// the shell's hands.
const patch = "\napply_patch <<'EOF'\n*** Begin Patch\n*** Update File: docs/notes.txt\n@@ def example():\n context\n-old\n+new\n" +
	"*** Add File: docs/new.txt\n+line\n*** Delete File: docs/old.txt\n*** End Patch\nEOF\n"

// catalogFile lists the models of the plan to the client.
var catalogFile = root.Join(plan + ".json")

// served says whether the client can be bound to the endpoint of a request.
func served(e *p.Endpoint) error {
	if e.Protocol != p.Responses {
		return p.Refuse("tutti-agent.endpoint-protocol", "tutti agent speaks responses to a model endpoint, and this one speaks another protocol",
			"put a gateway before an endpoint of the openai protocol")
	}
	for _, part := range []string{e.BaseURL, e.Default, e.Key.Name, e.Base.Name} {
		if part == "" || len(e.Models) == 0 {
			return p.Refuse("tutti-agent.endpoint-incomplete", "the model endpoint lacks a base URL, a key or a model", "complete the endpoint")
		}
	}
	return nil
}

// catalog describes the models to the client, which would take one that it happens to know for its vendor's.
func catalog(e *p.Endpoint) (models p.List) {
	for i, m := range e.Models {
		entry := p.Object{
			// Commands through plain functions, patches through a command; what is not known of a model is not assumed.
			"base_instructions": p.Concat{e.Base.Text(), p.S(patch)}, "shell_type": p.S("unified_exec"), "context_window": p.Int(128_000),
			"description": p.S("A model of the plan."), "display_name": p.S(m.Name), "slug": p.S(m.ID), "visibility": p.S("list"),
			"input_modalities": p.Strings("text"), "priority": p.Int(i), "truncation_policy": p.Object{"mode": p.S("tokens"), "limit": p.Int(10_000)},
			"experimental_supported_tools": p.List{}, "supported_reasoning_levels": p.List{}, "supported_in_api": p.Bool(true),
			"support_verbosity": p.Bool(false), "supports_search_tool": p.Bool(false), "use_responses_lite": p.Bool(false),
		}
		if m.Name == "" {
			entry["display_name"] = p.S(m.ID)
		}
		if m.Images {
			entry["input_modalities"] = p.Strings("text", "image")
		}
		if m.ContextTokens > 0 {
			entry["context_window"] = p.Int(m.ContextTokens)
		}
		models = append(models, entry)
	}
	return models
}

// bound are the edits that bind the client to the endpoint, and to nothing else.
func bound(e *p.Endpoint) (edits []p.Edit) {
	name := strings.TrimSpace(e.Name)
	if name == "" || strings.EqualFold(name, "openai") { // to one of that name the client speaks as to its vendor's own
		name = "Model plan"
	}
	set := func(v p.Value, path ...string) { edits = append(edits, p.Set(path, v)) }
	// What would put another provider, model or address in the place of ours, or was chosen for a model that is not here. A
	// project that is trusted may bring a configuration of its own.
	for key := range strings.FieldsSeq("chatgpt_base_url model_auto_compact_token_limit model_context_window openai_base_url oss_provider " +
		"profile profiles projects review_model service_tier") {
		edits = append(edits, p.Delete(p.Key(key)))
	}
	// The vendor has no part in this session, and its search is not there.
	for _, feature := range []string{"apps", "plugins", "unbounded_connection_retries"} {
		set(p.Bool(false), "features", feature)
	}
	set(p.Bool(false), "analytics", "enabled")
	set(p.S("disabled"), "web_search")
	set(p.S(e.Default), "model")
	set(p.S(plan), "model_provider")
	set(catalogFile.Value(), "model_catalog_json")
	provider := p.Object{"base_url": p.S(e.BaseURL), "env_key": p.S(keyVar), "name": p.S(name), "wire_api": p.S("responses"),
		"request_max_retries": p.Int(1), "stream_max_retries": p.Int(2)} // the gateway repeats what is worth repeating
	return append(edits, p.Replace(p.Key("model_providers"), p.Object{plan: provider}),
		// Commands inherit the environment, and have no use for the key.
		p.Append(p.Key("shell_environment_policy", "exclude"), p.ListIDs, p.S(keyVar)))
}
