package kimi

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// plan is the id of the provider in every session that is bound to an endpoint, whatever the endpoint is.
const plan = p.EndpointProvider

// types are the client's names for the protocols. It also speaks anthropic, but sends the key as x-api-key only, which a
// relay would not take.
var types = map[p.Protocol]string{p.OpenAI: "openai", p.Responses: "openai_responses"}

// guard takes away what a shell would put in the place of the endpoint.
func guard(l *p.Layout) {
	l.SetEmpty(shellModel...)
	l.Strip(shellTuning...)
	l.Note(p.Warn("kimi.key-in-commands", "kimi hands its environment to the commands that it runs, with the key of the endpoint in it",
		"bind the session to a route of the gateway, whose token ends with the session"))
}

// bound are the edits that bind the client to the endpoint, and to nothing else.
func bound(e *p.Endpoint) []p.Edit {
	models := p.Object{}
	for _, m := range e.Models {
		// What is not known of a model is not assumed: a picture that it cannot see would spoil the conversation.
		can := p.Strings("tool_use")
		if m.Images {
			can = p.Strings("image_in", "tool_use")
		}
		models[plan+"/"+m.ID] = p.Object{
			"provider": p.S(plan), "model": p.S(m.ID), "display_name": p.S(m.Title()), "capabilities": can,
			"max_context_size": p.Int(m.Window()),
		}
	}
	// What was chosen for another model, or needs the vendor's login.
	return append(p.DeleteAll("default_provider", "model_catalog", "secondary_model", "services", "thinking"),
		p.Set(firstModel, p.S(plan+"/"+e.Default)),
		// All of theirs go: a model of the user's under a name of ours could bring an address of its own.
		p.Replace(p.Key("providers"), p.Object{plan: p.Object{
			"type": p.S(types[e.Protocol]), "base_url": p.S(e.BaseURL), "api_key_env": p.S(keyVar),
		}}),
		p.Replace(p.Key("models"), models))
}
