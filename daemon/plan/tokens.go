package plan

import (
	"strconv"
	"strings"
)

// ParseTokens reads a number of tokens as a person writes one: 200000, 200k or 1m, from 1k to 1000m.
func ParseTokens(text string) (int, bool) {
	unit := 1
	switch {
	case strings.HasSuffix(strings.ToLower(text), "k"):
		unit = 1_000
	case strings.HasSuffix(strings.ToLower(text), "m"):
		unit = 1_000_000
	}
	if unit > 1 {
		text = text[:len(text)-1]
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 1_000_000_000/unit || n*unit < 1_000 {
		return 0, false
	}
	return n * unit, true
}

// TokenText writes a number of tokens so that ParseTokens reads it, "" for one that is not known.
func TokenText(n int) string {
	switch {
	case n <= 0:
		return ""
	case n%1_000_000 == 0:
		return strconv.Itoa(n/1_000_000) + "m"
	case n%1_000 == 0:
		return strconv.Itoa(n/1_000) + "k"
	}
	return strconv.Itoa(n)
}
