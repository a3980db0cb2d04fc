package keyless

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/sigstore/sigstore-go/pkg/bundle"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/verify"

	"github.com/greenroom-agents/greenroom/core/trust"
)

// Verifier looks at bundles by one root. It is safe for concurrent use.
type Verifier struct{ verifier *verify.Verifier }

var _ trust.BundleVerifier = (*Verifier)(nil)

// New makes a Verifier of a trusted root in JSON, in the form in which Sigstore hands out trusted_root.json. It is for the
// host to pin: whoever can change it decides who signed what.
func New(trustedRoot []byte) (*Verifier, error) {
	pinned, err := root.NewTrustedRootFromJSON(trustedRoot)
	if err != nil {
		return nil, fmt.Errorf("the trusted root cannot be read: %w", err)
	}
	for what, n := range map[string]int{
		"certificate authority": len(pinned.FulcioCertificateAuthorities()), "transparency log": len(pinned.RekorLogs()),
	} {
		if n == 0 {
			return nil, errors.New("the trusted root names no " + what)
		}
	}
	options := []verify.VerifierOption{
		verify.WithTransparencyLog(1), verify.WithObserverTimestamps(1), verify.WithoutStatementPredicate(),
	}
	if len(pinned.CTLogs()) > 0 {
		options = append(options, verify.WithSignedCertificateTimestamps(1))
	}
	v, err := verify.NewVerifier(pinned, options...)
	if err != nil {
		return nil, fmt.Errorf("the trusted root cannot be used: %w", err)
	}
	return &Verifier{v}, nil
}

// VerifyBundle implements trust.BundleVerifier.
func (v *Verifier) VerifyBundle(data []byte) (*trust.Attestation, error) {
	var b bundle.Bundle
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, fmt.Errorf("it cannot be read: %w", err)
	}
	sealed, err := b.Envelope()
	if err != nil {
		return nil, fmt.Errorf("it holds no envelope: %w", err)
	}
	envelope := sealed.RawEnvelope()
	payload, err := envelope.DecodeB64Payload()
	if err != nil {
		return nil, fmt.Errorf("its payload cannot be read: %w", err)
	}
	// The policy compares the identity, and the host the digests of the files, both with what is answered here.
	result, err := v.verifier.Verify(&b, verify.NewPolicy(verify.WithoutArtifactUnsafe(), verify.WithoutIdentitiesUnsafe()))
	if err != nil {
		return nil, err
	}
	if result.Signature == nil || result.Signature.Certificate == nil {
		return nil, errors.New("it was not signed by somebody with a certificate")
	}
	a := &trust.Attestation{
		PayloadType: envelope.PayloadType, Payload: payload,
		Issuer: result.Signature.Certificate.Issuer, Subject: result.Signature.Certificate.SubjectAlternativeName,
		SignedAt: earliest(result.VerifiedTimestamps),
	}
	if a.SignedAt.IsZero() {
		return nil, errors.New("nobody vouches for the time at which it was signed")
	}
	return a, nil
}

// earliest is the first of several times, each of which somebody vouches for.
func earliest(all []verify.TimestampVerificationResult) (at time.Time) {
	for _, t := range all {
		if at.IsZero() || t.Timestamp.Before(at) {
			at = t.Timestamp
		}
	}
	return at
}
