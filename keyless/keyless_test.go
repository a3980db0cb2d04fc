package keyless_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	protobundle "github.com/sigstore/protobuf-specs/gen/pb-go/bundle/v1"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/keyless"
)

// A package with a bundle for its signature becomes one that is believed, at the time of signing and a year after the
// certificate has expired, because log and clock vouch for the time.
func TestPackageSignedByAnIdentity(t *testing.T) {
	t.Parallel()
	s, now := newSigstore(t), time.Now()
	signed := s.bundle(statement(t, now), now.Add(time.Minute), nil)
	c, err := extension.NewContent(files(t), signed)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range []time.Time{now.Add(time.Minute), now.AddDate(1, 0, 0)} {
		pkg, err := c.Verify(policy(t, nil), trust.Terms{Now: at, Host: "0.1.0", Bundles: s.verifier()})
		if err != nil {
			t.Fatalf("at %s: %v", at, err)
		}
		if got := pkg.Signers(); pkg.ID() != "acme" || pkg.Unsafe() || len(got) != 1 || got[0].ID != subject+" of "+issuer {
			t.Errorf("%s signed by %v", pkg.ID(), got)
		}
	}
	// Installed, it is verified anew at each load.
	store := extension.OpenStore(t.TempDir()+"/extensions", nil)
	terms := trust.Terms{Now: now.Add(time.Minute), Host: "0.1.0", Bundles: s.verifier()}
	if _, err := store.Install(t.Context(), c, policy(t, nil), terms, extension.InstallOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := store.Load(t.Context(), "acme", policy(t, nil), terms); err != nil {
		t.Error(err)
	}
	if _, err := store.Load(t.Context(), "acme", &trust.Policy{}, terms); !errors.Is(err, core.ErrUntrusted) {
		t.Errorf("with a policy that believes nobody: %v", err)
	}
}

func TestBundlesThatAreRefused(t *testing.T) {
	t.Parallel()
	now := time.Now()
	entry := func(b *protobundle.Bundle) *protobundle.VerificationMaterial { return b.VerificationMaterial }
	for name, c := range map[string]struct {
		at       time.Duration // of the entry in the log; the certificate lives for ten minutes
		change   func(*protobundle.Bundle)
		identity func(*trust.Identity)
		files    func(map[string][]byte)
		other    bool // the root of another Sigstore
		none     bool // a host that looks at no bundles
		code     core.Code
		says     []string
	}{
		"another subject":   {identity: func(i *trust.Identity) { i.Subject = "other@acme.example" }, code: core.ErrUntrusted, says: []string{subject, "other@acme.example"}},
		"a part of it":      {identity: func(i *trust.Identity) { i.Subject = "release@acme" }, code: core.ErrUntrusted, says: []string{"expected is"}},
		"a pattern for it":  {identity: func(i *trust.Identity) { i.Subject = ".*" }, code: core.ErrUntrusted, says: []string{"expected is"}},
		"another issuer":    {identity: func(i *trust.Identity) { i.Issuer += "/" }, code: core.ErrUntrusted, says: []string{issuer}},
		"another release":   {identity: func(i *trust.Identity) { i.Releases = []string{"zeta"} }, code: core.ErrUntrusted, says: []string{`may not sign "acme"`}},
		"another kind":      {identity: func(i *trust.Identity) { i.Kinds = []trust.Kind{trust.Adapter} }, code: core.ErrUntrusted, says: []string{"may not sign"}},
		"before its window": {identity: func(i *trust.Identity) { i.ValidFrom = now.Add(time.Hour) }, code: core.ErrUntrusted, says: []string{"is valid from"}},
		"after its window":  {identity: func(i *trust.Identity) { i.ValidUntil = now.Add(-time.Hour) }, code: core.ErrUntrusted, says: []string{"was valid until"}},
		"another digest":    {files: func(f map[string][]byte) { f["en.json"] = []byte(`{"name":"Evil"}`) }, code: core.ErrTampered, says: []string{"en.json"}},
		"a file more":       {files: func(f map[string][]byte) { f["README.md"] = []byte("x") }, code: core.ErrTampered, says: []string{"README.md"}},
		"another payload": {change: func(b *protobundle.Bundle) {
			e := b.GetDsseEnvelope()
			e.Payload = []byte(strings.Replace(string(e.Payload), `"sequence":1`, `"sequence":2`, 1))
		}, code: core.ErrUntrusted},
		"another payload type": {change: func(b *protobundle.Bundle) { b.GetDsseEnvelope().PayloadType = "text/plain" }, code: core.ErrUntrusted},
		"expired, by log":      {at: time.Hour, code: core.ErrUntrusted, says: []string{"certificate"}},
		"expired, no time": {change: func(b *protobundle.Bundle) {
			entry(b).TimestampVerificationData = nil
			entry(b).TlogEntries[0].InclusionPromise = nil
			entry(b).TlogEntries[0].IntegratedTime = 0
		}, code: core.ErrUntrusted, says: []string{"threshold not met"}},
		"another time in the log": {change: func(b *protobundle.Bundle) { entry(b).TlogEntries[0].IntegratedTime += 60 }, code: core.ErrUntrusted},
		"another body in the log": {change: func(b *protobundle.Bundle) {
			body := entry(b).TlogEntries[0].CanonicalizedBody
			entry(b).TlogEntries[0].CanonicalizedBody = []byte(strings.Replace(string(body), `"value":"`, `"value":"0`, 1))
		}, code: core.ErrUntrusted},
		"another proof":  {change: func(b *protobundle.Bundle) { entry(b).TlogEntries[0].InclusionProof.RootHash[0] ^= 1 }, code: core.ErrUntrusted},
		"another place":  {change: func(b *protobundle.Bundle) { entry(b).TlogEntries[0].LogIndex++ }, code: core.ErrUntrusted},
		"no entry":       {change: func(b *protobundle.Bundle) { entry(b).TlogEntries = nil }, code: core.ErrUntrusted},
		"another root":   {other: true, code: core.ErrUntrusted},
		"no verifier":    {none: true, code: core.ErrUntrusted, says: []string{"verifies none"}},
		"no certificate": {change: func(b *protobundle.Bundle) { entry(b).Content = nil }, code: core.ErrUntrusted},
		"a key in its place": {change: func(b *protobundle.Bundle) {
			entry(b).Content = &protobundle.VerificationMaterial_PublicKey{}
		}, code: core.ErrUntrusted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSigstore(t)
			if c.at == 0 {
				c.at = time.Minute
			}
			signed := s.bundle(statement(t, now), now.Add(c.at), c.change)
			content := files(t)
			if c.files != nil {
				c.files(content)
			}
			terms := trust.Terms{Now: now.Add(2 * time.Hour), Host: "0.1.0", Bundles: s.verifier()}
			if c.other {
				terms.Bundles = newSigstore(t).verifier()
			}
			if c.none {
				terms.Bundles = nil
			}
			pkg, err := extension.NewContent(content, signed)
			if err == nil {
				_, err = pkg.Verify(policy(t, c.identity), terms)
			}
			if !errors.Is(err, c.code) {
				t.Fatalf("got %v [%s], want %s", err, core.CodeOf(err), c.code)
			}
			for _, part := range c.says {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

// What a signer says of the time is held to what the log says.
func TestIssuedAfterItWasSigned(t *testing.T) {
	t.Parallel()
	s, now := newSigstore(t), time.Now()
	c, err := extension.NewContent(files(t), s.bundle(statement(t, now.Add(time.Hour)), now.Add(time.Minute), nil))
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Verify(policy(t, nil), trust.Terms{Now: now.Add(2 * time.Hour), Host: "0.1.0", Bundles: s.verifier()})
	if !errors.Is(err, core.ErrUntrusted) || !strings.Contains(err.Error(), "it was signed at") {
		t.Errorf("got %v", err)
	}
}

func TestRootsThatAreRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "no JSON": "x", "no root": "{}", "an empty one": `{"mediaType":"application/vnd.dev.sigstore.trustedroot+json;version=0.1"}`,
	} {
		if v, err := keyless.New([]byte(text)); err == nil || v != nil {
			t.Errorf("%s: %v, %v", name, v, err)
		}
	}
}

// A signature is bytes of somebody else's.
func FuzzVerifyBundle(f *testing.F) {
	s := newSigstore(f)
	f.Add([]byte("{}"))
	f.Add(s.bundle([]byte("{}"), time.Now(), nil))
	v := s.verifier()
	f.Fuzz(func(t *testing.T, data []byte) {
		if a, err := v.VerifyBundle(data); err == nil && string(a.Payload) != "{}" {
			t.Errorf("it holds %q", a.Payload)
		}
	})
}
