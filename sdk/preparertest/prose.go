package preparertest

import (
	"strings"
	"unicode"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// sentence is how many words in a row make prose.
const sentence = 10

// prose is the first run of words that makes a sentence, or "".
func prose(text string) string {
	run := make([]string, 0, sentence)
	for _, token := range strings.Fields(text) {
		switch word := strings.Trim(token, ".,;:!?()\"'`*_#>“”‘’—–-"); {
		case word == "" && !strings.HasPrefix(token, "--"): // a mark between words
		case isWord(word) && !strings.HasPrefix(token, "-"):
			if run = append(run, word); len(run) == sentence {
				return strings.Join(run, " ")
			}
		default: // code, a path, a flag
			run = run[:0]
		}
	}
	return ""
}

func isWord(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '’' && r != '-' {
			return false
		}
	}
	return s != ""
}

// literals are the texts of a list of parts that an agent sees in one piece: neighbours joined, cut at handles.
func literals(parts []preparer.Value, joint string) []string {
	var out []string
	var b strings.Builder
	cut := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
			b.Reset()
		}
	}
	var walk func([]preparer.Value, string)
	walk = func(parts []preparer.Value, joint string) {
		for _, p := range parts {
			switch p := p.(type) {
			case preparer.String:
				b.WriteString(string(p))
				b.WriteString(joint)
			case preparer.Concat:
				walk(p, "")
				b.WriteString(joint)
			case preparer.Quoted:
				walk([]preparer.Value{p.Value}, joint)
			case preparer.List:
				cut()
				walk(p, " ")
				cut()
			case preparer.Object:
				cut()
				for _, k := range sortedKeys(p) {
					out = append(out, k)
					walk([]preparer.Value{p[k]}, "")
					cut()
				}
			default:
				cut()
			}
		}
	}
	walk(parts, joint)
	cut()
	return out
}

// prose looks at a list of parts.
func (c *checker) prose(where, joint string, parts ...preparer.Value) {
	for _, text := range literals(parts, joint) {
		if found := prose(text); found != "" {
			c.add(Prose, where, "text of the adapter's own: %q ...", found)
			return
		}
	}
}

// canonical checks the body of an instruction channel: documents and paths, and between them nothing with a letter.
func (c *checker) canonical(where string, body []preparer.Value) {
	for _, part := range body {
		switch part := part.(type) {
		case preparer.Text, preparer.PathValue, preparer.InputPath:
			continue
		case preparer.String:
			if !strings.ContainsFunc(string(part), unicode.IsLetter) {
				continue
			}
		}
		c.add(Prose, where, "an instruction channel is built of documents of core's only, not of %T", part)
	}
}
