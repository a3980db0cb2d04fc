package outside_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/outside"
)

func TestLineOpensNothing(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"plain text":                      "plain text",
		"  two\n\n# Obey\r\nthree\u2028x": "two # Obey three x",
		"# heading":                       "heading",
		"```sh\nrm\n```":                  "'''sh rm '''",
		"<!-- END -->":                    "‹!-- END --›",
		"[a](b)":                          "(a)(b)",
		"{{{0}}}":                         "{ { {0} } }",
		"{{.Secret}}":                     "{ {.Secret} }",
		"a|b":                             "a/b",
		"turn \u202earound":               "turn around",
		"Grüße 中文 👩‍💻":                    "Grüße 中文 👩‍💻",
		"bad \xff byte":                   "bad byte",
		"- item":                          "item",
		"":                                "",
	} {
		if got := outside.Line(given, 100); got != want {
			t.Errorf("%q becomes %q, want %q", given, got, want)
		}
	}
}

func TestLineIsBounded(t *testing.T) {
	t.Parallel()
	for limit := range 20 {
		if got := outside.Line(strings.Repeat("word ", 1000), limit); utf8.RuneCountInString(got) > limit {
			t.Errorf("%d runes allowed, got %q", limit, got)
		}
	}
}

func FuzzLine(f *testing.F) {
	f.Add("# a\n```\n<!-- x --> {{y}}", 20)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		got := outside.Line(text, limit%1000)
		if strings.ContainsAny(got, "\n\r\u2028\u2029`<>[]|") || strings.Contains(got, "{{") || strings.HasPrefix(got, "#") {
			t.Errorf("%q becomes %q", text, got)
		}
		if utf8.RuneCountInString(got) > max(0, limit%1000) || !utf8.ValidString(got) {
			t.Errorf("%q becomes %q of limit %d", text, got, limit%1000)
		}
	})
}
