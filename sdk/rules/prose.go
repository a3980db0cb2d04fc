package rules

import (
	"strings"
	"unicode"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// sentence is how many words in a row make prose.
const sentence = 10

// prose is the first run of words that makes a sentence, or "". It looks twice: at words between blanks, as a person
// writes them with marks and emphasis, and at bare letters between punctuation, as the host does.
func prose(text string) string {
	if run := written(text); run != "" {
		return run
	}
	return spelt(text)
}

// spelt is a run of groups of letters with nothing but blanks and punctuation between them.
func spelt(text string) string {
	start, words, in := 0, 0, false
	for i, r := range text {
		switch {
		case unicode.IsLetter(r) || r == '\'' || r == '’':
			if words == 0 {
				start = i
			}
			if !in {
				words++
				in = true
			}
			if words == sentence {
				return text[start:i] + string(r)
			}
		case unicode.IsSpace(r) || strings.ContainsRune(".,;:!?-", r):
			in = false
		default:
			words, in = 0, false
		}
	}
	return ""
}

func written(text string) string {
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

// canonical checks the body of an instruction channel: documents, and between them nothing but blanks.
func (c *checker) canonical(where string, body []preparer.Value) {
	for _, part := range body {
		switch part := part.(type) {
		case preparer.Text, preparer.SkillCatalog:
			continue
		case preparer.Concat:
			c.canonical(where, part)
			continue
		case preparer.String:
			if strings.TrimSpace(string(part)) == "" {
				continue
			}
		}
		c.add(Prose, where, "an instruction channel is built of documents of core's only, not of %T", part)
	}
}
