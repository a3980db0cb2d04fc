package connector

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of an index, in runes.
const (
	maxValue = 128
	maxIndex = 640
)

// Index renders the routing index: key=name|alias;key2=..., sorted by key. A key that is unsafe takes its connector
// with it; a name that is unsafe or says what was said is left out. The index has at most 640 runes: a name that would
// be too much ends the list of its connector, a key that would be ends the index. Equal hints in any order give equal
// bytes, so that what an agent was told of first can be compared with what is known later.
func Index(hints []Hint) string {
	hints = slices.Clone(hints)
	for i := range hints {
		hints[i].Key = strings.TrimSpace(hints[i].Key)
	}
	slices.SortStableFunc(hints, func(a, b Hint) int { return strings.Compare(a.Key, b.Key) })
	var b strings.Builder
	n, last := 0, ""
	for _, h := range hints {
		if !IsKey(h.Key) || h.Key == last {
			continue
		}
		last = h.Key
		sep := ""
		if n > 0 {
			sep = ";"
		}
		if n+len(sep)+len(h.Key) > maxIndex {
			break
		}
		b.WriteString(sep + h.Key)
		n += len(sep) + len(h.Key)
		sep = "="
		for _, name := range h.names() {
			size := 1 + utf8.RuneCountInString(name)
			if n+size > maxIndex {
				break
			}
			b.WriteString(sep + name)
			n, sep = n+size, "|"
		}
	}
	return b.String()
}

// names are the display name and the aliases, those that are safe, each once whatever its letter case.
func (h Hint) names() []string {
	var list []string
	for _, name := range append([]string{h.DisplayName}, h.Aliases...) {
		name = strings.TrimSpace(name)
		if !safe(name) || strings.EqualFold(name, h.Key) ||
			slices.ContainsFunc(list, func(have string) bool { return strings.EqualFold(have, name) }) {
			continue
		}
		list = append(list, name)
	}
	return list
}

// safe says whether a name can stand in the index: short, and of signs that begin nothing.
func safe(name string) bool {
	if name == "" || !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxValue {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) && !strings.ContainsRune(" -_.+&/()", r)
	})
}
