package trust_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
)

func TestPolicySurvivesItsText(t *testing.T) {
	t.Parallel()
	s := signer(t, trust.Ed25519)
	p := policy(t, key("Acme", s))
	p.Roots = &trust.Roots{Keys: []trust.Key{{Name: "Root", ID: s.Public().ID, PEM: s.Public().PEM(), ValidUntil: now}}}
	p.RevokedKeys = []string{"SHA256:abc"}
	p.RevokedReleases = []trust.Revoked{{Kind: trust.Adapter, ID: "x", Version: "1.0.0"}, {Digest: strings.Repeat("ab", 32)}}
	p.Floors = []trust.Floor{{Kind: trust.Extension, ID: "acme", Sequence: 1<<63 + 1}}
	text, err := p.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := trust.ParsePolicy(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(p, again, cmpopts.IgnoreUnexported(trust.Key{})); diff != "" {
		t.Error(diff)
	}
}

func TestPolicyIsUnderstoodWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	s, other := signer(t, trust.Ed25519), signer(t, trust.Ed25519)
	for name, c := range map[string]struct {
		change func(*trust.Policy)
		says   string
	}{
		"schema":           {func(p *trust.Policy) { p.Schema = "greenroom.trust.v2" }, "greenroom.trust.v2"},
		"other id":         {func(p *trust.Policy) { p.Keys[0].ID = other.Public().ID }, "keys[0].id"},
		"no pem":           {func(p *trust.Policy) { p.Keys[0].PEM = "" }, "keys[0].pem"},
		"two pems":         {func(p *trust.Policy) { p.Keys[0].PEM += other.Public().PEM() }, "keys[0].pem"},
		"rsa":              {func(p *trust.Policy) { p.Keys[0].PEM = rsaPEM(t) }, "neither"},
		"p-384":            {func(p *trust.Policy) { p.Keys[0].PEM = p384PEM(t) }, "P-384"},
		"twice":            {func(p *trust.Policy) { p.Keys = append(p.Keys, p.Keys[0]) }, "keys[1].id"},
		"no name":          {func(p *trust.Policy) { p.Keys[0].Name = "" }, "keys[0].name"},
		"odd name":         {func(p *trust.Policy) { p.Keys[0].Name = "a\nb" }, "keys[0].name"},
		"no kind":          {func(p *trust.Policy) { p.Keys[0].Kinds = nil }, "keys[0].kinds"},
		"odd kind":         {func(p *trust.Policy) { p.Keys[0].Kinds = []trust.Kind{"theme"} }, "keys[0].kinds"},
		"pattern":          {func(p *trust.Policy) { p.Keys[0].Releases = []string{"ac*"} }, "keys[0].releases"},
		"window":           {func(p *trust.Policy) { p.Keys[0].ValidFrom, p.Keys[0].ValidUntil = now, now }, "keys[0].validUntil"},
		"threshold":        {func(p *trust.Policy) { p.Threshold = -1 }, "threshold"},
		"roots":            {func(p *trust.Policy) { p.Roots = &trust.Roots{Threshold: 2, Keys: p.Keys} }, "roots"},
		"root of releases": {func(p *trust.Policy) { p.Roots = &trust.Roots{Keys: []trust.Key{p.Keys[0]}} }, "roots.keys[0]"},
		"revoked key":      {func(p *trust.Policy) { p.RevokedKeys = []string{"Acme"} }, "revokedKeys[0]"},
		"half a release":   {func(p *trust.Policy) { p.RevokedReleases = []trust.Revoked{{ID: "acme"}} }, "revokedReleases[0]"},
		"floor":            {func(p *trust.Policy) { p.Floors = []trust.Floor{{ID: "acme"}} }, "floors[0]"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy(t, key("Acme", s))
			c.change(p)
			refused(t, p.Complete(), core.ErrTrustPolicy, c.says)
		})
	}
	for _, text := range []string{``, `{"schema":"greenroom.trust.v1","version":1,"keys":[],"keys":[]}`, `{"schema":"greenroom.trust.v1","version":1,"keys":[],"revoked":[]}`} {
		_, err := trust.ParsePolicy([]byte(text))
		refused(t, err, core.ErrTrustPolicy)
	}
}

func rsaPEM(t *testing.T) string {
	k, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return pkix(t, &k.PublicKey)
}

func p384PEM(t *testing.T) string {
	k, err := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return pkix(t, &k.PublicKey)
}

func pkix(t *testing.T, key any) string {
	der, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func TestRootsChangeThePolicy(t *testing.T) {
	t.Parallel()
	a, b, other := signer(t, trust.Ed25519), signer(t, trust.ECDSAP256), signer(t, trust.Ed25519)
	root := func(name string, s *trust.Signer) trust.Key {
		return trust.Key{Name: name, ID: s.Public().ID, PEM: s.Public().PEM()}
	}
	now := now
	p := policy(t, key("Acme", other))
	p.Version, p.Roots = 5, &trust.Roots{Threshold: 2, Keys: []trust.Key{root("A", a), root("B", b)}}
	p.Roots.Keys[1].ValidUntil = now.Add(time.Hour)
	if err := p.Complete(); err != nil {
		t.Fatal(err)
	}
	next := func(version uint64, signers ...*trust.Signer) []byte {
		e, err := trust.SignPolicy(&trust.Policy{Version: version, RevokedKeys: []string{other.Public().ID}}, signers...)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	got, err := p.Update(next(6, a, b), now)
	if err != nil || got.Version != 6 || len(got.Keys) != 0 || len(got.RevokedKeys) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	for name, c := range map[string]struct {
		envelope []byte
		at       time.Time
		code     core.Code
		says     string
	}{
		"one root":       {next(6, a), now, core.ErrUntrusted, "signed by 1 roots that count, expected are 2"},
		"a release key":  {next(6, other), now, core.ErrUntrusted, "expected is"},
		"same version":   {next(5, a, b), now, core.ErrDowngrade, "version 5"},
		"older":          {next(1, a, b), now, core.ErrDowngrade, "version 1"},
		"root has ended": {next(6, a, b), now.Add(2 * time.Hour), core.ErrUntrusted, "was valid until"},
		"a release":      {sign(t, release(), a), now, core.ErrUntrusted, "in-toto"},
	} {
		_, err := p.Update(c.envelope, c.at)
		refused(t, err, c.code, c.says)
		_ = name
	}
	p.RevokedKeys = []string{a.Public().ID}
	_, err = p.Update(next(6, a, b), now)
	refused(t, err, core.ErrUntrusted, "expected are 2")
	_, err = policy(t).Update(next(6, a, b), now)
	refused(t, err, core.ErrUntrusted, "no root")
}
