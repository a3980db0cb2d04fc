package gateway

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// tokenBytes is the size of a token before encoding: 256 bits.
const tokenBytes = 32

// digest is what the server keeps of a token.
type digest [sha256.Size]byte

func digestOf(token string) digest { return sha256.Sum256([]byte(token)) }

func newToken(random io.Reader) (string, error) {
	var b [tokenBytes]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		return "", fmt.Errorf("gateway: no randomness for a token: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b[:]), nil
}

// bearer gives the token of the one Authorization header. The scheme may be spelled in any case (RFC 9110).
func bearer(h http.Header) (string, bool) {
	values := h["Authorization"]
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(values[0], " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	return token, token != ""
}

// newID gives 22 characters that are safe in ids.
func newID(random io.Reader) string {
	var b [16]byte
	if _, err := io.ReadFull(random, b[:]); err != nil {
		// An id is no secret; a broken source must not end a running turn.
		return strings.Repeat("0", 22)
	}
	return base64.RawURLEncoding.EncodeToString(b[:])
}
