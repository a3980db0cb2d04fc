package merge

import (
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Quote writes a string in the syntax of a format: a string in double quotes for JSON, JSONC, TOML and YAML, one word
// for a POSIX shell. Strings that are not UTF-8, and for a shell those with a NUL, are refused.
func Quote(format preparer.Format, s string) (string, error) {
	switch format {
	case preparer.JSON, preparer.JSONC, preparer.TOML, preparer.YAML:
		if !utf8.ValidString(s) {
			return "", badEdit("quoted value", "a string that is not utf-8")
		}
		return string(appendQuoted(nil, s)), nil
	case preparer.Shell:
		if !utf8.ValidString(s) || strings.IndexByte(s, 0) >= 0 {
			return "", badEdit("quoted value", "a string that no shell word can hold")
		}
		return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'", nil
	}
	return "", badEdit("quoted value", "no format %q to quote in", format)
}
