package trust_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
)

func TestVerifyTakesWhatATrustedKeySigned(t *testing.T) {
	t.Parallel()
	for _, a := range []trust.Algorithm{trust.Ed25519, trust.ECDSAP256} {
		t.Run(string(a), func(t *testing.T) {
			t.Parallel()
			s := signer(t, a)
			v, err := policy(t, key("Acme", s)).Verify(sign(t, release(), s), terms())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(digests(), v.Files); diff != "" {
				t.Error(diff)
			}
			if v.Release.ID != "acme" || v.Release.Sequence != 3 || v.Signers[0] != (trust.KeyRef{Name: "Acme", ID: s.Public().ID}) || len(v.Digest) != 64 {
				t.Errorf("got %+v", v)
			}
		})
	}
}

func TestKeysSurviveTheirText(t *testing.T) {
	t.Parallel()
	for _, a := range []trust.Algorithm{trust.Ed25519, trust.ECDSAP256} {
		s := signer(t, a)
		text, err := s.PEM()
		if err != nil {
			t.Fatal(err)
		}
		again, err := trust.ParseSigner(text)
		if err != nil {
			t.Fatal(err)
		}
		public, err := trust.ParsePublicKey([]byte(s.Public().PEM()))
		if err != nil {
			t.Fatal(err)
		}
		if again.Public().ID != s.Public().ID || public.ID != s.Public().ID || public.Algorithm != a {
			t.Errorf("%s: %s became %s and %s (%s)", a, s.Public().ID, again.Public().ID, public.ID, public.Algorithm)
		}
	}
}

// H58: a refusal says who was expected and who was found.
func TestH58_RefusalNamesExpectedAndFound(t *testing.T) {
	t.Parallel()
	ours, other := signer(t, trust.Ed25519), signer(t, trust.Ed25519)
	_, err := policy(t, key("Acme", ours)).Verify(sign(t, release(), other), terms())
	refused(t, err, core.ErrUntrusted, "Acme", ours.Public().ID, other.Public().ID, "expected")
	_, err = (&trust.Policy{}).Verify(sign(t, release(), other), terms())
	refused(t, err, core.ErrUntrusted, "trusts no key")
}

// H56: names are equal or they are not.
func TestH56_NamesAreComparedWhole(t *testing.T) {
	t.Parallel()
	s := signer(t, trust.Ed25519)
	for _, id := range []string{"acme2", "evil-acme", "acm", "acme.evil", "a"} {
		r := release()
		r.ID = id
		any := terms()
		any.ID = ""
		_, err := policy(t, key("Acme", s)).Verify(sign(t, r, s), any)
		refused(t, err, core.ErrUntrusted, `may not sign "`+id+`"`, `"acme"`)
		_, err = policy(t, key("Acme", s)).Verify(sign(t, r, s), terms())
		refused(t, err, core.ErrUntrusted, `signed as "`+id+`"`, `expected is "acme"`)
	}
}

// H54, H55: no network and no clock but the given one; what is past its time is refused, and nothing turns that off.
func TestH55_TimesAreHeld(t *testing.T) {
	t.Parallel()
	s := signer(t, trust.Ed25519)
	day := 24 * time.Hour
	for name, c := range map[string]struct {
		key       func(*trust.Key)
		release   func(*trust.Release)
		installed bool
		code      core.Code
		says      []string
	}{
		"expired":               {release: func(r *trust.Release) { r.ExpiresAt = now.Add(-time.Second) }, code: core.ErrExpired, says: []string{"2026-03-01T11:59:59Z", "2026-03-01T12:00:00Z"}},
		"expires now":           {release: func(r *trust.Release) { r.ExpiresAt = now }, code: core.ErrExpired},
		"expired, installed":    {release: func(r *trust.Release) { r.ExpiresAt = now }, installed: true, code: core.ErrExpired},
		"not expired":           {release: func(r *trust.Release) { r.ExpiresAt = now.Add(time.Second) }},
		"key of yesterday":      {key: func(k *trust.Key) { k.ValidUntil = now.Add(-day) }, code: core.ErrUntrusted, says: []string{"was valid until 2026-02-28T12:00:00Z", "issued"}},
		"key ended since":       {key: func(k *trust.Key) { k.ValidUntil = now.Add(-time.Minute) }, code: core.ErrUntrusted, says: []string{"was valid until", "now is"}},
		"key ended, installed":  {key: func(k *trust.Key) { k.ValidUntil = now.Add(-time.Minute) }, installed: true},
		"key of tomorrow":       {key: func(k *trust.Key) { k.ValidFrom = now.Add(day) }, code: core.ErrUntrusted, says: []string{"is valid from 2026-03-02"}},
		"issued before its key": {key: func(k *trust.Key) { k.ValidFrom = now.Add(-time.Minute) }, installed: true, code: core.ErrUntrusted, says: []string{"is valid from"}},
		"issued in the future":  {release: func(r *trust.Release) { r.IssuedAt = now.Add(time.Hour) }, code: core.ErrUntrusted, says: []string{"now is"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, r, terms := key("Acme", s), release(), terms()
			if c.key != nil {
				c.key(&k)
			}
			if c.release != nil {
				c.release(&r)
			}
			terms.Installed = c.installed
			_, err := policy(t, k).Verify(sign(t, r, s), terms)
			if c.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused(t, err, c.code, c.says...)
		})
	}
}

func TestVerifyHoldsToThePolicy(t *testing.T) {
	t.Parallel()
	s, second := signer(t, trust.Ed25519), signer(t, trust.ECDSAP256)
	digest := func() string {
		v, err := policy(t, key("Acme", s)).Verify(sign(t, release(), s), terms())
		if err != nil {
			t.Fatal(err)
		}
		return v.Digest
	}()
	for name, c := range map[string]struct {
		policy  func(*trust.Policy)
		signers []*trust.Signer
		code    core.Code
		says    string
	}{
		"revoked key":        {policy: func(p *trust.Policy) { p.RevokedKeys = []string{s.Public().ID} }, code: core.ErrRevoked, says: "a key that was revoked"},
		"revoked key of two": {policy: func(p *trust.Policy) { p.RevokedKeys = []string{s.Public().ID} }, signers: []*trust.Signer{s, second}},
		"revoked version": {policy: func(p *trust.Policy) {
			p.RevokedReleases = []trust.Revoked{{Kind: trust.Extension, ID: "acme", Version: "1.2.0"}}
		}, code: core.ErrRevoked},
		"revoked digest": {policy: func(p *trust.Policy) { p.RevokedReleases = []trust.Revoked{{Digest: digest}} }, code: core.ErrRevoked},
		"other version revoked": {policy: func(p *trust.Policy) {
			p.RevokedReleases = []trust.Revoked{{Kind: trust.Extension, ID: "acme", Version: "1.2.1"}}
		}},
		"other kind revoked": {policy: func(p *trust.Policy) {
			p.RevokedReleases = []trust.Revoked{{Kind: trust.Adapter, ID: "acme", Version: "1.2.0"}}
		}},
		"below the floor":        {policy: func(p *trust.Policy) { p.Floors = []trust.Floor{{Kind: trust.Extension, ID: "acme", Sequence: 4}} }, code: core.ErrDowngrade, says: "sequence 3"},
		"at the floor":           {policy: func(p *trust.Policy) { p.Floors = []trust.Floor{{Kind: trust.Extension, ID: "acme", Sequence: 3}} }},
		"one of two":             {policy: func(p *trust.Policy) { p.Threshold = 2 }, code: core.ErrUntrusted, says: "signed by 1 keys that count, expected are 2"},
		"one key twice":          {policy: func(p *trust.Policy) { p.Threshold = 2 }, signers: []*trust.Signer{s, s}, code: core.ErrUntrusted, says: "expected are 2"},
		"two of two":             {policy: func(p *trust.Policy) { p.Threshold = 2 }, signers: []*trust.Signer{second, s}},
		"adapters only":          {policy: func(p *trust.Policy) { p.Keys[0].Kinds = []trust.Kind{trust.Adapter} }, code: core.ErrUntrusted, says: "may not sign a release of an extension"},
		"nothing":                {policy: func(p *trust.Policy) { p.Keys[0].Releases = nil }, code: core.ErrUntrusted, says: "but nothing"},
		"any release":            {policy: func(p *trust.Policy) { p.Keys[0].Releases = []string{trust.AnyRelease} }},
		"counts only who may so": {policy: func(p *trust.Policy) { p.Threshold = 2; p.Keys[1].Releases = []string{"other"} }, signers: []*trust.Signer{s, second}, code: core.ErrUntrusted, says: `may not sign "acme"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := policy(t, key("Acme", s), key("Second", second))
			c.policy(p)
			if err := p.Complete(); err != nil {
				t.Fatal(err)
			}
			if c.signers == nil {
				c.signers = []*trust.Signer{s}
			}
			_, err := p.Verify(sign(t, release(), c.signers...), terms())
			if c.code == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused(t, err, c.code, c.says)
		})
	}
}

func TestVerifyHoldsToTheHost(t *testing.T) {
	t.Parallel()
	s := signer(t, trust.Ed25519)
	r := release()
	r.Host = ">=1.2.0 <2.0.0"
	p, e := policy(t, key("Acme", s)), sign(t, r, s)
	for host, ok := range map[string]bool{"1.2.0": true, "1.9.9": true, "2.0.0": false, "1.1.9": false, "1.3.0-rc.1": false, "": false, "v1.3.0": false} {
		terms := terms()
		terms.Host = host
		_, err := p.Verify(e, terms)
		if ok && err != nil {
			t.Errorf("%q: %v", host, err)
		}
		if !ok {
			refused(t, err, core.ErrIncompatible, ">=1.2.0 <2.0.0")
		}
	}
}

func TestVerifyRefusesWhatWasChanged(t *testing.T) {
	t.Parallel()
	s, other := signer(t, trust.Ed25519), signer(t, trust.Ed25519)
	e := sign(t, release(), s)
	p := policy(t, key("Acme", s))
	signatures := func(e map[string]any) []any { return e["signatures"].([]any) }
	for name, c := range map[string]struct {
		envelope []byte
		code     core.Code
		says     string
	}{
		"payload type": {change(t, e, func(e map[string]any) { e["payloadType"] = "text/plain" }), core.ErrUntrusted, `"text/plain", expected is "application/vnd.in-toto+json"`},
		"payload": {change(t, e, func(e map[string]any) {
			e["payload"] = base64.StdEncoding.EncodeToString([]byte(strings.Replace(payload(t, e), "1.2.0", "1.3.0", 1)))
		}), core.ErrTampered, "Acme"},
		"key id":          {change(t, e, func(e map[string]any) { signatures(e)[0].(map[string]any)["keyid"] = other.Public().ID }), core.ErrUntrusted, other.Public().ID},
		"no signature":    {change(t, e, func(e map[string]any) { e["signatures"] = []any{} }), core.ErrUntrusted, "holds 0 signatures"},
		"many signatures": {change(t, e, func(e map[string]any) { e["signatures"] = slices(signatures(e)[0], 17) }), core.ErrUntrusted, "holds 17 signatures"},
		"more fields":     {change(t, e, func(e map[string]any) { e["also"] = 1 }), core.ErrUntrusted, "not known"},
		"payload twice":   {[]byte(strings.Replace(string(e), "{", `{"payload":"e30=",`, 1)), core.ErrUntrusted, "twice"},
		"cut":             {e[:len(e)/2], core.ErrUntrusted, "not valid"},
		"empty":           {nil, core.ErrUntrusted, "not valid"},
		"large":           {append(e, []byte(strings.Repeat(" ", trust.MaxEnvelope))...), core.ErrUntrusted, "more than"},
		"other signature": {change(t, e, func(e map[string]any) {
			signatures(e)[0].(map[string]any)["sig"] = base64.StdEncoding.EncodeToString(make([]byte, 64))
		}), core.ErrTampered, "Acme"},
		"url base64":       {change(t, e, func(e map[string]any) { e["payload"] = "_-__" }), core.ErrUntrusted, "not base64"},
		"adapter's":        {adapterRelease(t, s), core.ErrUntrusted, "adapter-release/v1\", expected is"},
		"policy update":    {policyUpdate(t, s), core.ErrUntrusted, "trust-policy"},
		"unnamed key":      {change(t, sign(t, release(), other), func(e map[string]any) { signatures(e)[0].(map[string]any)["keyid"] = "" }), core.ErrUntrusted, "a key that is not named"},
		"signed otherwise": {change(t, e, func(e map[string]any) { e["payloadType"] = "application/vnd.in-toto+json " }), core.ErrUntrusted, "expected is"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := p.Verify(c.envelope, terms())
			refused(t, err, c.code, c.says)
		})
	}
}

func slices(v any, n int) []any {
	var all []any
	for range n {
		all = append(all, v)
	}
	return all
}

func adapterRelease(t *testing.T, s *trust.Signer) []byte {
	r := release()
	r.Platforms, r.Protocols = map[string]trust.Binary{"linux/amd64": {File: "a.json", Size: 1}}, []int{1}
	e, err := trust.Sign(trust.Adapter, r, digests(), s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func policyUpdate(t *testing.T, s *trust.Signer) []byte {
	e, err := trust.SignPolicy(&trust.Policy{Version: 2}, s)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A key may come to an end while its successor signs beside it.
func TestKeysOverlap(t *testing.T) {
	t.Parallel()
	old, fresh := signer(t, trust.Ed25519), signer(t, trust.ECDSAP256)
	e, err := trust.AddSignature(sign(t, release(), old), fresh)
	if err != nil {
		t.Fatal(err)
	}
	if e, err = trust.AddSignature(e, fresh); err != nil {
		t.Fatal(err)
	}
	var form struct{ Signatures []any }
	if json.Unmarshal(e, &form); len(form.Signatures) != 2 {
		t.Errorf("there are %d signatures", len(form.Signatures))
	}
	for _, s := range []*trust.Signer{old, fresh} {
		if v, err := policy(t, key("Acme", s)).Verify(e, terms()); err != nil || len(v.Signers) != 1 {
			t.Errorf("%v %v", v, err)
		}
	}
	both := policy(t, key("Old", old), key("New", fresh))
	both.Threshold = 2
	if _, err := both.Verify(e, terms()); err != nil {
		t.Error(err)
	}
}

func TestSignRefusesWhatCouldNotBeVerified(t *testing.T) {
	t.Parallel()
	s := signer(t, trust.Ed25519)
	for name, c := range map[string]struct {
		release func(*trust.Release)
		files   trust.Digests
	}{
		"id":          {release: func(r *trust.Release) { r.ID = "Acme" }},
		"traversal":   {release: func(r *trust.Release) { r.ID = "../a" }},
		"version":     {release: func(r *trust.Release) { r.Version = "v1.2.0" }},
		"sequence":    {release: func(r *trust.Release) { r.Sequence = 0 }},
		"issue":       {release: func(r *trust.Release) { r.IssuedAt = time.Time{} }},
		"expiry":      {release: func(r *trust.Release) { r.ExpiresAt = r.IssuedAt }},
		"host":        {release: func(r *trust.Release) { r.Host = "new ones" }},
		"platforms":   {release: func(r *trust.Release) { r.Protocols = []int{1} }},
		"no files":    {files: trust.Digests{}},
		"short":       {files: trust.Digests{"a": "abcd"}},
		"upper case":  {files: trust.Digests{"a": strings.Repeat("AB", 32)}},
		"no name":     {files: trust.Digests{"": strings.Repeat("ab", 32)}},
		"no platform": {release: func(r *trust.Release) { r.Platforms = map[string]trust.Binary{} }},
	} {
		r, files := release(), digests()
		if c.release != nil {
			c.release(&r)
		}
		if c.files != nil {
			files = c.files
		}
		if _, err := trust.Sign(trust.Extension, r, files, s); err == nil {
			t.Errorf("%s: signed", name)
		}
	}
	if _, err := trust.Sign(trust.Extension, release(), digests()); err == nil {
		t.Error("signed by nobody")
	}
}
