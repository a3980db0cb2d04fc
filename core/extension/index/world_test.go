package index_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

var terms = trust.Terms{Now: now}

// publisher signs releases as public tools do, and is believed by its policy.
type publisher struct {
	t      testing.TB
	key    ed25519.PrivateKey
	signer *trust.Signer
	policy *trust.Policy
}

func newPublisher(t testing.TB) *publisher {
	t.Helper()
	seed := make([]byte, ed25519.SeedSize)
	if _, err := rand.Read(seed); err != nil {
		t.Fatal(err)
	}
	return publisherOf(t, seed)
}

func publisherOf(t testing.TB, seed []byte) *publisher {
	t.Helper()
	key := ed25519.NewKeyFromSeed(seed)
	s, err := trust.NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	p := &publisher{t: t, key: key, signer: s}
	p.policy = p.believing(func(*trust.Policy) {})
	return p
}

// believing is a policy that believes the publisher, changed.
func (p *publisher) believing(change func(*trust.Policy)) *trust.Policy {
	p.t.Helper()
	policy := &trust.Policy{Version: 1, Keys: []trust.Key{{Name: "acme-v1", ID: p.signer.Public().ID, PEM: p.signer.Public().PEM(),
		Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme"}}}}
	change(policy)
	if err := policy.Complete(); err != nil {
		p.t.Fatal(err)
	}
	return policy
}

var artifact = []byte("not looked into here")

// fields are those of a release that nobody has signed.
func fields(version string) map[string]any {
	sum := sha256.Sum256(artifact)
	return map[string]any{
		"schemaVersion": "tutti.agent.release.v1", "agentKey": "acme", "version": version,
		"manifest":    map[string]any{"schemaVersion": "tutti.agent.manifest.v2", "agentKey": "acme", "version": version, "name": "Acme"},
		"artifactUrl": "https://releases.example/acme-" + version + ".zip", "artifactSha256": hex.EncodeToString(sum[:]), "artifactSizeBytes": len(artifact),
		"publishedAt": now.Add(-time.Hour).Format(time.RFC3339), "gitSha": "0a1b2c3d",
	}
}

// sign gives the document of a release. What is signed is what encoding/json makes of the fields, which sorts them.
func (p *publisher) sign(f map[string]any) []byte {
	p.t.Helper()
	message := p.json(f)
	f["signature"] = map[string]any{"algorithm": "ed25519", "keyId": "acme-v1", "value": base64.StdEncoding.EncodeToString(ed25519.Sign(p.key, message))}
	document := p.json(f)
	delete(f, "signature")
	return document
}

func (p *publisher) json(v any) []byte {
	p.t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		p.t.Fatal(err)
	}
	return data
}

// entry is one of a list.
type entry struct {
	version, host, status string
	capabilities          []string
	change                func(map[string]any) // what of the release, before it is signed
	release               []byte               // in the place of one that is signed here
}

func (p *publisher) list(entries ...entry) []byte {
	p.t.Helper()
	var all []map[string]any
	for _, e := range entries {
		f := fields(e.version)
		if e.change != nil {
			e.change(f)
		}
		if e.release == nil {
			e.release = p.sign(f)
		}
		one := map[string]any{"version": e.version, "minTuttiVersion": "0.0.0", "requiredHostCapabilities": []string{}, "status": "active", "release": json.RawMessage(e.release)}
		if e.host != "" {
			one["minTuttiVersion"] = e.host
		}
		if e.status != "" {
			one["status"] = e.status
		}
		if e.capabilities != nil {
			one["requiredHostCapabilities"] = e.capabilities
		}
		all = append(all, one)
	}
	return p.json(map[string]any{"schemaVersion": "tutti.agent.versions.v1", "agentKey": "acme", "versions": all})
}

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

func replaced(document []byte, old, new string) []byte {
	text := strings.Replace(string(document), old, new, 1)
	if text == string(document) {
		panic(fmt.Sprintf("there is no %q in %s", old, document))
	}
	return []byte(text)
}
