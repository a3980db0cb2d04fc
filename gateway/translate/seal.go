package translate

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
)

// sealPrefix begins reasoning state that this package gave out.
const sealPrefix = "gw1."

// appendSeal appends state, which is a JSON list, as it comes back in encrypted_content, bound to the key. Nothing in it is secret from the
// client: the seal only makes sure that what comes back was given out for this session.
func appendSeal(dst, key, state []byte) []byte {
	dst = append(dst, sealPrefix...)
	return base64.RawURLEncoding.AppendEncode(dst, append(sealOf(key, state), state...))
}

// openSeal gives the state back, and false for anything that was not given out under this key.
func openSeal(key, blob []byte) ([]byte, bool) {
	if len(key) == 0 || !strings.HasPrefix(string(blob[:min(len(blob), len(sealPrefix))]), sealPrefix) {
		return nil, false
	}
	sealed, err := base64.RawURLEncoding.AppendDecode(nil, blob[len(sealPrefix):])
	if err != nil || len(sealed) < sealSize {
		return nil, false
	}
	state := sealed[sealSize:]
	if !hmac.Equal(sealed[:sealSize], sealOf(key, state)) || !rawjson.Valid(state) || state[0] != '[' {
		return nil, false
	}
	return state, true
}

const sealSize = 16

func sealOf(key, state []byte) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write(state)
	return mac.Sum(nil)[:sealSize]
}
