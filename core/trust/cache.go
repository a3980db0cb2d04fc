package trust

import (
	"crypto/sha256"
	"maps"
	"slices"
	"sync"

	"github.com/secure-systems-lab/go-securesystemslib/dsse"
)

// Cache remembers what no policy and no time can change: what an envelope says, and whether a key has signed something.
// Whom a policy believes, what it revoked and what is past its time is decided anew at each call. It is bounded, belongs to
// whoever made it, and is safe for concurrent use. A nil Cache remembers nothing.
type Cache struct {
	mu        sync.Mutex
	envelopes map[[sha256.Size]byte]*opened
	signed    map[signedBy]bool
}

// opened is an envelope, and the statements that were read in it since somebody who is believed signed them.
type opened struct {
	envelope   dsse.Envelope
	payload    []byte
	statements map[Kind]statement
}

// signedBy is a signature, or an envelope with all of its signatures, and the fingerprint of a key.
type signedBy struct {
	what [sha256.Size]byte
	key  string
}

// maxCached bounds each memory of a Cache.
const maxCached = 256

// NewCache makes an empty cache.
func NewCache() *Cache {
	return &Cache{envelopes: map[[sha256.Size]byte]*opened{}, signed: map[signedBy]bool{}}
}

// open is the function open, remembered by the digest of the bytes, which it gives too.
func (c *Cache) open(op string, data []byte) (e dsse.Envelope, payload []byte, what [sha256.Size]byte, err error) {
	if c == nil || len(data) > MaxEnvelope {
		e, payload, err = open(op, data)
		return e, payload, what, err
	}
	what = sha256.Sum256(data)
	c.mu.Lock()
	known := c.envelopes[what]
	c.mu.Unlock()
	if known == nil {
		if e, payload, err = open(op, data); err != nil {
			return e, payload, what, err
		}
		known = &opened{e, payload, map[Kind]statement{}}
		c.mu.Lock()
		if len(c.envelopes) >= maxCached {
			clear(c.envelopes)
		}
		c.envelopes[what] = known
		c.mu.Unlock()
	}
	return known.envelope, known.payload, what, nil
}

// decode is the function decode for the payload of an envelope that was opened, if it was.
func (c *Cache) decode(what [sha256.Size]byte, k Kind, payload []byte) (statement, string) {
	if c == nil {
		return decode(k, payload)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.envelopes[what]
	if from == nil {
		return decode(k, payload)
	}
	s, known := from.statements[k]
	if !known {
		var bad string
		if s, bad = decode(k, payload); bad != "" {
			return s, bad
		}
		from.statements[k] = s
	}
	// What a caller may change is its own.
	s.Predicate.Protocols, s.Predicate.Platforms = slices.Clone(s.Predicate.Protocols), maps.Clone(s.Predicate.Platforms)
	return s, ""
}

// ask says whether a key has signed something, and looks once.
func (c *Cache) ask(what [sha256.Size]byte, k *PublicKey, look func() bool) bool {
	if c == nil {
		return look()
	}
	by := signedBy{what, k.ID}
	c.mu.Lock()
	yes, known := c.signed[by]
	c.mu.Unlock()
	if known {
		return yes
	}
	yes = look()
	c.mu.Lock()
	if len(c.signed) >= maxCached {
		clear(c.signed)
	}
	c.signed[by] = yes
	c.mu.Unlock()
	return yes
}
