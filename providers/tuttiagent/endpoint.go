package tuttiagent

import (
	"slices"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// plan is the id of the provider in every session that is bound to an endpoint: the client files threads by it.
const plan = p.EndpointProvider

// patch shows the client's own way to change files, for which a model has no tool. The client takes the command out of
// the shell's hands.
const patch = "\napply_patch <<'EOF'\n*** Begin Patch\n*** Update File: docs/notes.txt\n@@ def example():\n context\n-old\n+new\n" +
	"*** Add File: docs/new.txt\n+line\n*** Delete File: docs/old.txt\n*** End Patch\nEOF\n"

// catalog describes the models to the client, which would take one that it happens to know for its vendor's.
func catalog(e *p.Endpoint) (models p.List) {
	for i, m := range e.Models {
		models = append(models, p.Object{
			// Commands through plain functions, patches through a command.
			"base_instructions": p.Concat{e.Base.Text(), p.S(patch)}, "shell_type": p.S("unified_exec"),
			"slug": p.S(m.ID), "display_name": p.S(m.Title()), "description": p.S("A model of the plan."), "priority": p.Int(i),
			"visibility": p.S("list"), "supported_in_api": p.Bool(true), "input_modalities": m.Takes(),
			"context_window": p.Int(m.Window()), "truncation_policy": p.Object{"mode": p.S("tokens"), "limit": p.Int(10_000)},
			"experimental_supported_tools": p.List{}, "supported_reasoning_levels": p.List{},
			"support_verbosity": p.Bool(false), "supports_search_tool": p.Bool(false), "use_responses_lite": p.Bool(false),
		})
	}
	return models
}

// models bind the client to the endpoint and to nothing else, or leave it with the user's models.
func models(l *p.Layout, r p.Request) []p.Edit {
	e, file, key := r.Endpoint, root.Join(plan+".json"), p.Key("model_catalog_json")
	if e == nil {
		return []p.Edit{p.Rebase(key, home), p.Require(key, "file")}
	}
	l.Document(file, p.JSON, p.Object{"models": catalog(e)})
	// To one of that name the client speaks as to its vendor's own.
	name := e.Called("Model plan", "openai")
	provider := p.Object{"base_url": p.S(e.BaseURL), "env_key": p.S(p.EndpointKeyVar), "name": p.S(name), "wire_api": p.S("responses"),
		"request_max_retries": p.Int(1), "stream_max_retries": p.Int(2)} // the gateway repeats what is worth repeating
	return slices.Concat(
		// What would put another provider, model or address in the place of ours, sends elsewhere what is said, or was chosen
		// for a model that is not here.
		p.DeleteAll("chatgpt_base_url", "model_auto_compact_token_limit", "model_context_window", "openai_base_url", "oss_provider",
			"otel", "profile", "profiles", "review_model", "service_tier"),
		// The vendor has no part in this session, and its search is not there.
		p.SwitchOff("features/apps", "features/plugins", "features/unbounded_connection_retries", "analytics/enabled"),
		[]p.Edit{
			p.Set(p.Key("web_search"), p.S("disabled")),
			p.Set(p.Key("model"), p.S(e.Default)),
			p.Set(p.Key("model_provider"), p.S(plan)),
			p.Set(key, file.Value()),
			p.Replace(p.Key("model_providers"), p.Object{plan: provider}),
		})
}
