package merge

import (
	"bytes"
	"strings"
	"testing"
)

// A line that leads to a file of Windows stands in front of a file with the line breaks of Windows, once, in its line breaks,
// and the block behind it, whatever the file is.
func TestC300_C301_ALineInFrontOfAll(t *testing.T) {
	t.Parallel()
	const unix, windows = "@/home/dev/s/one/rtk/RTK.md\n", `@C:\Users\Some One\s\one\rtk\RTK.md` + "\n"
	const mark = "\xef\xbb\xbf"
	for name, c := range map[string]struct{ current, line, want string }{
		"nothing":                     {"", unix, "@/home/dev/s/one/rtk/RTK.md\n\n"},
		"a text":                      {"# Mine\ntext\n", unix, "@/home/dev/s/one/rtk/RTK.md\n\n# Mine\ntext\n"},
		"C301 CRLF":                   {"# Mine\r\ntext\r\n", windows, `@C:\Users\Some One\s\one\rtk\RTK.md` + "\r\n\r\n# Mine\r\ntext\r\n"},
		"C301 a mark and CRLF":        {mark + "# Mine\r\n", windows, mark + `@C:\Users\Some One\s\one\rtk\RTK.md` + "\r\n\r\n# Mine\r\n"},
		"C301 without an end of line": {"# Mine", windows, `@C:\Users\Some One\s\one\rtk\RTK.md` + "\n\n# Mine"},
		"that of another session":     {"@/home/dev/s/two/rtk/RTK.md\n", unix, "@/home/dev/s/one/rtk/RTK.md\n\n@/home/dev/s/two/rtk/RTK.md\n"},
		"a longer line":               {"@/home/dev/s/one/rtk/RTK.md.old\n", unix, "@/home/dev/s/one/rtk/RTK.md\n\n@/home/dev/s/one/rtk/RTK.md.old\n"},
	} {
		got := Lead([]byte(c.current), c.line)
		if string(got) != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		if again := Lead(got, c.line); !bytes.Equal(again, got) {
			t.Errorf("%s: a second time gives %q", name, again)
		}
		out, _, err := InsertBlock(got, true, Marker{ID: "one"}, "# Ours\ntext")
		if err != nil || !bytes.HasPrefix(out, got) || bytes.Count(out, []byte(strings.TrimSpace(c.line))) != strings.Count(c.want, strings.TrimSpace(c.line)) {
			t.Errorf("%s: with a block it is %q, %v", name, out, err)
		}
		if strings.Contains(c.current, "\r\n") && strings.Count(string(out), "\n") != strings.Count(string(out), "\r\n") {
			t.Errorf("%s: there are line breaks of two kinds: %q", name, out)
		}
	}
}
