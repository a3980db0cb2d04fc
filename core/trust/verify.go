package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/Masterminds/semver/v3"
	"github.com/secure-systems-lab/go-securesystemslib/dsse"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Terms are what a release has to be.
type Terms struct {
	Kind Kind
	// ID is the exact ID that it has to have. Empty: the one that its signer says.
	ID string
	// Now is the time to judge by. Required.
	Now time.Time
	// Host is the version of Greenroom, which has to lie in the range of the release. Empty: a release with a range is
	// refused.
	Host string
	// Installed says that the release was verified and installed at an earlier time: then the window of a key is held to
	// the time of issue only, so that the end of a key does not end what it signed. Expiry and revocation count anyway.
	Installed bool
	// Bundles looks at Sigstore bundles. Nil: a release that is signed by one is refused.
	Bundles BundleVerifier
	// Cache spares the work of looking at the same signatures again. Nil: it is done each time.
	Cache *Cache
}

// Verified is a release that the policy believes. That its files have the digests is still to be seen.
type Verified struct {
	Kind    Kind
	Release Release
	Files   Digests
	// Digest is the SHA-256 of the statement, in lower-case hexadecimal: it names the release and all its bytes.
	Digest string
	// Signers are the keys that counted.
	Signers []KeyRef
}

// KeyRef names a key.
type KeyRef struct {
	Name string `json:"name"`
	ID   string `json:"id"`
}

// Verify says what an envelope holds, if the policy believes it. Errors: fault.Untrusted, fault.Tampered for a signature
// of a known key over something else, fault.Revoked, fault.Expired, fault.Downgrade for a sequence below the floor of
// the policy, fault.Incompatible for another host. The message says what was expected and what was found.
func (p *Policy) Verify(envelope []byte, t Terms) (*Verified, error) {
	c := check{policy: p, op: "verify", subject: string(t.Kind), terms: t}
	if t.ID != "" {
		c.subject += fmt.Sprintf(" %.80q", t.ID)
	}
	if !t.Kind.known() || t.Now.IsZero() {
		return nil, fault.New(fault.Invalid, c.op, c.subject, "a kind and a time have to be given")
	}
	open := c.envelope
	if IsBundle(envelope) {
		open = c.bundle
	}
	kind, payload, signers, err := open(envelope)
	if err != nil {
		return nil, err
	}
	if kind != payloadType {
		return nil, c.refuse(fault.Untrusted, fmt.Sprintf("the payload has type %.100q, expected is %q", kind, payloadType))
	}
	s, bad := t.Cache.decode(c.what, t.Kind, payload)
	if bad != "" {
		return nil, c.refuse(fault.Untrusted, bad)
	}
	v := s.verified(t.Kind, payload)
	if err := c.hold(v, signers); err != nil {
		return nil, err
	}
	return v, nil
}

// check is one verification.
type check struct {
	policy      *Policy
	op, subject string
	terms       Terms
	signedAt    time.Time         // by the word of somebody other than the signer, zero for none
	what        [sha256.Size]byte // the digest of what is verified, where something may be remembered of it
}

// envelope is what an envelope holds, and the keys of the policy that signed it.
func (c *check) envelope(data []byte) (kind string, payload []byte, signers []*Key, err error) {
	e, payload, what, err := c.terms.Cache.open(c.op, data)
	if err != nil {
		return "", nil, nil, err
	}
	c.what = what
	if e.PayloadType != payloadType {
		return e.PayloadType, nil, nil, nil
	}
	signers, err = c.signers(&e, c.policy.Keys)
	return e.PayloadType, payload, signers, err
}

func (c *check) refuse(code fault.Code, detail string) error {
	return fault.New(code, c.op, c.subject, detail)
}

// signers are those of the keys that have signed an envelope and are not revoked. There is at least one, or an error.
func (c *check) signers(e *dsse.Envelope, keys []Key) ([]*Key, error) {
	claimed := map[string]bool{}
	for _, s := range e.Signatures {
		claimed[s.KeyID] = true
	}
	found, revoked, broken, err := c.sort(keys, func(k *Key) (may, claims bool) { return true, claimed[k.ID] },
		func(k *PublicKey) bool { return k.signed(e) })
	switch {
	case err != nil || len(found) > 0:
		return found, err
	case revoked != nil:
		return nil, c.byRevoked(revoked)
	case broken != nil:
		return nil, c.byBroken("the signature that names " + broken.label() + " is not one of this content")
	}
	return nil, fault.New(fault.Untrusted, c.op, c.subject, "it is signed by "+c.claims(claimed)+", expected is "+c.expected(keys)).
		WithHint("if you trust that publisher, add the key with `greenroom trust add-key FILE --name NAME --release ID" + c.terms.Kind.flag() + "`")
}

// sort looks which of the keys have signed: those that did and are believed, else one that did and was revoked, and one that
// is said to have and did not. Of a key says whether it may be one of the signers at all, and whether it is said to be.
func (c *check) sort(keys []Key, of func(*Key) (may, claims bool), signed func(*PublicKey) bool) (found []*Key, revoked, broken *Key, err error) {
	for i := range keys {
		k := &keys[i]
		if k.public == nil {
			return nil, nil, nil, fault.New(fault.Internal, c.op, "trust policy", "it was not completed")
		}
		may, claims := of(k)
		switch {
		case !may:
		case !c.terms.Cache.ask(c.what, k.public, func() bool { return signed(k.public) }):
			if claims {
				broken = k
			}
		case slices.Contains(c.policy.RevokedKeys, k.ID):
			revoked = k
		default:
			found = append(found, k)
		}
	}
	return found, revoked, broken, nil
}

func (c *check) byRevoked(k *Key) error {
	return c.refuse(fault.Revoked, "it is signed by "+k.label()+", a key that was revoked")
}

func (c *check) byBroken(detail string) error {
	return fault.New(fault.Tampered, c.op, c.subject, detail).WithHint("fetch the release again")
}

func (c *check) claims(claimed map[string]bool) string {
	var ids []string
	for _, id := range slices.Sorted(maps.Keys(claimed)) {
		switch {
		case id == "":
			id = "a key that is not named"
		case slices.Contains(c.policy.RevokedKeys, id):
			id = fmt.Sprintf("%q, which was revoked", id)
		default:
			id = fmt.Sprintf("%.80q", id)
		}
		ids = append(ids, id)
	}
	return strings.Join(ids, " and ")
}

func (c *check) expected(keys []Key) string {
	var labels []string
	for i := range keys {
		if !slices.Contains(c.policy.RevokedKeys, keys[i].ID) {
			labels = append(labels, keys[i].label())
		}
	}
	if len(labels) == 0 {
		return "nobody: the policy trusts no key"
	}
	return strings.Join(labels[:min(len(labels), 8)], " or ")
}

// hold holds a release to the policy.
func (c *check) hold(v *Verified, signers []*Key) error {
	r, t := v.Release, c.terms
	c.subject = fmt.Sprintf("%s %s %s", v.Kind, r.ID, r.Version)
	if t.ID != "" && r.ID != t.ID {
		return c.refuse(fault.Untrusted, fmt.Sprintf("it is signed as %q, expected is %q", r.ID, t.ID))
	}
	var counted []*Key
	var why []string
	for _, k := range signers {
		if bad := k.mayNot(v, t); bad != "" {
			why = append(why, k.what()+" "+k.label()+" "+bad)
			continue
		}
		counted = append(counted, k)
		v.Signers = append(v.Signers, KeyRef{k.Name, k.ID})
	}
	if !c.signedAt.IsZero() && r.IssuedAt.After(c.signedAt.Add(skew)) {
		return c.refuse(fault.Untrusted, "it says that it was issued at "+stamp(r.IssuedAt)+", and it was signed at "+stamp(c.signedAt))
	}
	if need := max(c.policy.Threshold, 1); len(counted) < need {
		detail := fmt.Sprintf("it is signed by %d keys that count, expected are %d", len(counted), need)
		if len(why) > 0 {
			detail += ": " + strings.Join(why, "; ")
		}
		return fault.New(fault.Untrusted, c.op, c.subject, detail).
			WithHint("what a key may sign, and when, is said by `greenroom trust add-key`, also anew of a key that is there; see `greenroom trust show`")
	}
	for _, bad := range c.policy.RevokedReleases {
		if bad.Digest == v.Digest || bad.Digest == "" && bad.Kind == v.Kind && bad.ID == r.ID && bad.Version == r.Version {
			return fault.New(fault.Revoked, c.op, c.subject, "the release was revoked").
				WithHint("take another release; `greenroom trust show` lists what was revoked")
		}
	}
	if !r.ExpiresAt.IsZero() && !t.Now.Before(r.ExpiresAt) {
		return c.refuse(fault.Expired, "it expired at "+stamp(r.ExpiresAt)+", and now is "+stamp(t.Now))
	}
	for _, f := range c.policy.Floors {
		if f.Kind == v.Kind && f.ID == r.ID && r.Sequence < f.Sequence {
			return c.refuse(fault.Downgrade, fmt.Sprintf("it has sequence %d, the policy takes %d and above", r.Sequence, f.Sequence))
		}
	}
	return c.compatible(r)
}

func (c *check) compatible(r Release) error {
	if r.Host == "" {
		return nil
	}
	const hint = "take a release for this version, or another version of Greenroom"
	host, err := semver.StrictNewVersion(c.terms.Host)
	if err != nil {
		return fault.New(fault.Incompatible, c.op, c.subject, fmt.Sprintf("it is for Greenroom %s, and the version here is not known", r.Host)).WithHint(hint)
	}
	if in, err := semver.NewConstraint(r.Host); err != nil || !in.Check(host) {
		return fault.New(fault.Incompatible, c.op, c.subject, fmt.Sprintf("it is for Greenroom %s, and this is %s", r.Host, host)).WithHint(hint)
	}
	return nil
}

// mayNot says why a key may not have signed a release, or "".
func (k *Key) mayNot(v *Verified, t Terms) string {
	r := v.Release
	switch {
	case !slices.Contains(k.Kinds, v.Kind):
		return "may not sign a release of an " + string(v.Kind)
	case !slices.Contains(k.Releases, r.ID) && !slices.Contains(k.Releases, AnyRelease):
		return fmt.Sprintf("may not sign %q, but %s", r.ID, quoted(k.Releases))
	}
	if bad := k.outside(r.IssuedAt); bad != "" {
		return bad + ", and it was issued at " + stamp(r.IssuedAt)
	}
	if r.IssuedAt.After(t.Now.Add(skew)) {
		return "says that it was issued at " + stamp(r.IssuedAt) + ", and now is " + stamp(t.Now)
	}
	if bad := k.outside(t.Now); bad != "" && !t.Installed {
		return bad + ", and now is " + stamp(t.Now)
	}
	return ""
}

// skew is how far the clock of a signer may be ahead of ours.
const skew = 5 * time.Minute

// outside says why a time does not lie in the window of the key, or "".
func (k *Key) outside(at time.Time) string {
	switch {
	case !k.ValidFrom.IsZero() && at.Before(k.ValidFrom):
		return "is valid from " + stamp(k.ValidFrom)
	case !k.ValidUntil.IsZero() && !at.Before(k.ValidUntil):
		return "was valid until " + stamp(k.ValidUntil)
	}
	return ""
}

func quoted(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	var parts []string
	for _, s := range list {
		parts = append(parts, fmt.Sprintf("%q", s))
	}
	return strings.Join(parts, ", ")
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
