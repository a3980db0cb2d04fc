package trust

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/pem"
	"strings"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Algorithm is what a key signs with.
type Algorithm string

// The algorithms.
const (
	Ed25519   Algorithm = "ed25519"
	ECDSAP256 Algorithm = "ecdsa-p256"
)

// PublicKey is a key that signatures are checked with.
type PublicKey struct {
	// ID is the fingerprint of the key, as OpenSSH writes it: "SHA256:" and base64.
	ID        string
	Algorithm Algorithm
	key       crypto.PublicKey
	verifier  signature.Verifier
}

// ParsePublicKey reads one public key in PEM (PKIX).
func ParsePublicKey(text []byte) (*PublicKey, error) {
	if _, rest := pem.Decode(text); len(bytes.TrimSpace(rest)) > 0 {
		return nil, badKey("public key", "is not one PEM block")
	}
	key, err := cryptoutils.UnmarshalPEMToPublicKey(text)
	if err != nil && isPEM(text, "PRIVATE KEY") {
		return nil, fault.New(fault.Invalid, "read key", "public key", "is a private key, which is its owner's alone").
			WithHint("name the file beside it that ends in .pub")
	}
	if err != nil {
		return nil, badKey("public key", "is not a public key in PEM")
	}
	return publicKey(key)
}

func publicKey(key crypto.PublicKey) (*PublicKey, error) {
	k := &PublicKey{key: key}
	switch key := key.(type) {
	case ed25519.PublicKey:
		k.Algorithm = Ed25519
	case *ecdsa.PublicKey:
		if key.Curve != elliptic.P256() {
			return nil, badKey("public key", "is on the curve "+key.Params().Name+"; P-256 is the one that is known")
		}
		k.Algorithm = ECDSAP256
	default:
		return nil, badKey("public key", "is neither an Ed25519 nor an ECDSA P-256 key")
	}
	var err error
	if k.ID, err = dsse.SHA256KeyID(key); err != nil {
		return nil, badKey("public key", "has no fingerprint")
	}
	if k.verifier, err = signature.LoadVerifier(key, crypto.SHA256); err != nil {
		return nil, badKey("public key", "cannot be used")
	}
	return k, nil
}

// PEM is the key as text.
func (k *PublicKey) PEM() string {
	text, err := cryptoutils.MarshalPublicKeyToPEM(k.key)
	if err != nil {
		return "" // it was read from PEM, or made here
	}
	return string(text)
}

// Signer is a key that signs.
type Signer struct {
	public *PublicKey
	secret crypto.Signer
	signer signature.Signer
}

// NewSigner makes a signer of an Ed25519 or ECDSA P-256 key.
func NewSigner(key crypto.Signer) (*Signer, error) {
	public, err := publicKey(key.Public())
	if err != nil {
		return nil, err
	}
	signer, err := signature.LoadSigner(key, crypto.SHA256)
	if err != nil {
		return nil, badKey("private key", "cannot be used")
	}
	return &Signer{public: public, secret: key, signer: signer}, nil
}

// GenerateSigner makes a new key.
func GenerateSigner(a Algorithm) (*Signer, error) {
	var key crypto.Signer
	var err error
	switch a {
	case Ed25519:
		_, key, err = ed25519.GenerateKey(rand.Reader)
	case ECDSAP256:
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		return nil, badKey("algorithm", "is neither "+string(Ed25519)+" nor "+string(ECDSAP256))
	}
	if err != nil {
		return nil, err
	}
	return NewSigner(key)
}

// ParseSigner reads one private key in PEM (PKCS #8), without a password.
func ParseSigner(text []byte) (*Signer, error) {
	key, err := cryptoutils.UnmarshalPEMToPrivateKey(text, cryptoutils.SkipPassword)
	secret, ok := key.(crypto.Signer)
	if (err != nil || !ok) && isPEM(text, "PUBLIC KEY") {
		return nil, fault.New(fault.Invalid, "read key", "private key", "is a public key, which signs nothing").
			WithHint("name the file without .pub")
	}
	if err != nil || !ok {
		return nil, badKey("private key", "is not a private key in PEM")
	}
	return NewSigner(secret)
}

// Public is the key that signatures of s are checked with.
func (s *Signer) Public() *PublicKey { return s.public }

// PEM is the private key as text. It is a secret.
func (s *Signer) PEM() ([]byte, error) { return cryptoutils.MarshalPrivateKeyToPEM(s.secret) }

// isPEM says whether a text is PEM of a type that ends so.
func isPEM(text []byte, kind string) bool {
	block, _ := pem.Decode(text)
	return block != nil && strings.HasSuffix(block.Type, kind)
}

func badKey(subject, detail string) error {
	return fault.New(fault.Invalid, "read key", subject, detail).
		WithHint("make one with `greenroom trust new-key`")
}
