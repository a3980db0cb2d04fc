package core

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// bind holds the endpoint of the session against what its client takes. Without this, a client that takes none would
// run on the user's own login, and nobody would see it.
func (a *answered) bind() error {
	if a.session.Endpoint == nil {
		return nil
	}
	e := *a.session.Endpoint
	why := e.Usable(a.desc.Model)
	if why == nil {
		clean, err := e.Clean()
		if err != nil {
			return err
		}
		a.endpoint = &clean
		return nil
	}
	if e.Otherwise == modelendpoint.Native && !errors.Is(why, modelendpoint.GatewayNeeded) {
		return a.fallBack(why)
	}
	detail := why.Error()
	if errors.Is(why, modelendpoint.ProtocolMismatch) {
		detail = "its client speaks " + a.desc.Model.Spoken() + " to a model endpoint, and this one speaks " + string(e.Protocol)
	}
	return fault.Wrap(why, fault.Refused, "prepare", a.session.Provider, detail).WithHint(remedies[why.(modelendpoint.Unusable)])
}

// remedies say how to mend an endpoint that cannot be used.
var remedies = map[modelendpoint.Unusable]string{
	modelendpoint.Disabled:         "switch the endpoint on, or start the session without one",
	modelendpoint.Gone:             "bind it to another endpoint, or start the session without one",
	modelendpoint.NotTaken:         "start the session without one",
	modelendpoint.ProtocolMismatch: "bind it to an endpoint of that protocol",
	modelendpoint.GatewayNeeded:    "open a route of package gateway for the session, and give it the endpoint through that",
}

// fallBack leaves the session with the client's own credentials.
func (a *answered) fallBack(why error) error {
	var reason modelendpoint.Unusable
	errors.As(why, &reason)
	a.fallback = reason
	a.note("endpoint_not_used", "the session does not run on its model endpoint but on your own login: "+reason.Error(),
		remedies[reason])
	return nil
}

// handsOver holds a layout to what its descriptor says of the key: it is handed over, by the variable that the endpoint's
// way of asking for it has, and by no other.
func (a *answered) handsOver(l *preparer.Layout) error {
	if a.endpoint == nil {
		return nil
	}
	m := a.desc.Model
	variable := m.KeyVar
	if a.endpoint.Told().Auth == preparer.APIKey && m.APIKeyVar != "" {
		variable = m.APIKeyVar
	}
	bad := func(subject, detail string) error {
		return fault.New(fault.LayoutRefused, "check layout", subject, detail).
			WithHint("the adapter is at fault: tell its author, or use another version")
	}
	handed := m.SecretFile && a.endpoint.KeyInFile()
	for _, op := range l.Env {
		if op.Value == nil || !holds(op.Value, preparer.Secret{Name: modelendpoint.KeyName}) {
			continue
		}
		if op.Name != variable {
			return bad("env "+op.Name, "holds the key of the endpoint, which the descriptor does not say")
		}
		handed = true
	}
	if !handed {
		return bad("endpoint", "its key does not reach the client")
	}
	return nil
}

// holds says whether a string-like value has a secret in it.
func holds(v preparer.Value, secret preparer.Secret) bool {
	switch v := v.(type) {
	case preparer.Secret:
		return v == secret
	case preparer.Concat:
		return slices.ContainsFunc(v, func(part preparer.Value) bool { return holds(part, secret) })
	case preparer.Quoted:
		return holds(v.Value, secret)
	}
	return false
}

// ModelSource says whose models a session runs on.
type ModelSource struct {
	// Source is "endpoint" for a model endpoint, and "native" for the client's own credentials.
	Source string `json:"source"`
	// NotUsed says, in a native session that was to run on an endpoint, why it does not: "disabled", "gone",
	// "not_taken" or "protocol_mismatch".
	NotUsed modelendpoint.Unusable `json:"notUsed,omitempty"`
	// The rest is of the endpoint, "" and none in a native session. Models are spelt as the client takes them.
	Name     string                `json:"name,omitempty"`
	Protocol preparer.Protocol     `json:"protocol,omitempty"`
	Default  string                `json:"default,omitempty"`
	Models   []modelendpoint.Model `json:"models,omitempty"`
}

// String is the source in a word, and why it is not an endpoint.
func (s ModelSource) String() string {
	if s.NotUsed != "" {
		return s.Source + ": " + string(s.NotUsed)
	}
	return s.Source
}

// Spell gives a model as the client takes it, whichever way it is spelt: one of the endpoint's. In a native session it is what
// was given, since the client knows its own. Errors: [ErrInvalid], which names the endpoint, and in its hint the models that
// there are.
func (s ModelSource) Spell(model string) (string, error) {
	if s.Source != FromEndpoint {
		return model, nil
	}
	for _, spelt := range []func(string) string{func(id string) string { return id }, modelendpoint.Plain} {
		for _, m := range s.Models {
			if spelt(m.ID) == spelt(model) {
				return m.ID, nil
			}
		}
	}
	return "", modelendpoint.NoSuchModel("set model", "", model, s.Name, s.Models)
}

// The sources.
const (
	FromEndpoint = "endpoint"
	FromClient   = "native"
)

// source is whose models the session runs on.
func (a *answered) source() ModelSource {
	e := a.endpoint
	if e == nil {
		return ModelSource{Source: FromClient, NotUsed: a.fallback}
	}
	spelt := func(id string) string { return modelendpoint.Address(a.desc.Model.Addressing, id) }
	s := ModelSource{Source: FromEndpoint, Name: e.Name, Protocol: e.Protocol, Default: spelt(e.Default), Models: slices.Clone(e.Models)}
	for i := range s.Models {
		s.Models[i].ID = spelt(s.Models[i].ID)
	}
	return s
}

// secrets are what the handles of credentials stand for.
func (a *answered) secrets() map[string]string {
	secrets := connector.Credentials(a.servers)
	if a.endpoint != nil {
		secrets[modelendpoint.KeyName] = a.endpoint.Key.Reveal()
	}
	return secrets
}

// toldEndpoint is all that an adapter is told of the endpoint, as one text; "" for none.
func (a *answered) toldEndpoint() string {
	if a.endpoint == nil {
		return ""
	}
	// Strings only: it cannot fail, and if it did, kinds would be told apart less well than they should.
	text, err := json.Marshal(a.endpoint.Told())
	if err != nil {
		return a.session.ID
	}
	return string(text)
}

// direct takes an endpoint and servers on this machine out of what a proxy is asked for. Clients send requests to loopback addresses
// to a proxy as well, and their credential with them. Some read one spelling of the variable and some the other, and the
// first that is there, so that each gets what the user has in either.
func (h *Host) direct(a *answered) []EnvVar {
	here := a.endpoint != nil && modelendpoint.Loopback(a.endpoint.BaseURL)
	for _, s := range a.servers {
		here = here || modelendpoint.Loopback(s.URL)
	}
	if !here {
		return nil
	}
	names := []string{"NO_PROXY", "no_proxy"}
	var items []string
	for _, name := range names {
		value, _ := h.env(name)
		for item := range strings.SplitSeq(value, ",") {
			if item = strings.TrimSpace(item); item != "" && !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
	}
	for _, ours := range []string{"127.0.0.1", "localhost", "::1"} {
		if !slices.Contains(items, ours) {
			items = append(items, ours)
		}
	}
	var env []EnvVar
	for _, name := range names {
		env = append(env, EnvVar{Name: name, Op: preparer.EnvAppend, Value: strings.Join(items, ","), Separator: ","})
	}
	return env
}
