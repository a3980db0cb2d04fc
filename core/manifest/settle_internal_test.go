package manifest

import (
	"fmt"
	"testing"
)

func TestH01_Verdict(t *testing.T) {
	t.Parallel()
	at := func(when string) string { return fmt.Sprintf(`{"a":{"t":%s},"x":1e999}`, when) }
	old, recent := at(`"2026-01-01T00:00:00Z"`), at(`"2026-01-01T00:00:01+00:00"`)
	const gone = "-"
	for name, c := range map[string]struct {
		baseline, mine, theirs string
		json, fresher, copied  bool
		want                   Settled
	}{
		"equal":                         {old, recent, recent, true, true, false, Relinked},
		"equal copies":                  {old, recent, recent, true, true, true, Untouched},
		"newer here":                    {old, recent, old, true, true, false, Published},
		"newer there":                   {recent, old, recent, true, true, false, Relinked},
		"newer here, both changed":      {"base", recent, old, true, true, false, Published},
		"newer there, both changed":     {"base", old, recent, true, true, false, Relinked},
		"no age, only here":             {"base", "mine", "base", false, false, false, Published},
		"no age, both":                  {"base", "mine", "theirs", false, false, false, Disputed},
		"same age, both":                {"base", old, old[:len(old)-1] + " }", true, true, false, Disputed},
		"no age here":                   {old, `{"a":{}}`, old, true, true, false, Published},
		"no age here, both":             {"base", `{"a":{}}`, old, true, true, false, Disputed},
		"age is a word":                 {"base", at(`"today"`), old, true, true, false, Disputed},
		"broken here":                   {old, `{"a":`, old, true, true, false, Disputed},
		"broken there":                  {"base", recent, `{"a":`, true, true, false, Disputed},
		"user logged out":               {old, recent, gone, true, true, false, Disputed},
		"never was there":               {gone, recent, gone, true, true, false, Published},
		"copy that nobody touched":      {old, old, recent, true, false, true, Relinked},
		"copy that the client rewrote":  {old, recent, old, true, false, true, Published},
		"copy, both":                    {"base", "[1]", "[2]", true, false, true, Disputed},
		"seconds":                       {"base", at("1800000001"), at("1800000000"), true, true, false, Published},
		"milliseconds":                  {"base", at("1800000000001"), at("1800000000002"), true, true, false, Relinked},
		"numbers that are none of time": {"base", at("-5"), at("1"), true, true, false, Disputed},
		"too large a number":            {"base", at("1e300"), at("1"), true, true, false, Disputed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &Login{JSON: c.json, Copy: c.copied}
			if c.baseline != gone {
				l.Baseline = Digest([]byte(c.baseline))
			}
			if c.fresher {
				l.Fresher = []string{"a", "t"}
			}
			theirs, exists := []byte(c.theirs), c.theirs != gone
			if !exists {
				theirs = nil
			}
			if got := verdict(l, []byte(c.mine), theirs, exists); got != c.want {
				t.Errorf("verdict %s, want %s", got, c.want)
			}
		})
	}
}

func TestGitIndexLists(t *testing.T) {
	t.Parallel()
	// Entries of version 4: flags with the length of the name, how much to cut off the name before, the rest, NUL.
	four := func(entries ...string) []byte {
		index := []byte("DIRC\x00\x00\x00\x04\x00\x00\x00\x02")
		before := ""
		for _, name := range entries {
			same := 0
			for same < len(before) && same < len(name) && before[same] == name[same] {
				same++
			}
			index = append(index, make([]byte, 60)...)
			index = append(index, byte(len(name)>>8), byte(len(name)), byte(len(before)-same))
			index = append(append(index, name[same:]...), 0)
			before = name
		}
		return index
	}
	for name, c := range map[string]struct {
		index []byte
		path  string
		want  bool
	}{
		"first":               {four("AGENTS.md", "main.go"), "AGENTS.md", true},
		"shares its start":    {four("AGENTS.local", "AGENTS.md"), "AGENTS.md", true},
		"shares almost all":   {four("docs/AGENTS.mc", "docs/AGENTS.md"), "docs/AGENTS.md", true},
		"below a directory":   {four("AGENTS.txt", "docs/AGENTS.md"), "AGENTS.md", false},
		"not there":           {four("ABC", "main.go"), "AGENTS.md", false},
		"no index":            {[]byte("nonsense AGENTS.md\x00"), "AGENTS.md", false},
		"empty":               {nil, "AGENTS.md", false},
		"cut":                 {four("AGENTS.md")[:70], "AGENTS.md", false},
		"at the very start":   {[]byte("AGENTS.md\x00"), "AGENTS.md", false},
		"longer than a byte":  {four("a/" + string(make([]byte, 300)) + "/AGENTS.md"), "AGENTS.md", false},
		"extended flags come": {[]byte("DIRC\x00\x00\x00\x03\x00\x00\x00\x01" + string(make([]byte, 60)) + "\x40\x09\x20\x00AGENTS.md\x00"), "AGENTS.md", true},
	} {
		if got := listed(c.index, c.path); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}
