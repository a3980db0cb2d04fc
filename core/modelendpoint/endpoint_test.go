package modelendpoint_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const canary = "sk-canary-0123456789"

func valid() modelendpoint.Endpoint {
	return modelendpoint.Endpoint{
		Protocol: preparer.OpenAI, BaseURL: "https://relay.example/v1/",
		Models: []modelendpoint.Model{{ID: " large "}, {ID: "small", Name: "Small"}}, Key: modelendpoint.NewKey(canary + "\n"),
	}
}

func TestCleanFillsIn(t *testing.T) {
	t.Parallel()
	got, err := valid().Clean()
	if err != nil {
		t.Fatal(err)
	}
	want := &preparer.Endpoint{
		Name: "Model plan", Protocol: preparer.OpenAI, BaseURL: "https://relay.example/v1", Default: "large",
		Models: []preparer.EndpointModel{{ID: "large", Name: "large"}, {ID: "small", Name: "Small"}},
		Key:    preparer.Secret{Name: modelendpoint.KeyName},
	}
	if diff := cmp.Diff(want, got.Told()); diff != "" {
		t.Error(diff)
	}
	if got.Key.Reveal() != canary {
		t.Error("the key is not as it was given")
	}
}

func TestCleanRefuses(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*modelendpoint.Endpoint){
		"protocol":        func(e *modelendpoint.Endpoint) { e.Protocol = "chat" },
		"no protocol":     func(e *modelendpoint.Endpoint) { e.Protocol = "" },
		"URL":             func(e *modelendpoint.Endpoint) { e.BaseURL = "https://u:" + canary + "@relay.example" },
		"no models":       func(e *modelendpoint.Endpoint) { e.Models = nil },
		"blank model":     func(e *modelendpoint.Endpoint) { e.Models[0].ID = " " },
		"model twice":     func(e *modelendpoint.Endpoint) { e.Models[1].ID = "large" },
		"model with feed": func(e *modelendpoint.Endpoint) { e.Models[1].ID = "a\nb" },
		"context":         func(e *modelendpoint.Endpoint) { e.Models[0].ContextTokens = -1 },
		"otherwise":       func(e *modelendpoint.Endpoint) { e.Otherwise = "ask" },
		"key of a page":   func(e *modelendpoint.Endpoint) { e.Key = modelendpoint.NewKey(canary + "\u00a0" + canary) },
		"default":         func(e *modelendpoint.Endpoint) { e.Default = "medium" },
		"no key":          func(e *modelendpoint.Endpoint) { e.Key = modelendpoint.NewKey(" ") },
		"key with blank":  func(e *modelendpoint.Endpoint) { e.Key = modelendpoint.NewKey(canary + " " + canary) },
		"name":            func(e *modelendpoint.Endpoint) { e.Name = "a\x1b[31m" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := valid()
			spoil(&e)
			_, err := e.Clean()
			if !errors.Is(err, core.ErrInvalid) {
				t.Fatalf("got %v", err)
			}
			if strings.Contains(err.Error(), canary) {
				t.Errorf("the error shows the key: %v", err)
			}
		})
	}
}

// H37: what comes along with a key by copying is no part of it, at whatever end it stands.
func TestH37_KeysAreTrimmed(t *testing.T) {
	t.Parallel()
	for _, given := range []string{canary + "\n", "\r\n\t " + canary, "\ufeff" + canary, " \ufeff" + canary + "\u00a0\r\n"} {
		e := valid()
		e.Key = modelendpoint.NewKey(given)
		clean, err := e.Clean()
		if err != nil || clean.Key.Reveal() != canary {
			t.Errorf("%q: %q, %v", given, clean.Key.Reveal(), err)
		}
	}
}

// H41: the error names the model, the endpoint and what there is.
func TestH41_AModelThatIsNotServedIsRefused(t *testing.T) {
	t.Parallel()
	e := valid()
	e.Name, e.Default = "Plan", "not-a-model"
	for n := range 20 {
		e.Models = append(e.Models, modelendpoint.Model{ID: fmt.Sprint("m", n)})
	}
	_, err := e.Clean()
	var ce *core.Error
	if !errors.As(err, &ce) || !strings.Contains(err.Error(), `"not-a-model" is none of the models of "Plan"`) ||
		!strings.Contains(ce.Hint, "large, small, m0") || !strings.HasSuffix(ce.Hint, "14 more") {
		t.Errorf("got %v, %q", err, ce.Hint)
	}
	for _, id := range []string{"small", "tutti-model-plan/small", " small "} {
		e.Default = id
		if clean, err := e.Clean(); err != nil || clean.Default != "small" {
			t.Errorf("%q: %q, %v", id, clean.Default, err)
		}
	}
}

func TestC248_ModelValuesComeBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ id, spelt string }{
		{"large", "tutti-model-plan/large"}, {"vendor/large", "tutti-model-plan/vendor/large"}, {"", ""},
	} {
		spelt := modelendpoint.Address(preparer.ProviderPrefixed, c.id)
		if spelt != c.spelt || modelendpoint.Address(preparer.ProviderPrefixed, spelt) != spelt || modelendpoint.Plain(spelt) != c.id ||
			modelendpoint.Plain(c.id) != c.id || modelendpoint.Address(preparer.RawModels, c.id) != c.id {
			t.Errorf("%q is spelt %q", c.id, spelt)
		}
	}
}

// What stands between follows from what the client is and the endpoint speaks, never from which client it is.
func TestC263_Passages(t *testing.T) {
	t.Parallel()
	behind := preparer.Model{Protocol: preparer.OpenAI, Endpoint: preparer.ResponsesToChatGateway}
	chat := preparer.Model{Protocol: preparer.OpenAI, Endpoint: preparer.NoEndpointAdapter, Also: []preparer.Protocol{preparer.Anthropic}}
	for _, c := range []struct {
		model    preparer.Model
		protocol preparer.Protocol
		shield   bool
		want     modelendpoint.Passage
		err      error
	}{
		{behind, preparer.OpenAI, false, modelendpoint.Translated, nil},
		{behind, preparer.OpenAI, true, modelendpoint.Translated, nil},
		{behind, preparer.Responses, false, modelendpoint.Direct, nil},
		{behind, preparer.Anthropic, false, "", modelendpoint.ProtocolMismatch},
		{chat, preparer.OpenAI, false, modelendpoint.Direct, nil},
		{chat, preparer.OpenAI, true, modelendpoint.Shielded, nil},
		{chat, preparer.Anthropic, true, modelendpoint.Shielded, nil},
		{chat, preparer.Responses, false, "", modelendpoint.ProtocolMismatch},
		{preparer.Model{}, preparer.OpenAI, true, "", modelendpoint.NotTaken},
	} {
		if got, err := modelendpoint.PassageFor(c.model, c.protocol, c.shield); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}

func TestKeyShowsItsValueToNothing(t *testing.T) {
	t.Parallel()
	e := valid()
	data, err := json.Marshal(struct {
		E modelendpoint.Endpoint
		P *modelendpoint.Endpoint
	}{e, &e})
	if err != nil {
		t.Fatal(err)
	}
	var logged strings.Builder
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("m", "e", e, "k", e.Key)
	slog.New(slog.NewTextHandler(&logged, nil)).Info("m", "e", e, "k", e.Key)
	all := fmt.Sprintf("%v %+v %#v %s %q %x %v %s", e, e, e, e.Key, e.Key, e.Key, &e, logged.String()) + string(data)
	for _, form := range []string{canary, fmt.Sprintf("%x", canary)} {
		if strings.Contains(all, form) {
			t.Errorf("it is in %s", all)
		}
	}
}
