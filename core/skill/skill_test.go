package skill_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/skill"
)

const mainText = "---\nname: one\ndescription: what it does\n---\n\n# One\n"

func files(more ...string) map[string][]byte {
	m := map[string][]byte{skill.MainFile: []byte(mainText)}
	for _, name := range more {
		m[name] = []byte("x")
	}
	return m
}

func TestC107_PathsOfFiles(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a.md", "references/a.md", "a/b/c/d", "with blank.md", "ünder.md", ".hidden", "a+b@c"} {
		if err := (skill.Skill{ID: "a", Name: "one", Files: files(good)}).Check(); err != nil {
			t.Errorf("%q: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", ".", "..", "../a", "a/../b", "a//b", "./a", "/a", "a/", `a\b`, `C:\a`, "a:b", "a\x00b", "a\nb", "a\xff",
		"nul", "a/CON", "a/con.md", "lpt9", "COM\u00b9", "a.", "a ", "dir./a", "a?", "a*", "<a", "a|b", strings.Repeat("x", 600),
		"skill.md", "SKILL.md/a", ".tutti-managed-skill", ".TUTTI-managed-skill",
	} {
		err := (skill.Skill{ID: "a", Name: "one", Files: files(bad)}).Check()
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), "skill:a") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	for _, clash := range [][]string{{"a", "A"}, {"a/b", "A/c"}, {"a", "a/b"}, {"a/b", "a/B"}} {
		if err := (skill.Skill{ID: "a", Name: "one", Files: files(clash...)}).Check(); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q together: %v", clash, err)
		}
	}
}

// An id stands in messages and in the marker, as one line that reads as it is.
func TestIDsOfSkills(t *testing.T) {
	t.Parallel()
	for id, good := range map[string]bool{
		"a": true, "host/né 中": true, "```": true, strings.Repeat("x", 256): true, strings.Repeat("x", 257): false,
		"": false, "a\nb": false, "a\x00": false, "a\u0085": false, "a\u2028b": false, "a\u202eb": false, "a\u2066b": false, "\xff": false,
	} {
		if err := (skill.Skill{ID: id, Name: "one", Files: files()}).Check(); (err == nil) != good {
			t.Errorf("%.40q: %v", id, err)
		}
	}
}

func TestC106_MainFileIsNeeded(t *testing.T) {
	t.Parallel()
	for name, main := range map[string]string{
		"none":             "",
		"no front matter":  "# One\n",
		"no end":           "---\nname: one\ndescription: d\n",
		"no name":          "---\ndescription: d\n---\n",
		"blank name":       "---\nname: ' '\ndescription: d\n---\n",
		"no description":   "---\nname: one\n---\n",
		"number as a name": "---\nname: 12\ndescription: d\n---\n",
		"H24 colon":        "---\nname: one\ndescription: Docs: beta\n---\n",
		"key twice":        "---\nname: one\nname: two\ndescription: d\n---\n",
		"a list":           "---\n- name\n---\n",
		"not utf-8":        "---\nname: one\ndescription: \xff\n---\n",
	} {
		s := skill.Skill{ID: "a", Name: "one", Files: map[string][]byte{skill.MainFile: []byte(main)}}
		if name == "none" {
			s.Files = map[string][]byte{"other.md": nil}
		}
		if err := s.Check(); fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), skill.MainFile) && !strings.Contains(err.Error(), "front matter") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, main := range map[string]string{
		"plain":     mainText,
		"dos":       strings.ReplaceAll(mainText, "\n", "\r\n"),
		"bom":       "\xef\xbb\xbf" + mainText,
		"more keys": "---\nname: one\ndescription: d\nlicense: x\nmetadata: {a: [1, 2]}\n---\nbody",
		"empty":     "---\nname: one\ndescription: d\n---",
	} {
		s := skill.Skill{ID: "a", Name: "one", Files: map[string][]byte{skill.MainFile: []byte(main)}}
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestFrontMatterIsLenient(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, name, description string }{
		"plain":          {mainText, "one", "what it does"},
		"a colon":        {"---\nname: one\ndescription: Docs: beta #1\n---\n", "one", "Docs: beta #1"},
		"quoted":         {"---\nname: 'one'\ndescription: \"Docs: beta\"\n---\n", "one", "Docs: beta"},
		"folded":         {"---\nname: one\ndescription: >\n  a\n  b\n---\n", "one", "a b"},
		"no description": {"---\nname: one\n---\n", "one", ""},
		"dos":            {"---\r\nname: one\r\ndescription: a: b\r\n---\r\nx", "one", "a: b"},
		"bom":            {"\xef\xbb\xbf---\nname: one\n---\n", "one", ""},
		"key twice":      {"---\nname: one\nname: two\n---\n", "one", ""},
	} {
		n, d, err := skill.FrontMatter([]byte(test.text))
		if err != nil || n != test.name || d != test.description {
			t.Errorf("%s: it is %q, %q, %v", name, n, d, err)
		}
	}
	for name, text := range map[string]string{
		"empty":     "",
		"none":      "# One\nname: one\n",
		"no end":    "---\nname: one\n",
		"no name":   "---\ndescription: d\n---\n",
		"late name": "---\ndescription: d\n---\nname: one\n",
		"list":      "---\nname: [one]\n---\n",
		"too long":  "---\n" + strings.Repeat("# long\n", 20_000) + "name: one\n---\n",
	} {
		if n, d, err := skill.FrontMatter([]byte(text)); err == nil {
			t.Errorf("%s: it is %q, %q", name, n, d)
		}
	}
}

func FuzzFrontMatter(f *testing.F) {
	for _, seed := range []string{mainText, "---\nname: &a [*a]\n---\n", "---\n: :\n---\n", "---\nname: |\n  x\n---\n", "---\r\n---\r\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		name, _, err := skill.FrontMatter(data)
		if (err == nil) != (name != "") {
			t.Errorf("the name is %q and the error %v", name, err)
		}
		s := skill.Skill{ID: "a", Name: "one", Files: map[string][]byte{skill.MainFile: data}}
		if s.Check() == nil && err != nil {
			t.Errorf("strict reading takes what lenient reading refuses: %v", err)
		}
	})
}

func FuzzMain(f *testing.F) {
	f.Add("one", "Docs: beta #1", "body")
	f.Add("null", "- a\n\tb", "---\n")
	f.Fuzz(func(t *testing.T, name, description, body string) {
		text, err := skill.Main(name, description, []byte(body))
		if err != nil {
			return
		}
		gotName, gotDescription, err := skill.FrontMatter(text)
		if strings.TrimSpace(name) == "" {
			return
		}
		if err != nil || gotName != strings.TrimSpace(name) || gotDescription != strings.TrimSpace(description) {
			t.Errorf("%q, %q come back as %q, %q, %v from\n%s", name, description, gotName, gotDescription, err, text)
		}
	})
}
