package door

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
)

// Local says whether a host is this machine, by address or by the one name that always is. A name that somebody lets
// point here is not.
func Local(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	addr, err := netip.ParseAddr(name)
	return strings.EqualFold(name, "localhost") || err == nil && addr.Unmap().IsLoopback()
}

// Digest is what is kept of a secret to compare others with it.
type Digest [sha256.Size]byte

// DigestOf is the digest of a secret.
func DigestOf(secret string) Digest { return sha256.Sum256([]byte(secret)) }

// Is says whether a text is the secret, in a time that does not depend on where they differ.
func (d Digest) Is(text string) bool {
	sum := DigestOf(text)
	return subtle.ConstantTimeCompare(sum[:], d[:]) == 1
}

// Limiter lets a burst through, and then so many a second. It is safe for concurrent use.
type Limiter struct {
	now              func() time.Time
	burst, perSecond float64

	mu   sync.Mutex
	left float64
	last time.Time
}

// NewLimiter makes a Limiter that lets its burst through at once.
func NewLimiter(now func() time.Time, burst, perSecond float64) *Limiter {
	return &Limiter{now: now, burst: burst, perSecond: perSecond, left: burst}
}

// Take says whether one more may come in.
func (l *Limiter) Take() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	if !l.last.IsZero() {
		l.left = min(l.burst, l.left+l.perSecond*now.Sub(l.last).Seconds())
	}
	l.last = now
	if l.left < 1 {
		return false
	}
	l.left--
	return true
}
