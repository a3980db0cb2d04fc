package modelendpoint

import "github.com/greenroom-agents/greenroom/sdk/preparer"

// Unusable says why a client cannot be bound to an endpoint.
type Unusable string

// The reasons.
const (
	// Disabled: its owner switched the endpoint off.
	Disabled Unusable = "disabled"
	// Gone: there is no such endpoint any more, or it lacks the model that the session was to begin with.
	Gone Unusable = "gone"
	// NotTaken: the client takes no endpoint.
	NotTaken Unusable = "not_taken"
	// ProtocolMismatch: the client takes endpoints of another protocol.
	ProtocolMismatch Unusable = "protocol_mismatch"
	// GatewayNeeded: the client takes it through a gateway only, and there is no route through one.
	GatewayNeeded Unusable = "gateway_needed"
)

var unusable = map[Unusable]string{
	Disabled: "the endpoint is disabled", Gone: "the endpoint is gone, or lacks the model", NotTaken: "the client takes no model endpoint",
	ProtocolMismatch: "the client speaks another protocol than the endpoint",
	GatewayNeeded:    "the client speaks responses, the endpoint chat completions, and no gateway stands between",
}

func (u Unusable) Error() string { return unusable[u] }

// Known says whether it is one of the reasons, or "".
func (u Unusable) Known() bool { return u == "" || unusable[u] != "" }

// OtherWay says what becomes of a session whose endpoint cannot be used.
type OtherWay string

// The ways.
const (
	// Fail refuses the session.
	Fail OtherWay = ""
	// Native binds it to the client's own credentials instead, which is said in the log, in a diagnostic and in the
	// prepared session. It is for endpoints that a person bound an agent to beforehand: the session is not broken when
	// somebody switches the endpoint off. An endpoint that needs a gateway is refused all the same, since that is a fault
	// of the host.
	Native OtherWay = "native"
)

// Usable says whether a client that takes m can be bound to the endpoint as it is. Errors are Unusable.
func (e Endpoint) Usable(m preparer.Model) error {
	switch {
	case e.Unusable != "":
		return e.Unusable
	case m.Protocol == preparer.NoProtocol:
		return NotTaken
	case m.Speaks(e.Protocol):
		return nil
	case m.Protocol == e.Protocol:
		return GatewayNeeded
	}
	return ProtocolMismatch
}

// Passage is what has to stand between a client and an endpoint.
type Passage string

// The passages.
const (
	// Direct: nothing.
	Direct Passage = "direct"
	// Translated: a gateway that makes Chat Completions of Responses.
	Translated Passage = "responses_to_chat"
	// Shielded: a gateway that passes everything on and keeps the key, so that the client has a token that is worth
	// nothing after the session.
	Shielded Passage = "shielded"
)

// PassageFor says what a host has to put between a client that takes m and an endpoint of a protocol. With shield the
// client is not to have the key of the endpoint. Errors are Unusable.
func PassageFor(m preparer.Model, protocol preparer.Protocol, shield bool) (Passage, error) {
	switch err := (Endpoint{Protocol: protocol}).Usable(m); {
	case err == GatewayNeeded:
		return Translated, nil
	case err != nil:
		return "", err
	case shield:
		return Shielded, nil
	}
	return Direct, nil
}

// Route is a way through a gateway that was opened for one session.
type Route struct {
	Protocol preparer.Protocol // that the gateway serves
	BaseURL  string
	Token    Key
}

// Through is the endpoint as a client sees it behind a route: its models at the gateway, for a token.
func (e Endpoint) Through(r Route) Endpoint {
	e.Protocol, e.BaseURL, e.Key, e.temporary = r.Protocol, r.BaseURL, r.Token, true
	return e
}
