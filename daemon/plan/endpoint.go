package plan

import (
	"net/url"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// vendors are the endpoints of plans that name none.
var vendors = map[preparer.Protocol]string{
	preparer.OpenAI: "https://api.openai.com/v1", preparer.Anthropic: "https://api.anthropic.com",
}

// placeholder is what is sent as the key of an endpoint on this machine that wants none.
const placeholder = "none"

// Base is the base URL of the plan's endpoint in its normal form, the vendor's own when the plan names none.
func (s Spec) Base() string {
	if s.BaseURL == "" {
		return vendors[s.Protocol]
	}
	base, err := modelendpoint.Normalise(s.Protocol, s.BaseURL)
	if err != nil {
		return "" // none that Clean lets pass
	}
	return base
}

// Origin is where the plan's endpoint is, without the path: a key was entered for it.
func (s Spec) Origin() string {
	u, err := url.Parse(s.Base())
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host
}

// Credential is what is sent for a key: the key, or for an endpoint on this machine without one a word that stands for
// none. A check and a session ask this both.
func (s Spec) Credential(key Key) Key {
	if key.IsZero() && modelendpoint.Loopback(s.Base()) {
		return modelendpoint.NewKey(placeholder)
	}
	return key
}

// Endpoint is what a session on the plan is bound to. model is what it is to begin with, "" for the plan's default; the
// plan's models come in an order that has it first. Errors are [problem.PlanUnusable].
func (p Plan) Endpoint(key Key, model string) (modelendpoint.Endpoint, error) {
	unusable := func(detail, hint string) (modelendpoint.Endpoint, error) {
		return modelendpoint.Endpoint{}, problem.New(problem.PlanUnusable, "", detail).WithHint(hint)
	}
	if p.Template == OfficialSubscription {
		return unusable("the plan is a subscription that the client logs in to itself", "run the client without a plan")
	}
	if len(p.Models) == 0 {
		return unusable("the plan has no models", "add the ids of some, as the endpoint lists them")
	}
	if model == "" {
		model = p.Effective()
	}
	if model = modelendpoint.Plain(model); !p.Has(model) {
		return unusable("the model is none of the plan's", "it has "+p.Listing())
	}
	key = p.Credential(key)
	switch {
	case p.KeyUnreadable:
		return unusable("the key of the plan cannot be read with any key file there is", "enter the key again")
	case key.IsZero():
		return unusable("the plan has no key", "give it one")
	}
	e := modelendpoint.Endpoint{
		Name: p.Name, Protocol: p.Protocol, BaseURL: p.Base(), Default: model, Key: key,
	}
	if !p.Enabled {
		e.Unusable = modelendpoint.Disabled
	}
	for _, m := range p.Models {
		e.Models = append(e.Models, modelendpoint.Model{ID: m.ID, Name: m.Name, ContextTokens: m.ContextTokens, Images: m.Images})
	}
	return e, nil
}

// Listing lists the models for people, the first few of many.
func (s Spec) Listing() string {
	const most = 8
	text := ""
	for i, m := range s.Models {
		switch {
		case i == most:
			return text + " and more"
		case i > 0:
			text += ", "
		}
		text += m.ID
	}
	return text
}
