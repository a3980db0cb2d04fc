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
