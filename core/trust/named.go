package trust

import (
	"bytes"
	"crypto/sha256"
	"fmt"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Named is a release with one bare Ed25519 signature, which names its key by the Name that the policy gives it. It is what
// the public format tutti.agent.release.v1 comes to. Release is what Message says, by the word of the caller.
type Named struct {
	Key       string
	Message   []byte
	Signature []byte
	Release   Release
}

// VerifyNamed says what the policy thinks of such a release, as [Policy.Verify] does of an envelope; the errors are the
// same. The digest is that of the message. A policy that asks for several signatures believes none of these.
func (p *Policy) VerifyNamed(n Named, t Terms) (*Verified, error) {
	c := check{policy: p, op: "verify", subject: fmt.Sprintf("%s %.80q", t.Kind, n.Release.ID), terms: t}
	if !t.Kind.known() || t.Now.IsZero() {
		return nil, fault.New(fault.Invalid, c.op, c.subject, "a kind and a time have to be given")
	}
	signers, err := c.namedSigners(n)
	if err != nil {
		return nil, err
	}
	if bad := n.Release.wrong(t.Kind); bad != "" {
		return nil, c.refuse(fault.Untrusted, bad)
	}
	v := &Verified{Kind: t.Kind, Release: n.Release, Digest: hexSum(n.Message)}
	if err := c.hold(v, signers); err != nil {
		return nil, err
	}
	return v, nil
}

// namedSigners are the keys of that name that have signed the message and are not revoked: several may have one name, as
// when a publisher changes keys. There is at least one, or an error.
func (c *check) namedSigners(n Named) ([]*Key, error) {
	whole := sha256.New()
	fmt.Fprintf(whole, "named %d %d\n", len(n.Message), len(n.Signature)) // which begins no envelope
	whole.Write(n.Message)
	whole.Write(n.Signature)
	whole.Sum(c.what[:0])
	called := func(k *Key) (may, claims bool) {
		is := k.Name == n.Key && k.public.Algorithm == Ed25519
		return is, is
	}
	found, revoked, broken, err := c.sort(c.policy.Keys, called, func(k *PublicKey) bool { return k.signedNamed(n) })
	switch {
	case err != nil || len(found) > 0:
		return found, err
	case revoked != nil:
		return nil, c.byRevoked(revoked)
	case broken != nil:
		return nil, c.byBroken("its signature, which names " + broken.label() + ", is not one of this content")
	}
	return nil, fault.New(fault.Untrusted, c.op, c.subject, fmt.Sprintf("it is signed by a key that is called %.80q, expected is %s", n.Key, c.expected(c.policy.Keys))).
		WithHint("if you trust that publisher, add the key by that name with `greenroom trust add-key FILE --name NAME --release ID`")
}

func (k *PublicKey) signedNamed(n Named) bool {
	return k.verifier.VerifySignature(bytes.NewReader(n.Signature), bytes.NewReader(n.Message)) == nil
}
