package skill

import (
	"strings"
	"unicode"
)

// DefaultMaxName is the longest name in bytes of a skill where a client says nothing else.
const DefaultMaxName = 64

// badName says why a name cannot be that of a skill, or "". Names of ours are plain ASCII, so that every client takes
// them and no two of them are the same under a file system's own rules.
func badName(name string) string {
	if name == "" {
		return "is empty"
	}
	for i := 0; i < len(name); i++ {
		c := name[i]
		word := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !word && (i == 0 || c != '-' && c != '_' && c != '.') {
			return "does not begin with a letter or digit or holds other than letters, digits, dots, dashes and underscores"
		}
	}
	return badSegment(name)
}

// badSegment says why a single name cannot stand in a directory of every system, or "".
func badSegment(name string) string {
	if strings.ContainsAny(name, `<>:"|?*\`) {
		return "holds a character that Windows does not take"
	}
	if strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") {
		return "ends in a dot or a space"
	}
	stem, _, _ := strings.Cut(strings.ToUpper(name), ".")
	stem = strings.TrimRight(stem, " ")
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return "is reserved on Windows"
	}
	if port, ok := strings.CutPrefix(stem, "COM"); ok && isPort(port) {
		return "is reserved on Windows"
	}
	if port, ok := strings.CutPrefix(stem, "LPT"); ok && isPort(port) {
		return "is reserved on Windows"
	}
	return ""
}

func isPort(s string) bool {
	return len(s) == 1 && s[0] >= '0' && s[0] <= '9' || s == "¹" || s == "²" || s == "³"
}

// fold maps names that some file system takes for the same to one: letters of either case, and trailing dots and
// spaces.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, strings.TrimRight(name, ". "))
}
