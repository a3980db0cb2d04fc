package modelendpoint

import (
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const prefix = preparer.EndpointProvider + "/"

// Address is how a client spells a model of an endpoint. One that is spelt so already, and "", stay as they are.
func Address(a preparer.Addressing, id string) string {
	if a != preparer.ProviderPrefixed || id == "" || strings.HasPrefix(id, prefix) {
		return id
	}
	return prefix + id
}

// Plain is the id of a model that a client may have spelt its way.
func Plain(id string) string { return strings.TrimPrefix(id, prefix) }
