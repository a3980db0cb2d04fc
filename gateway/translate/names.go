package translate

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

const (
	maxName    = 64
	separator  = "__"
	namePrefix = "gr_"
)

// flatName is the chat name of a tool as long as no other tool claims the same one.
func flatName(namespace, name string) string {
	flat := name
	if namespace != "" {
		flat = clean(namespace) + separator + clean(name)
	}
	if !validName(flat) {
		return hashedName(namespace, name, 0)
	}
	return flat
}

// hashedName is made from the identity alone, so it does not depend on which tools stand beside it. The number is for
// the case that somebody named a tool just so.
func hashedName(namespace, name string, n int) string {
	text := namespace + "\x00" + name
	if n > 0 {
		text += "\x00" + strconv.Itoa(n)
	}
	sum := sha256.Sum256([]byte(text))
	hashed := namePrefix + hex.EncodeToString(sum[:8]) + "_" + clean(name)
	return hashed[:min(len(hashed), maxName)]
}

func validName(s string) bool {
	if s == "" || len(s) > maxName || s[0] == '-' || s[0] >= '0' && s[0] <= '9' {
		return false
	}
	for i := range len(s) {
		if !nameByte(s[i]) {
			return false
		}
	}
	return true
}

// clean replaces every byte that a name cannot have.
func clean(s string) string {
	for i := range len(s) {
		if !nameByte(s[i]) {
			b := []byte(s)
			for j := i; j < len(b); j++ {
				if !nameByte(b[j]) {
					b[j] = '_'
				}
			}
			return string(b)
		}
	}
	return s
}

func nameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
