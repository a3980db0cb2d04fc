package protocol

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"google.golang.org/protobuf/proto"
)

// RequestDigest is the SHA-256 of a request in lower-case hexadecimal. Equal requests have equal digests. It is the
// same in every process that runs this version of the module; do not keep it across versions.
func RequestDigest(r preparer.Request) (string, error) {
	m, err := EncodeRequest(r)
	if err != nil {
		return "", err
	}
	return digest(m)
}

// LayoutDigest is the SHA-256 of a layout in lower-case hexadecimal, with the limits of [RequestDigest].
func LayoutDigest(l *preparer.Layout) (string, error) {
	m, err := EncodeLayout(l)
	if err != nil {
		return "", err
	}
	return digest(m)
}

// DescriptorDigest is the SHA-256 of a descriptor in lower-case hexadecimal, with the limits of [RequestDigest].
func DescriptorDigest(d preparer.Descriptor) (string, error) {
	m, err := EncodeDescriptor(d)
	if err != nil {
		return "", err
	}
	return digest(m)
}

func digest(m proto.Message) (string, error) {
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), nil
}
