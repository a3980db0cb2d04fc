package redact

import (
	"slices"
	"strconv"
	"strings"
)

// view is a text with its escapes undone, and where each byte of it came from.
type view struct {
	text []byte
	from []int // one more than text: the last is the length of the source
}

// plainView is the text itself.
func plainView(s string) view { return decode(s, func(string) (byte, int) { return 0, 0 }) }

// percentView undoes the escapes of URLs, in whatever mixture and spelling they come.
func percentView(s string) view {
	return decode(s, func(rest string) (byte, int) {
		if len(rest) < 3 || rest[0] != '%' {
			return 0, 0
		}
		return hex(rest[1:3], 3)
	})
}

// jsonView undoes the escapes of JSON strings.
func jsonView(s string) view {
	return decode(s, func(rest string) (byte, int) {
		if len(rest) < 2 || rest[0] != '\\' {
			return 0, 0
		}
		switch rest[1] {
		case '"', '\\', '/':
			return rest[1], 2
		case 'u':
			if len(rest) >= 6 && rest[2:4] == "00" {
				return hex(rest[4:6], 6)
			}
		}
		return 0, 0
	})
}

func hex(digits string, size int) (byte, int) {
	n, err := strconv.ParseUint(digits, 16, 8)
	if err != nil {
		return 0, 0
	}
	return byte(n), size
}

// decode builds a view: escape gives the byte that the text begins with and the size of its escape, 0 for none.
func decode(s string, escape func(rest string) (byte, int)) view {
	v := view{text: make([]byte, 0, len(s)), from: make([]int, 0, len(s)+1)}
	for i := 0; i < len(s); {
		b, size := escape(s[i:])
		if size == 0 {
			b, size = s[i], 1
		}
		v.text, v.from = append(v.text, b), append(v.from, i)
		i += size
	}
	v.from = append(v.from, len(s))
	return v
}

// span is a part of the source text.
type span struct{ start, end int }

// leaks gives the spans of the source whose meaning is a part of key with at least partLength bytes, or the whole key.
func (v view) leaks(key string, pairs *pairSet, found []span) []span {
	size := min(partLength, len(key))
	for i := 0; i+size <= len(v.text); {
		if !pairs.has(v.text[i+size-2], v.text[i+size-1]) {
			// No part of the key holds these two bytes side by side, so the next one to look at begins behind the first.
			i += size - 1
			continue
		}
		if !strings.Contains(key, string(v.text[i:i+size])) {
			i++
			continue
		}
		end := i + size
		for end < len(v.text) && strings.Contains(key, string(v.text[end-size+1:end+1])) {
			end++
		}
		found = append(found, span{v.from[i], v.from[end]})
		i = end
	}
	return found
}

// maskSpans puts the mask in place of the spans.
func maskSpans(s string, spans []span) string {
	if len(spans) == 0 {
		return s
	}
	slices.SortFunc(spans, func(a, b span) int { return a.start - b.start })
	var b strings.Builder
	done := 0
	for i := 0; i < len(spans); {
		start, end := spans[i].start, spans[i].end
		for i++; i < len(spans) && spans[i].start <= end; i++ {
			end = max(end, spans[i].end)
		}
		b.WriteString(s[done:start])
		b.WriteString(Mask)
		done = end
	}
	b.WriteString(s[done:])
	return b.String()
}

// pairSet holds the pairs of neighbouring bytes of a key: most of a text is passed over by looking at a twelfth of it.
type pairSet [1 << 10]uint64

func pairsOf(key string) *pairSet {
	s := new(pairSet)
	for i := 1; i < len(key); i++ {
		n := uint(key[i-1])<<8 | uint(key[i])
		s[n/64] |= 1 << (n % 64)
	}
	return s
}

func (s *pairSet) has(a, b byte) bool {
	n := uint(a)<<8 | uint(b)
	return s[n/64]&(1<<(n%64)) != 0
}
