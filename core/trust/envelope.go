package trust

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
	sigdsse "github.com/sigstore/sigstore/pkg/signature/dsse"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
)

// Limits of an envelope.
const (
	// MaxEnvelope is how many bytes an envelope may have.
	MaxEnvelope = 256 << 10
	// maxSignatures is how many signatures an envelope may hold.
	maxSignatures = 16
)

// Statement is what a signature of a release is over, in the payload type application/vnd.in-toto+json, for whoever signs
// it elsewhere.
func Statement(k Kind, r Release, files Digests) ([]byte, error) { return encode(k, r, files) }

// Sign makes the envelope of a release, with one signature of each signer.
func Sign(k Kind, r Release, files Digests, signers ...*Signer) ([]byte, error) {
	payload, err := encode(k, r, files)
	if err != nil {
		return nil, err
	}
	return seal(payloadType, payload, signers)
}

func seal(kind string, payload []byte, signers []*Signer) ([]byte, error) {
	if len(signers) == 0 || len(signers) > maxSignatures {
		return nil, fault.New(fault.Invalid, "sign", "", fmt.Sprintf("there are %d keys, and have to be 1 to %d", len(signers), maxSignatures))
	}
	e := dsse.Envelope{PayloadType: kind, Payload: base64.StdEncoding.EncodeToString(payload)}
	for _, s := range signers {
		made, err := s.sign(kind, payload)
		if err != nil {
			return nil, err
		}
		e.Signatures = append(e.Signatures, made)
	}
	return wrap(e)
}

func (s *Signer) sign(kind string, payload []byte) (dsse.Signature, error) {
	adapter := &sigdsse.SignerAdapter{SignatureSigner: s.signer, Pub: s.public.key, PubKeyID: s.public.ID}
	signature, err := adapter.Sign(context.Background(), dsse.PAE(kind, payload))
	if err != nil {
		return dsse.Signature{}, fault.Wrap(err, fault.Internal, "sign", s.public.ID, "the key cannot sign")
	}
	return dsse.Signature{KeyID: s.public.ID, Sig: base64.StdEncoding.EncodeToString(signature)}, nil
}

func wrap(e dsse.Envelope) ([]byte, error) {
	text, err := json.MarshalIndent(e, "", "  ")
	return append(text, '\n'), err
}

// AddSignature adds the signatures of more signers to an envelope, as for a policy that asks for several, or for a
// change of keys. A signature that a signer has made before is made anew.
func AddSignature(envelope []byte, signers ...*Signer) ([]byte, error) {
	if len(envelope) == 0 {
		return nil, fault.New(fault.Invalid, "sign", "signature", "there is none yet that one could be added to").
			WithHint("sign it first, without --add")
	}
	if IsBundle(envelope) {
		return nil, fault.New(fault.Invalid, "sign", "signature", "it is a Sigstore bundle, which takes no signature besides its own").
			WithHint("sign anew, without --add")
	}
	e, _, err := open("sign", envelope)
	if err != nil {
		return nil, err
	}
	payload, _ := base64.StdEncoding.DecodeString(e.Payload) // opened
	for _, s := range signers {
		made, err := s.sign(e.PayloadType, payload)
		if err != nil {
			return nil, err
		}
		kept := e.Signatures[:0]
		for _, old := range e.Signatures {
			if old.KeyID != made.KeyID {
				kept = append(kept, old)
			}
		}
		e.Signatures = append(kept, made)
	}
	if len(e.Signatures) > maxSignatures {
		return nil, fault.New(fault.Invalid, "sign", "envelope", fmt.Sprintf("it would hold more than %d signatures", maxSignatures))
	}
	return wrap(e)
}

// UnsafeStatement is what an envelope says of a release, which nobody has verified: for an author who looks whether a
// signature of theirs is still over what they have. It has no signers.
func UnsafeStatement(k Kind, envelope []byte) (*Verified, error) {
	_, payload, err := open("read", envelope)
	if err != nil {
		return nil, err
	}
	s, bad := decode(k, payload)
	if bad != "" {
		return nil, fault.New(fault.Untrusted, "read", "signature", bad)
	}
	return s.verified(k, payload), nil
}

// open reads the form of an envelope, and believes nothing of it.
func open(op string, data []byte) (dsse.Envelope, []byte, error) {
	var e dsse.Envelope
	bad := func(detail string) (dsse.Envelope, []byte, error) {
		return dsse.Envelope{}, nil, fault.New(fault.Untrusted, op, "signature", detail)
	}
	if len(data) > MaxEnvelope {
		return bad(fmt.Sprintf("the envelope has more than %d bytes", MaxEnvelope))
	}
	if err := strictjson.Decode(data, &e); err != nil {
		return bad("the envelope is not valid: " + err.Error())
	}
	if n := len(e.Signatures); n == 0 || n > maxSignatures {
		return bad(fmt.Sprintf("the envelope holds %d signatures, expected are 1 to %d", n, maxSignatures))
	}
	payload, err := base64.StdEncoding.Strict().DecodeString(e.Payload)
	if err != nil || len(payload) == 0 {
		return bad("the payload of the envelope is not base64")
	}
	for _, s := range e.Signatures {
		if raw, err := base64.StdEncoding.Strict().DecodeString(s.Sig); err != nil || len(raw) == 0 {
			return bad("a signature of the envelope is not base64")
		}
	}
	return e, payload, nil
}

// signed says whether a key has signed an envelope that was opened.
func (k *PublicKey) signed(e *dsse.Envelope) bool {
	v, err := dsse.NewEnvelopeVerifier(&sigdsse.VerifierAdapter{SignatureVerifier: k.verifier, Pub: k.key, PubKeyID: k.ID})
	if err != nil {
		return false
	}
	accepted, err := v.Verify(context.Background(), e)
	return err == nil && len(accepted) == 1
}
