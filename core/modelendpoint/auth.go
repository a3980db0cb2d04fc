package modelendpoint

import (
	_ "embed"
	"net/url"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// vendors are the hosts that want the key of an anthropic endpoint in a header of its own. Endpoints of others that speak
// the protocol are relays, which want it as a bearer.
//
// Source: the model access plans' contract for clients of that protocol; public reports of both mistakes are H30 and H31.
//
//go:embed apikey-hosts.txt
var vendors string

// AuthFor is how an endpoint wants its key. Whatever asks an endpoint something, a client in a session or a check of the
// endpoint itself, has to ask this, or the one passes where the other fails. The base URL may be in any form that
// Normalise takes.
func AuthFor(protocol preparer.Protocol, base string) preparer.Auth {
	u, err := url.Parse(strings.TrimSpace(base))
	if err != nil || protocol != preparer.Anthropic || !slices.Contains(strings.Fields(vendors), strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")) {
		return preparer.Bearer
	}
	return preparer.APIKey
}
