package core

import (
	"encoding/json"
	"slices"
	"strings"

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
	e, err := a.session.Endpoint.Clean()
	if err != nil {
		return err
	}
	refused := func(detail, hint string) error {
		return fault.New(fault.Refused, "prepare", a.session.Provider, detail).WithHint(hint)
	}
	switch a.desc.Model.Protocol {
	case preparer.NoProtocol:
		return refused("its client takes no model endpoint", "start the session without one")
	case e.Protocol:
	default:
		return refused("its client speaks "+string(a.desc.Model.Protocol)+" to a model endpoint, and this one speaks "+string(e.Protocol),
			"bind it to an endpoint of that protocol")
	}
	a.endpoint = &e
	return nil
}

// secrets are what the handles of credentials stand for.
func (a *answered) secrets() map[string]string {
	if a.endpoint == nil {
		return nil
	}
	return map[string]string{modelendpoint.KeyName: a.endpoint.Key.Reveal()}
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

// direct takes an endpoint on this machine out of what a proxy is asked for. Clients send requests to loopback addresses
// to a proxy as well, and their credential with them. Some read one spelling of the variable and some the other, and the
// first that is there, so that each gets what the user has in either.
func (h *Host) direct(e *modelendpoint.Endpoint) []EnvVar {
	if e == nil || !modelendpoint.Loopback(e.BaseURL) {
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
