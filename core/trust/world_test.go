package trust_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func signer(t testing.TB, a trust.Algorithm) *trust.Signer {
	t.Helper()
	s, err := trust.GenerateSigner(a)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// key is a signer as a policy lists it, for extensions called acme.
func key(name string, s *trust.Signer) trust.Key {
	return trust.Key{Name: name, ID: s.Public().ID, PEM: s.Public().PEM(), Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme"}}
}

func policy(t testing.TB, keys ...trust.Key) *trust.Policy {
	t.Helper()
	p := &trust.Policy{Version: 1, Keys: keys}
	if err := p.Complete(); err != nil {
		t.Fatal(err)
	}
	return p
}

func release() trust.Release {
	return trust.Release{ID: "acme", Version: "1.2.0", Sequence: 3, IssuedAt: now.Add(-time.Hour)}
}

func digests() trust.Digests {
	return trust.Digests{"a.json": strings.Repeat("ab", 32), "b/c.md": strings.Repeat("cd", 32)}
}

func sign(t testing.TB, r trust.Release, signers ...*trust.Signer) []byte {
	t.Helper()
	e, err := trust.Sign(trust.Extension, r, digests(), signers...)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func terms() trust.Terms { return trust.Terms{Kind: trust.Extension, ID: "acme", Now: now} }

// refused expects an error of a code whose text holds all parts.
func refused(t *testing.T, err error, code core.Code, parts ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v [%s], want %s", err, core.CodeOf(err), code)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// change decodes an envelope, changes it and encodes it.
func change(t *testing.T, envelope []byte, f func(map[string]any)) []byte {
	t.Helper()
	var e map[string]any
	if err := json.Unmarshal(envelope, &e); err != nil {
		t.Fatal(err)
	}
	f(e)
	out, err := json.Marshal(e)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func payload(t *testing.T, e map[string]any) string {
	t.Helper()
	raw, err := base64.StdEncoding.DecodeString(e["payload"].(string))
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
