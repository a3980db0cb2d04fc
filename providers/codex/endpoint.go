package codex

import (
	_ "embed"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

// plan is the id of the provider in every session that is bound to an endpoint, whatever the endpoint is: the client
// files threads by it, and would not find those of another id again.
const plan = p.EndpointProvider

// patch shows the client's own way to change files. Without a tool for it the model has to be shown; the client takes the
// command out of the shell's hands.
//
//go:embed patch.txt
var patch string

// catalog describes the models to the client. Without it, a model whose id the client happens to know would be given
// tools in a form that no Chat Completions endpoint takes.
func catalog(e *p.Endpoint) p.Object {
	var models p.List
	for i, m := range e.Models {
		models = append(models, p.Object{
			"slug": p.S(m.ID), "display_name": p.S(m.Title()), "description": p.S("A model of the plan."),
			"visibility": p.S("list"), "supported_in_api": p.Bool(true), "priority": p.Int(i),
			"base_instructions": p.Concat{e.Base.Text(), p.S(patch)},
			// Commands through plain functions, patches through a command.
			"shell_type": p.S("unified_exec"), "use_responses_lite": p.Bool(false), "supports_search_tool": p.Bool(false),
			"experimental_supported_tools": p.List{}, "input_modalities": m.Takes(),
			"supported_reasoning_levels": p.List{}, "support_verbosity": p.Bool(false),
			// The client compacts a thread before it outgrows this, by what the endpoint says of its tokens.
			"context_window": p.Int(m.Window()), "truncation_policy": p.Object{"mode": p.S("tokens"), "limit": p.Int(10_000)},
		})
	}
	return p.Object{"models": models}
}

// models bind the client to the endpoint and to nothing else, or leave it with the user's models.
func models(l *p.Layout, r p.Request) []p.Edit {
	e, file, key := r.Endpoint, root.Join(plan+".json"), p.Key("model_catalog_json")
	if e == nil {
		return []p.Edit{p.Rebase(key, home), p.Require(key, "file")}
	}
	l.Document(file, p.JSON, catalog(e))
	// The vendor has no part in this session: neither in counting it, nor with what an account there brings along. Where
	// plugins are on, the client asks after those that its vendor offers, at two hosts and at its start.
	off := []string{"analytics/enabled", "features/apps", "features/unbounded_connection_retries"}
	if len(inConfig.In(r).Items(pluginOn, p.Bool(true))) == 0 {
		off = append(off, "features/plugins")
	}
	// What would put another provider, model or address in the place of ours, sends elsewhere what is said, or was chosen for
	// a model that is not here.
	edits := p.DeleteAll("profile", "profiles", "openai_base_url", "chatgpt_base_url", "oss_provider", "otel", "review_model",
		"service_tier", "model_context_window", "model_auto_compact_token_limit")
	return append(append(edits, p.SwitchOff(off...)...),
		p.Set(p.Key("model_provider"), p.S(plan)), p.Set(p.Key("model"), p.S(e.Default)), p.Set(key, file.Value()),
		// The search runs at the vendor, which is not there.
		p.Set(p.Key("web_search"), p.S("disabled")),
		// All of theirs go, so that nothing in a role or a command leads to another one. To a provider called openai the client
		// speaks as to its vendor's own. The gateway repeats what is worth repeating.
		p.Replace(p.Key("model_providers"), p.Object{plan: p.Object{
			"name": p.S(e.Called("Model plan", "openai")), "base_url": p.S(e.BaseURL), "env_key": p.S(p.EndpointKeyVar),
			"wire_api": p.S("responses"), "request_max_retries": p.Int(1), "stream_max_retries": p.Int(2),
		}}))
}
