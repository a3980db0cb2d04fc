package kimi

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// plan is the id of the provider in every session that is bound to an endpoint, whatever the endpoint is.
const plan = p.EndpointProvider

// types are the client's names for the protocols. It also speaks anthropic, but sends the key as x-api-key only, which a
// relay would not take.
var types = map[p.Protocol]string{p.OpenAI: "openai", p.Responses: "openai_responses"}

// served says whether the client can be bound to the endpoint of a request.
func served(e *p.Endpoint) error {
	if types[e.Protocol] == "" {
		return p.Refuse("kimi.endpoint-protocol", "kimi speaks openai and responses to a model endpoint, and this one speaks another protocol",
			"choose an endpoint of the openai protocol")
	}
	if e.BaseURL == "" || e.Default == "" || e.Key.Name == "" || len(e.Models) == 0 {
		return p.Refuse("kimi.endpoint-incomplete", "the model endpoint lacks a base URL, a key or a model", "complete the endpoint")
	}
	return nil
}

// endpoint hands over the key, and takes away what a shell would put in the place of the endpoint.
func endpoint(l *p.Layout, e *p.Endpoint) {
	l.Set(keyVar, e.Key)
	for _, name := range shellModel {
		l.SetEmpty(name)
	}
	l.Strip(shellTuning...)
	l.Note(p.Warn("kimi.key-in-commands", "kimi hands its environment to the commands that it runs, with the key of the endpoint in it",
		"bind the session to a route of the gateway, whose token ends with the session"))
}

// bound are the edits that bind the client to the endpoint, and to nothing else.
func bound(e *p.Endpoint) (edits []p.Edit) {
	// What was chosen for another model, or needs the vendor's login.
	for _, key := range []string{"default_provider", "model_catalog", "secondary_model", "services", "thinking"} {
		edits = append(edits, p.Delete(p.Key(key)))
	}
	models := p.Object{}
	for _, m := range e.Models {
		name := m.Name
		if name == "" {
			name = m.ID
		}
		// What is not known of a model is not assumed: a picture that it cannot see would spoil the conversation.
		can := p.Strings("tool_use")
		if m.Images {
			can = p.Strings("image_in", "tool_use")
		}
		models[plan+"/"+m.ID] = p.Object{
			"provider": p.S(plan), "model": p.S(m.ID), "display_name": p.S(name), "capabilities": can,
			"max_context_size": p.Int(window(m)),
		}
	}
	return append(edits,
		p.Set(firstModel, p.S(plan+"/"+e.Default)),
		// All of theirs go: a model of the user's under a name of ours could bring an address of its own.
		p.Replace(p.Key("providers"), p.Object{plan: p.Object{
			"type": p.S(types[e.Protocol]), "base_url": p.S(e.BaseURL), "api_key_env": p.S(keyVar),
		}}),
		p.Replace(p.Key("models"), models),
	)
}

// window is how many tokens a model reads at once; the client compacts a conversation before it outgrows this. Where it
// is not known, it is what models of today have at the least.
func window(m p.EndpointModel) int {
	if m.ContextTokens > 0 {
		return m.ContextTokens
	}
	return 128_000
}
