package trust_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// witness answers the same of every bundle.
type witness struct {
	trust.Attestation
	err error
}

func (w witness) VerifyBundle([]byte) (*trust.Attestation, error) { return &w.Attestation, w.err }

const bundle = `{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json"}`

// acme is the identity that signs in these tests.
func acme() trust.Identity {
	return trust.Identity{Name: "Acme", Issuer: "https://issuer.example", Subject: "release@acme.example",
		Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme"}}
}

func TestIdentitiesAreBelievedAsThePolicySays(t *testing.T) {
	t.Parallel()
	payload, err := trust.Statement(trust.Extension, release(), digests())
	if err != nil {
		t.Fatal(err)
	}
	good := trust.Attestation{PayloadType: "application/vnd.in-toto+json", Payload: payload, Issuer: acme().Issuer, Subject: acme().Subject, SignedAt: now.Add(-time.Hour)}
	for name, c := range map[string]struct {
		policy func(*trust.Policy)
		seen   func(*witness)
		says   string // "" for one that is believed
	}{
		"as it should be":          {},
		"nobody":                   {policy: func(p *trust.Policy) { p.Identities = nil }, says: "the policy trusts no identity"},
		"other case":               {seen: func(w *witness) { w.Subject = strings.ToUpper(w.Subject) }, says: "expected is"},
		"two have to":              {policy: func(p *trust.Policy) { p.Threshold = 2 }, says: "expected are 2"},
		"payload type":             {seen: func(w *witness) { w.PayloadType = "text/plain" }, says: `type "text/plain"`},
		"no statement":             {seen: func(w *witness) { w.Payload = []byte("{}") }, says: "the statement"},
		"signed before the window": {policy: func(p *trust.Policy) { p.Identities[0].ValidFrom = now.Add(-time.Minute) }, says: "valid from"},
		"signed after the window, issued within": {policy: func(p *trust.Policy) { p.Identities[0].ValidUntil = now.Add(-30 * time.Minute) },
			seen: func(w *witness) { w.SignedAt = now.Add(-time.Minute) }, says: "it was signed at"},
		"issued after it was signed": {seen: func(w *witness) { w.SignedAt = now.Add(-2 * time.Hour) }, says: "it was signed at"},
		"revoked release": {policy: func(p *trust.Policy) {
			p.RevokedReleases = []trust.Revoked{{Kind: trust.Extension, ID: "acme", Version: "1.2.0"}}
		}, says: "revoked"},
		"not good": {seen: func(w *witness) { w.err = errors.New("no entry\nin\tthe log") }, says: "not good: no entry"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, w := &trust.Policy{Version: 1, Identities: []trust.Identity{acme()}}, witness{Attestation: good}
			if c.policy != nil {
				c.policy(p)
			}
			if c.seen != nil {
				c.seen(&w)
			}
			if err := p.Complete(); err != nil {
				t.Fatal(err)
			}
			in := terms()
			in.Bundles = w
			v, err := p.Verify([]byte(bundle), in)
			if c.says == "" {
				if err != nil || len(v.Signers) != 1 || v.Release.ID != "acme" {
					t.Errorf("%+v, %v", v, err)
				}
				return
			}
			code := core.ErrUntrusted
			if name == "revoked release" {
				code = core.ErrRevoked
			}
			refused(t, err, code, c.says)
			if strings.ContainsAny(err.Error(), "\n\t") {
				t.Errorf("%q is more than one line", err)
			}
		})
	}
}

// A host that looks at no bundles believes none, and a key of the policy is not asked about one.
func TestBundlesNeedAVerifier(t *testing.T) {
	t.Parallel()
	_, err := policy(t, key("Acme", signer(t, trust.Ed25519))).Verify([]byte(bundle), terms())
	refused(t, err, core.ErrUntrusted, "verifies none")
}

func TestIdentitiesOfAPolicyAreChecked(t *testing.T) {
	t.Parallel()
	for says, change := range map[string]func(*trust.Policy){
		"identities[0].issuer":   func(p *trust.Policy) { p.Identities[0].Issuer = "" },
		"identities[0].subject":  func(p *trust.Policy) { p.Identities[0].Subject = "a\nb" },
		"identities[0].name":     func(p *trust.Policy) { p.Identities[0].Name = "" },
		"identities[0].kinds":    func(p *trust.Policy) { p.Identities[0].Kinds = nil },
		"identities[0].releases": func(p *trust.Policy) { p.Identities[0].Releases = []string{"acme*"} },
		"validUntil":             func(p *trust.Policy) { p.Identities[0].ValidFrom, p.Identities[0].ValidUntil = now, now },
		"stands twice":           func(p *trust.Policy) { p.Identities = append(p.Identities, acme()) },
	} {
		p := &trust.Policy{Version: 1, Identities: []trust.Identity{acme()}}
		change(p)
		refused(t, p.Complete(), core.ErrTrustPolicy, says)
	}
	p := &trust.Policy{Version: 1, Identities: []trust.Identity{acme()}}
	text, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := trust.ParsePolicy(text)
	if err != nil || len(again.Identities) != 1 || again.Identities[0].Subject != acme().Subject {
		t.Errorf("%+v, %v", again, err)
	}
}
