package redact

import (
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// forms gives the key and the ways in which a server may echo it, each once.
func forms(key string) []string {
	quoted, err := json.Marshal(key)
	if err != nil {
		quoted = []byte(`"` + key + `"`)
	}
	escaped := string(quoted[1 : len(quoted)-1])
	all := []string{
		key,
		escaped,
		plainJSON(key),
		strings.ReplaceAll(plainJSON(key), "/", `\/`),
		url.QueryEscape(key), lowerEscapes(url.QueryEscape(key)),
		url.PathEscape(key), lowerEscapes(url.PathEscape(key)),
	}
	for shift := range 3 {
		all = append(all, aligned(base64.RawStdEncoding, key, shift), aligned(base64.RawURLEncoding, key, shift))
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// plainJSON escapes only what JSON demands.
func plainJSON(key string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(key)
}

// lowerEscapes writes percent escapes with small letters.
func lowerEscapes(s string) string {
	b := []byte(s)
	for i := 0; i+2 < len(b); i++ {
		if b[i] == '%' {
			copy(b[i+1:i+3], strings.ToLower(string(b[i+1:i+3])))
		}
	}
	return string(b)
}

// aligned gives the characters that the key alone decides when it is encoded behind shift other bytes.
func aligned(enc *base64.Encoding, key string, shift int) string {
	text := enc.EncodeToString([]byte(strings.Repeat("\x00", shift) + key))
	first := []int{0, 2, 3}[shift]
	last := (shift + len(key)) * 8 / 6
	return text[first:last]
}
