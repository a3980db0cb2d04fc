package paint

import "strings"

// Style colours text, or leaves it alone. The zero value leaves it alone.
type Style struct{ on bool }

// Coloured is a Style that colours when on.
func Coloured(on bool) Style { return Style{on: on} }

// On says whether the style colours.
func (s Style) On() bool { return s.on }

// Bold is for headings and names.
func (s Style) Bold(text string) string { return s.wrap("1", text) }

// Dim is for what matters least.
func (s Style) Dim(text string) string { return s.wrap("2", text) }

// Good is for what went well.
func (s Style) Good(text string) string { return s.wrap("32", text) }

// Bad is for what went wrong.
func (s Style) Bad(text string) string { return s.wrap("31", text) }

// Warn is for what should be looked at.
func (s Style) Warn(text string) string { return s.wrap("33", text) }

// Accent is for what stands out without being good or bad.
func (s Style) Accent(text string) string { return s.wrap("36", text) }

func (s Style) wrap(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// CleanLines is Clean for a text of several lines, which keeps its lines and tabs.
func CleanLines(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		if i > 0 {
			b.WriteByte('\n')
		}
		for j, cell := range strings.Split(line, "\t") {
			if j > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(Clean(cell))
		}
	}
	return b.String()
}

// Clean replaces what could steer a terminal in a text that comes from elsewhere, such as an adapter or a session id.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case r < 0x20, r == 0x7f, r >= 0x80 && r < 0xa0, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069:
			return '\uFFFD'
		}
		return r
	}, text)
}
