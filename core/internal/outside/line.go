package outside

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// replacer takes the signs away by which Markdown, HTML comments and templates begin. A reader sees what is meant.
var replacer = strings.NewReplacer("`", "'", "<", "‹", ">", "›", "[", "(", "]", ")", "|", "/")

// Line is text as one line of at most limit runes that opens nothing: no line, heading, fence, code, link, table cell,
// comment or template. Text that is not UTF-8 loses the bytes that are not. A limit of 0 or less leaves nothing.
func Line(text string, limit int) string {
	if limit <= 0 {
		return ""
	}
	if harmless(text) && len(text) <= limit {
		return text
	}
	var b strings.Builder
	n, blank := 0, false
	for _, r := range strings.ToValidUTF8(text, "") {
		if unicode.IsSpace(r) || unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r) {
			blank = b.Len() > 0
			continue
		}
		// Format characters turn text around or hide it. The joiner belongs to emoji and to some scripts.
		if unicode.Is(unicode.Cf, r) && r != '\u200d' && r != '\u200c' {
			continue
		}
		if blank {
			b.WriteByte(' ')
			n, blank = n+1, false
		}
		b.WriteRune(r)
		if n++; n > limit {
			break
		}
	}
	text = replacer.Replace(b.String())
	for _, run := range []string{"{{", "}}", "~~"} {
		for strings.Contains(text, run) {
			text = strings.ReplaceAll(text, run, run[:1]+" "+run[:1])
		}
	}
	return Cut(strings.TrimLeft(text, "#-+*=>_~ "), limit)
}

// harmless says whether text is of letters, digits and marks that mean nothing, with single blanks between words. Most
// text is, and stays as it is.
func harmless(text string) bool {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9':
		case c == '.' || c == ',' || c == ':' || c == '-' && i > 0:
		case c == ' ' && i > 0 && i < len(text)-1 && text[i-1] != ' ':
		default:
			return false
		}
	}
	return true
}

// Cut is text of at most limit runes; one that is longer ends in an ellipsis.
func Cut(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	runes := []rune(text)
	return strings.TrimRight(string(runes[:limit-1]), " ") + "…"
}
