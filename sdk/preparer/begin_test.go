package preparer_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

func endpoint(protocol p.Protocol, auth p.Auth) *p.Endpoint {
	return &p.Endpoint{Protocol: protocol, BaseURL: "https://models.example/v1", Models: []p.EndpointModel{{ID: "m"}}, Default: "m",
		Key: p.Secret{Name: "key"}, Auth: auth}
}

func TestBeginHandsOverTheKeyWhereTheDescriptorSays(t *testing.T) {
	t.Parallel()
	one := p.Descriptor{Provider: "x", Model: p.Model{Protocol: p.OpenAI, KeyVar: p.EndpointKeyVar}, Env: []string{p.EndpointKeyVar}}
	two := p.Descriptor{Provider: "x", Model: p.Model{Protocol: p.OpenAI, KeyVar: "BEARER", APIKeyVar: "API_KEY"}}
	own := p.Descriptor{Provider: "x", Model: p.Model{Protocol: p.OpenAI, KeyVar: "BEARER"}, Env: []string{p.EndpointKeyVar}}
	set := func(name string) p.EnvOp { return p.EnvOp{Name: name, Op: p.EnvSet, Value: p.Secret{Name: "key"}} }
	empty := func(name string) p.EnvOp { return p.EnvOp{Name: name, Op: p.EnvSetEmpty} }
	for name, c := range map[string]struct {
		d     p.Descriptor
		e     *p.Endpoint
		env   []p.EnvOp
		strip []string
	}{
		"one variable":               {one, endpoint(p.OpenAI, p.Bearer), []p.EnvOp{set(p.EndpointKeyVar)}, nil},
		"one variable, another key":  {one, endpoint(p.OpenAI, p.APIKey), []p.EnvOp{set(p.EndpointKeyVar)}, nil},
		"two variables":              {two, endpoint(p.OpenAI, p.Bearer), []p.EnvOp{set("BEARER"), empty("API_KEY")}, nil},
		"two variables, another key": {two, endpoint(p.OpenAI, p.APIKey), []p.EnvOp{set("API_KEY"), empty("BEARER")}, nil},
		"a variable of the client's": {own, endpoint(p.OpenAI, p.Bearer), []p.EnvOp{set("BEARER")}, []string{p.EndpointKeyVar}},
		"no endpoint":                {one, nil, nil, []string{p.EndpointKeyVar}},
		"no endpoint, the user's":    {two, nil, nil, nil},
	} {
		l, err := p.Begin(context.Background(), c.d, p.Request{Endpoint: c.e})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.env, l.Env) + cmp.Diff(c.strip, l.Launch.Strip); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestBeginRefuses(t *testing.T) {
	t.Parallel()
	speaks := p.Model{Protocol: p.OpenAI, Endpoint: p.ResponsesToChatGateway}
	lacking := func(change func(*p.Endpoint)) *p.Endpoint {
		e := endpoint(p.Responses, p.Bearer)
		change(e)
		return e
	}
	for name, c := range map[string]struct {
		model p.Model
		e     *p.Endpoint
		code  string
	}{
		"no protocol":      {p.Model{}, endpoint(p.OpenAI, p.Bearer), "x.no-endpoint"},
		"another protocol": {speaks, endpoint(p.Anthropic, p.Bearer), "x.endpoint-protocol"},
		// It is the gateway that speaks to those.
		"before the gateway": {speaks, endpoint(p.OpenAI, p.Bearer), "x.endpoint-protocol"},
		"no URL":             {speaks, lacking(func(e *p.Endpoint) { e.BaseURL = "" }), "x.endpoint-incomplete"},
		"no key":             {speaks, lacking(func(e *p.Endpoint) { e.Key.Name = "" }), "x.endpoint-incomplete"},
		"no models":          {speaks, lacking(func(e *p.Endpoint) { e.Models = nil }), "x.endpoint-incomplete"},
		"no default":         {speaks, lacking(func(e *p.Endpoint) { e.Default = "" }), "x.endpoint-incomplete"},
	} {
		_, err := p.Begin(context.Background(), p.Descriptor{Provider: "x", Model: c.model}, p.Request{Endpoint: c.e})
		var refusal *p.Refusal
		if !errors.As(err, &refusal) || refusal.Code != c.code {
			t.Errorf("%s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := p.Begin(ctx, p.Descriptor{}, p.Request{}); !errors.Is(err, context.Canceled) {
		t.Errorf("of a request that ended: %v", err)
	}
}

func TestSpokenListsEveryProtocol(t *testing.T) {
	t.Parallel()
	for want, m := range map[string]p.Model{
		"openai": {Protocol: p.OpenAI}, "responses": {Protocol: p.OpenAI, Endpoint: p.ResponsesToChatGateway},
		"openai and responses": {Protocol: p.OpenAI, Also: []p.Protocol{p.Responses}},
	} {
		if got := m.Spoken(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
