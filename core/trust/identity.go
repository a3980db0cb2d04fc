package trust

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Identity is a publisher without a key of their own: for each signature an issuer vouches for who they are, in a
// certificate that lives for minutes, and a log or a clock of others says that it was made in these minutes. It may sign
// with a Sigstore bundle in the place of an envelope, where the host brings a [BundleVerifier].
type Identity struct {
	// Name is the publisher's, as people are told it.
	Name string `json:"name"`
	// Issuer and Subject are compared for equality with what the certificate says.
	Issuer  string `json:"issuer"`
	Subject string `json:"subject"`
	// ValidFrom, ValidUntil, Kinds and Releases are as those of a [Key].
	ValidFrom  time.Time `json:"validFrom,omitzero"`
	ValidUntil time.Time `json:"validUntil,omitzero"`
	Kinds      []Kind    `json:"kinds"`
	Releases   []string  `json:"releases"`
}

// BundleVerifier looks at Sigstore bundles, by roots that it was made with. The module keyless has one.
type BundleVerifier interface {
	// VerifyBundle says what a bundle holds, if its signature, its certificate, its entry in a log and the time of its
	// signing are good. It makes no network connection. Whom it names is for the policy to believe or not.
	VerifyBundle(bundle []byte) (*Attestation, error)
}

// Attestation is what a bundle holds, and who signed it when.
type Attestation struct {
	PayloadType string
	Payload     []byte
	Issuer      string
	Subject     string
	// SignedAt is the time that somebody other than the signer vouches for.
	SignedAt time.Time
}

// bundleType begins the media types of Sigstore bundles.
const bundleType = "application/vnd.dev.sigstore.bundle"

// IsBundle says whether a signature claims to be a Sigstore bundle.
func IsBundle(signature []byte) bool {
	var claim struct {
		MediaType string `json:"mediaType"`
	}
	return len(signature) <= MaxEnvelope && json.Unmarshal(signature, &claim) == nil && strings.HasPrefix(claim.MediaType, bundleType)
}

// bundle is what a bundle holds, and the identity of the policy that signed it.
func (c *check) bundle(signature []byte) (kind string, payload []byte, signers []*Key, err error) {
	if c.terms.Bundles == nil {
		return "", nil, nil, fault.New(fault.Untrusted, c.op, c.subject, "it is signed by a Sigstore bundle, and this program verifies none").
			WithHint("ask its publisher for a signature by a key; hosts that are built with the module keyless verify bundles")
	}
	a, err := c.terms.Bundles.VerifyBundle(signature)
	if err != nil {
		return "", nil, nil, fault.Wrap(err, fault.Untrusted, c.op, c.subject, "the Sigstore bundle is not good: "+firstLine(err.Error()))
	}
	var expected []string
	for i := range c.policy.Identities {
		id := &c.policy.Identities[i]
		if id.Issuer == a.Issuer && id.Subject == a.Subject {
			k := id.key()
			if bad := k.outside(a.SignedAt); bad != "" {
				return "", nil, nil, c.refuse(fault.Untrusted, "the identity "+k.label()+" "+bad+", and it was signed at "+stamp(a.SignedAt))
			}
			c.signedAt = a.SignedAt
			return a.PayloadType, a.Payload, []*Key{k}, nil
		}
		expected = append(expected, id.key().label())
	}
	if len(expected) == 0 {
		expected = []string{"nobody: the policy trusts no identity"}
	}
	return "", nil, nil, c.refuse(fault.Untrusted, fmt.Sprintf("it is signed by %.200q of %.200q, expected is %s", a.Subject, a.Issuer, strings.Join(expected[:min(len(expected), 8)], " or ")))
}

// key is the identity in the shape of a key, for what both are held to.
func (id *Identity) key() *Key {
	return &Key{Name: id.Name, ID: id.Subject + " of " + id.Issuer, ValidFrom: id.ValidFrom, ValidUntil: id.ValidUntil, Kinds: id.Kinds, Releases: id.Releases}
}

// what is the word for it in messages.
func (k *Key) what() string {
	if k.public == nil {
		return "the identity"
	}
	return "the key"
}

// completeIdentities checks the identities of a policy.
func (p *Policy) completeIdentities() error {
	seen := map[[2]string]bool{}
	for i := range p.Identities {
		id, at := &p.Identities[i], fmt.Sprintf("identities[%d]", i)
		for field, text := range map[string]string{"issuer": id.Issuer, "subject": id.Subject} {
			if text == "" || len(text) > 1024 || strings.ContainsFunc(text, control) {
				return badPolicy(at+"."+field, "is empty, too long or holds control characters")
			}
		}
		if seen[[2]string{id.Issuer, id.Subject}] {
			return badPolicy(at, "stands twice")
		}
		seen[[2]string{id.Issuer, id.Subject}] = true
		k := id.key()
		if err := cmp.Or(k.completeTerms(at), k.completeReach(at)); err != nil {
			return err
		}
	}
	return nil
}

// completeTerms checks the name of a key or an identity, and when it is valid.
func (k *Key) completeTerms(at string) error {
	if k.Name == "" || len(k.Name) > 128 || strings.ContainsFunc(k.Name, control) {
		return badPolicy(at+".name", "is empty, too long or holds control characters")
	}
	if !k.ValidUntil.IsZero() && !k.ValidUntil.After(k.ValidFrom) {
		return badPolicy(at+".validUntil", "is not after validFrom")
	}
	return nil
}

// completeReach checks which releases a key or an identity may sign.
func (k *Key) completeReach(at string) error {
	if len(k.Kinds) == 0 || slices.ContainsFunc(k.Kinds, func(k Kind) bool { return !k.known() }) {
		return badPolicy(at+".kinds", fmt.Sprintf("has to name %s, %s or both", Extension, Adapter))
	}
	for _, id := range k.Releases {
		if id != AnyRelease && !ValidID(id) {
			return badPolicy(at+".releases", fmt.Sprintf("holds %.80q, which is neither the ID of a release nor %q", id, AnyRelease))
		}
	}
	return nil
}

// firstLine is what a text of somebody else's says first.
func firstLine(s string) string {
	if end := strings.IndexFunc(s, control); end >= 0 {
		s = s[:end]
	}
	return s[:min(len(s), 300)]
}

func control(r rune) bool { return r < ' ' || r == 0x7f }
