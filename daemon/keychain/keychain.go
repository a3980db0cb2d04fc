package keychain

import (
	"github.com/zalando/go-keyring"

	"github.com/greenroom-agents/greenroom/daemon/secret"
)

// Keychain is the part of the system's keychain that belongs to one service.
type Keychain struct{ service string }

var _ secret.Keychain = Keychain{}

// New gives the keychain's part of a service. Nothing is asked yet.
func New(service string) Keychain { return Keychain{service} }

// Get gives a secret.
func (k Keychain) Get(name string) (string, error) { return keyring.Get(k.service, name) }

// Set stores a secret, in the place of one of the same name.
func (k Keychain) Set(name, value string) error { return keyring.Set(k.service, name, value) }

// Delete takes a secret away.
func (k Keychain) Delete(name string) error { return keyring.Delete(k.service, name) }
