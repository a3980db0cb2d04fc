package trust

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
)

// Schema is that of the policy file.
const Schema = "greenroom.trust.v1"

// AnyRelease in the list of releases of a key stands for all of them.
const AnyRelease = "*"

// Policy says whom a host believes. It belongs to the host, and is part of no package. The zero value trusts nobody. It
// must not be changed while it is used; it is safe for concurrent use.
type Policy struct {
	Schema string `json:"schema"`
	// Version grows with each change.
	Version uint64 `json:"version"`
	// Threshold is how many different keys have to sign a release. 0 is 1.
	Threshold int `json:"threshold,omitempty"`
	// Keys may sign releases.
	Keys []Key `json:"keys"`
	// Identities may sign releases by Sigstore bundles.
	Identities []Identity `json:"identities,omitempty"`
	// Roots may sign a new policy. Without them the policy is changed by hand only.
	Roots *Roots `json:"roots,omitempty"`
	// RevokedKeys are IDs of keys that are believed no more, whatever they signed and when.
	RevokedKeys []string `json:"revokedKeys,omitempty"`
	// RevokedReleases are not used, whoever signed them.
	RevokedReleases []Revoked `json:"revokedReleases,omitempty"`
	// Floors are the lowest sequences that are taken.
	Floors []Floor `json:"floors,omitempty"`
}

// Key is a key that may sign, and what it may sign.
type Key struct {
	// Name is the publisher's, as people are told it. Releases in the format tutti.agent.release.v1 name their key by it.
	Name string `json:"name"`
	// ID is the fingerprint of the key.
	ID  string `json:"id"`
	PEM string `json:"pem"`
	// ValidFrom and ValidUntil bound when it may have signed; a new release is refused after ValidUntil, one that was
	// installed before stays. Zero: no bound.
	ValidFrom  time.Time `json:"validFrom,omitzero"`
	ValidUntil time.Time `json:"validUntil,omitzero"`
	// Kinds are the kinds of release that it may sign. A root has none.
	Kinds []Kind `json:"kinds,omitempty"`
	// Releases are the exact IDs that it may sign, or AnyRelease. A root has none.
	Releases []string `json:"releases,omitempty"`

	public *PublicKey
}

// Roots are the keys that may sign a new policy.
type Roots struct {
	// Threshold is how many different ones have to. 0 is 1.
	Threshold int   `json:"threshold,omitempty"`
	Keys      []Key `json:"keys"`
}

// Revoked names a release by its kind, ID and version, or by the digest of what was signed.
type Revoked struct {
	Kind    Kind   `json:"kind,omitempty"`
	ID      string `json:"id,omitempty"`
	Version string `json:"version,omitempty"`
	Digest  string `json:"digest,omitempty"`
}

// Floor is the lowest sequence of an ID that is taken.
type Floor struct {
	Kind     Kind   `json:"kind"`
	ID       string `json:"id"`
	Sequence uint64 `json:"sequence"`
}

// MaxPolicy is how many bytes a policy file may have.
const MaxPolicy = 1 << 20

// ParsePolicy reads a policy. One that is not understood whole is an error, since to believe half of it would be to
// forget what was revoked.
func ParsePolicy(data []byte) (*Policy, error) {
	if len(data) > MaxPolicy {
		return nil, badPolicy("", fmt.Sprintf("has more than %d bytes", MaxPolicy))
	}
	var p Policy
	if err := strictjson.Decode(data, &p); err != nil {
		return nil, badPolicy("", err.Error())
	}
	if err := p.Complete(); err != nil {
		return nil, err
	}
	return &p, nil
}

// Encode writes a policy as a file holds it.
func (p *Policy) Encode() ([]byte, error) {
	if err := p.Complete(); err != nil {
		return nil, err
	}
	text, err := json.MarshalIndent(p, "", "  ")
	return append(text, '\n'), err
}

// Complete checks a policy that was put together in a program, and reads its keys. It has to be called before the policy
// is used; one from ParsePolicy is complete.
func (p *Policy) Complete() error {
	if p.Schema == "" {
		p.Schema = Schema
	}
	if p.Keys == nil {
		p.Keys = []Key{}
	}
	if p.Schema != Schema {
		return badPolicy("schema", fmt.Sprintf("is %.80q, only %q is known", p.Schema, Schema))
	}
	if p.Threshold < 0 {
		return badPolicy("threshold", "is negative")
	}
	seen := map[string]bool{}
	for i := range p.Keys {
		k := &p.Keys[i]
		at := fmt.Sprintf("keys[%d]", i)
		if err := k.complete(at, seen); err != nil {
			return err
		}
		if err := k.completeReach(at); err != nil {
			return err
		}
	}
	if err := p.completeIdentities(); err != nil {
		return err
	}
	if p.Roots != nil {
		if n := max(p.Roots.Threshold, 1); p.Roots.Threshold < 0 || n > len(p.Roots.Keys) {
			return badPolicy("roots", "has fewer keys than have to sign")
		}
		seen := map[string]bool{}
		for i := range p.Roots.Keys {
			k := &p.Roots.Keys[i]
			at := fmt.Sprintf("roots.keys[%d]", i)
			if err := k.complete(at, seen); err != nil {
				return err
			}
			if k.Kinds != nil || k.Releases != nil {
				return badPolicy(at, "is a root, which signs no releases")
			}
		}
	}
	return p.completeLists()
}

func (p *Policy) completeLists() error {
	for i, id := range p.RevokedKeys {
		if !strings.HasPrefix(id, "SHA256:") {
			return badPolicy(fmt.Sprintf("revokedKeys[%d]", i), "is not the ID of a key")
		}
	}
	for i, r := range p.RevokedReleases {
		named := r.Kind.known() && ValidID(r.ID) && r.Version != "" && r.Digest == ""
		digest := r.Kind == "" && r.ID == "" && r.Version == "" && digestForm.MatchString(r.Digest)
		if !named && !digest {
			return badPolicy(fmt.Sprintf("revokedReleases[%d]", i), "has to name a kind, ID and version, or a digest alone")
		}
	}
	for i, f := range p.Floors {
		if !f.Kind.known() || !ValidID(f.ID) {
			return badPolicy(fmt.Sprintf("floors[%d]", i), "has to name a kind and an ID")
		}
	}
	return nil
}

func (k *Key) complete(at string, seen map[string]bool) error {
	public, err := ParsePublicKey([]byte(k.PEM))
	switch {
	case err != nil:
		return badPolicy(at+".pem", err.(*fault.Error).Detail)
	case k.ID != public.ID:
		return badPolicy(at+".id", fmt.Sprintf("is %.80q, and the key is %s", k.ID, public.ID))
	case seen[k.ID]:
		return badPolicy(at+".id", "stands twice")
	}
	if err := k.completeTerms(at); err != nil {
		return err
	}
	seen[k.ID] = true
	k.public = public
	return nil
}

// label is how a key is named in messages.
func (k *Key) label() string { return fmt.Sprintf("%q (%s)", k.Name, k.ID) }

func badPolicy(field, detail string) error {
	subject := "trust policy"
	if field != "" {
		subject += ": " + field
	}
	return fault.New(fault.TrustPolicy, "read", subject, detail).
		WithHint("mend the policy file, or put the last good one back")
}

func unsignable(r Release, detail string) error {
	return fault.New(fault.Invalid, "sign", fmt.Sprintf("release %.80q", r.ID), detail)
}
