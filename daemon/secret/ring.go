package secret

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"io"
	"strings"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// Place is where a sealed credential belongs.
type Place struct {
	Workspace, Plan string
	Revision        int64
}

// bytes is the place as associated data. Lengths keep two places from being spelt the same.
func (p Place) bytes() []byte {
	var b []byte
	for _, s := range []string{p.Workspace, p.Plan} {
		b = binary.BigEndian.AppendUint32(b, uint32(len(s)))
		b = append(b, s...)
	}
	return binary.BigEndian.AppendUint64(b, uint64(p.Revision))
}

// version begins what is sealed the present way: "v1.<id of the key>.<base64url of nonce and ciphertext>".
const version = "v1"

type key struct {
	id   string
	aead cipher.AEAD
}

// Ring is the keys that credentials are sealed with.
type Ring struct {
	random io.Reader
	keys   []key // the first one seals
	legacy []cipher.AEAD
}

// NewRing makes a ring of secrets, the newest first; each has to have 16 bytes at least. random is where nonces come from.
func NewRing(random io.Reader, secrets ...[]byte) (*Ring, error) {
	r := &Ring{random: random}
	for _, s := range secrets {
		if len(s) < 16 {
			return nil, problem.New(problem.Storage, "", "a secret for credentials has fewer than 16 bytes")
		}
		made, err := hkdf.Key(sha256.New, s, nil, "greenroom plan credentials v1", 32)
		if err != nil {
			return nil, problem.Wrap(err, problem.Storage, "no key can be made of a secret")
		}
		id, err := hkdf.Key(sha256.New, s, nil, "greenroom plan credentials v1 id", 4)
		if err != nil {
			return nil, problem.Wrap(err, problem.Storage, "no key can be made of a secret")
		}
		aead, err := seal(made)
		if err != nil {
			return nil, err
		}
		r.keys = append(r.keys, key{hex.EncodeToString(id), aead})
	}
	if len(r.keys) == 0 {
		return nil, problem.New(problem.Storage, "", "there is no secret for credentials")
	}
	return r, nil
}

func seal(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err == nil {
		var aead cipher.AEAD
		if aead, err = cipher.NewGCM(block); err == nil {
			return aead, nil
		}
	}
	return nil, problem.Wrap(err, problem.Storage, "no cipher can be made")
}

// Seal gives the form of a credential that may be stored at a place. Of none it is "".
func (r *Ring) Seal(k modelendpoint.Key, at Place) (string, error) {
	if k.IsZero() {
		return "", nil
	}
	use := r.keys[0]
	nonce := make([]byte, use.aead.NonceSize())
	if _, err := io.ReadFull(r.random, nonce); err != nil {
		return "", problem.Wrap(err, problem.Storage, "there is no randomness for a nonce")
	}
	plain := []byte(k.Reveal())
	defer clear(plain)
	return version + "." + use.id + "." + base64.RawURLEncoding.EncodeToString(use.aead.Seal(nonce, nonce, plain, at.bytes())), nil
}

// Open gives the credential that was sealed at a place. Errors are [problem.Unreadable].
func (r *Ring) Open(sealed string, at Place) (modelendpoint.Key, error) {
	if sealed == "" {
		return modelendpoint.Key{}, nil
	}
	if rest, ok := strings.CutPrefix(sealed, version+"."); ok {
		id, text, _ := strings.Cut(rest, ".")
		data, err := base64.RawURLEncoding.DecodeString(text)
		for _, k := range r.keys {
			if err == nil && k.id == id {
				if opened, ok := open(k.aead, data, at.bytes()); ok {
					return opened, nil
				}
			}
		}
		return modelendpoint.Key{}, Unreadable()
	}
	// What has no version was sealed the legacy way, bound to nothing.
	if data, err := base64.StdEncoding.DecodeString(sealed); err == nil {
		for _, aead := range r.legacy {
			if opened, ok := open(aead, data, nil); ok {
				return opened, nil
			}
		}
	}
	return modelendpoint.Key{}, Unreadable()
}

// Unreadable is the error of a credential that no key opens.
func Unreadable() error {
	return problem.New(problem.Unreadable, "", "the stored key cannot be read with any key file there is").
		WithHint("enter the key again, or bring back the key file that it was stored with")
}

func open(aead cipher.AEAD, data, bound []byte) (modelendpoint.Key, bool) {
	if len(data) < aead.NonceSize() {
		return modelendpoint.Key{}, false
	}
	plain, err := aead.Open(nil, data[:aead.NonceSize()], data[aead.NonceSize():], bound)
	if err != nil {
		return modelendpoint.Key{}, false
	}
	defer clear(plain)
	return modelendpoint.NewKey(string(plain)), true
}

// Current says whether a credential is sealed with the key that seals now, so that it need not be sealed anew.
func (r *Ring) Current(sealed string) bool {
	return sealed == "" || strings.HasPrefix(sealed, version+"."+r.keys[0].id+".")
}
