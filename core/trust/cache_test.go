package trust_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// A cache changes no answer: whatever was asked before, under whatever policy, and whatever the time is.
func TestCacheForgetsNoRule(t *testing.T) {
	t.Parallel()
	s, other := signer(t, trust.Ed25519), signer(t, trust.ECDSAP256)
	r := release()
	r.ExpiresAt = now.Add(time.Hour)
	e := sign(t, r, s)
	good := policy(t, key("Acme", s))
	with := func(change func(*trust.Policy)) *trust.Policy {
		p := policy(t, key("Acme", s), key("Other", other))
		change(p)
		if err := p.Complete(); err != nil {
			t.Fatal(err)
		}
		return p
	}
	changed := append([]byte(nil), e...)
	changed[len(changed)/2] ^= 1
	cache := trust.NewCache()
	cases := []struct {
		name     string
		envelope []byte
		policy   *trust.Policy
		change   func(*trust.Terms)
		code     core.Code
	}{
		{"good", e, good, nil, ""},
		{"again", e, good, nil, ""},
		{"expired", e, good, func(t *trust.Terms) { t.Now = now.Add(2 * time.Hour) }, core.ErrExpired},
		{"before it was issued", e, good, func(t *trust.Terms) { t.Now = now.Add(-3 * time.Hour) }, core.ErrUntrusted},
		{"other id", e, good, func(t *trust.Terms) { t.ID = "zeta" }, core.ErrUntrusted},
		{"other kind", e, good, func(t *trust.Terms) { t.Kind = trust.Adapter }, core.ErrUntrusted},
		{"nobody", e, &trust.Policy{}, nil, core.ErrUntrusted},
		{"another", e, policy(t, key("Other", other)), nil, core.ErrUntrusted},
		{"revoked key", e, with(func(p *trust.Policy) { p.RevokedKeys = []string{s.Public().ID} }), nil, core.ErrRevoked},
		{"revoked", e, with(func(p *trust.Policy) {
			p.RevokedReleases = []trust.Revoked{{Kind: trust.Extension, ID: "acme", Version: "1.2.0"}}
		}), nil, core.ErrRevoked},
		{"two of two", e, with(func(p *trust.Policy) { p.Threshold = 2 }), nil, core.ErrUntrusted},
		{"key ended", e, with(func(p *trust.Policy) { p.Keys[0].ValidUntil = now.Add(-time.Minute) }), nil, core.ErrUntrusted},
		{"floor", e, with(func(p *trust.Policy) { p.Floors = []trust.Floor{{Kind: trust.Extension, ID: "acme", Sequence: 9}} }), nil, core.ErrDowngrade},
		{"changed", changed, good, nil, "some"},
		{"cut", e[:200], good, nil, core.ErrUntrusted},
		{"not completed", e, &trust.Policy{Keys: []trust.Key{key("Acme", s)}}, nil, core.ErrInternal},
		{"good once more", e, good, nil, ""},
	}
	var all sync.WaitGroup
	for range 4 {
		for _, c := range cases {
			all.Go(func() {
				terms := terms()
				if c.change != nil {
					c.change(&terms)
				}
				want, plain := c.policy.Verify(c.envelope, terms)
				terms.Cache = cache
				got, err := c.policy.Verify(c.envelope, terms)
				if fmt.Sprint(err) != fmt.Sprint(plain) || core.CodeOf(err) != c.code && (c.code != "some" || err == nil) {
					t.Errorf("%s: %v, and without a cache %v", c.name, err, plain)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s: %s", c.name, diff)
				}
				if got != nil {
					got.Files["a.json"], got.Release.ID = "evil", "evil" // which is nobody else's
				}
			})
		}
	}
	all.Wait()
}

// What an adapter's release says of platforms belongs to whoever asked.
func TestCacheSharesNothingThatCanBeChanged(t *testing.T) {
	t.Parallel()
	s := signer(t, trust.Ed25519)
	k := key("Acme", s)
	k.Kinds = []trust.Kind{trust.Adapter}
	p, terms := policy(t, k), terms()
	terms.Kind, terms.Cache = trust.Adapter, trust.NewCache()
	e := adapterRelease(t, s)
	for range 2 {
		v, err := p.Verify(e, terms)
		if err != nil || v.Release.Platforms["linux/amd64"].Size != 1 || v.Release.Protocols[0] != 1 {
			t.Fatalf("%+v, %v", v, err)
		}
		v.Release.Platforms["linux/amd64"] = trust.Binary{}
		v.Release.Protocols[0] = 7
	}
}
