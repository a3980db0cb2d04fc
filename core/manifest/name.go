package manifest

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strings"
)

// Name is the directory name of a session: readable, at most 57 bytes, safe on every file system whatever the ids
// hold, and different for different pairs of ids. The ids themselves are kept in the manifest.
func Name(workspace, session string) string {
	return slug(session, maxSlug) + "-" + digest16(workspace, session)
}

// IsName says whether a text has the form of what [Name] makes.
func IsName(text string) bool {
	i := strings.LastIndexByte(text, '-')
	if i < 1 || i > maxSlug {
		return false
	}
	id, digest := text[:i], text[i+1:]
	return slug(id, maxSlug) == id && len(digest) == 16 && strings.Trim(digest, "0123456789abcdef") == ""
}

// maxSlug bounds what of an id is part of a name.
const maxSlug = 40

// slug keeps the harmless characters of an id, in lower case, since some file systems fold case.
func slug(id string, most int) string {
	var b strings.Builder
	for _, r := range strings.ToLower(id) {
		if b.Len() >= most {
			break
		}
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
			b.WriteRune(r)
		default:
			b.WriteByte('_')
		}
	}
	if b.Len() == 0 {
		return "_"
	}
	return b.String()
}

// digest16 is 16 hexadecimal digits over length-prefixed parts, so that no two lists of parts run together.
func digest16(parts ...string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range parts {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// Digest is the SHA-256 of data in hexadecimal.
func Digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
