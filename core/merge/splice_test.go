package merge_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func spliced(text any) merge.Edit {
	return merge.Edit{Op: preparer.OpSplice, Path: key("developer_instructions"), Value: text}
}

// Our part is appended to what the user wrote, replaced in place, and taken out without a trace.
func TestC218_Splice(t *testing.T) {
	t.Parallel()
	for _, format := range formats {
		for _, user := range []string{"Be brief.", "Be brief.\n", "Two\n\nparts.\n\n", "\n", "crlf\r\nline\r\n", "\"'''\t"} {
			base, err := merge.Encode(format, object{"developer_instructions": user, "x": true})
			if err != nil {
				t.Fatal(err)
			}
			with := apply(t, format, string(base), spliced("Ours.\r\nTwo lines.\n"))
			text := parse(t, format, with)["developer_instructions"].(string)
			if !strings.HasPrefix(text, user) || !strings.Contains(text, "\nOurs.\nTwo lines.\n") {
				t.Fatalf("spliced: %q", text)
			}
			same(t, with, apply(t, format, with, spliced("Ours.\nTwo lines.")))
			other := parse(t, format, apply(t, format, with, spliced("New.")))["developer_instructions"].(string)
			if strings.Contains(other, "Ours") || strings.Count(other, "BEGIN") != 1 || !strings.HasPrefix(other, user) {
				t.Fatalf("replaced: %q", other)
			}
			without := apply(t, format, with, spliced(""))
			if strings.TrimSpace(user) == "" {
				same(t, object{"x": true}, parse(t, format, without))
				continue
			}
			same(t, object{"developer_instructions": user, "x": true}, parse(t, format, without))
		}
		made := apply(t, format, "", spliced("Ours."))
		same(t, object{}, parse(t, format, apply(t, format, made, spliced(""))))
	}
}

func TestC218_SpliceKeepsWhatFollows(t *testing.T) {
	t.Parallel()
	text := parse(t, preparer.JSON, apply(t, preparer.JSON, `{"developer_instructions":"a"}`, spliced("ours")))["developer_instructions"].(string)
	base := apply(t, preparer.JSON, "{}", merge.Edit{Op: preparer.OpSet, Path: key("developer_instructions"), Value: text + "\nmore"})
	same(t, object{"developer_instructions": "a\nmore"}, parse(t, preparer.JSON, apply(t, preparer.JSON, base, spliced(""))))
	// A text of the user's own that is empty is not ours to drop.
	same(t, "{\"developer_instructions\":\"\"}", apply(t, preparer.JSON, `{"developer_instructions":""}`, spliced("")))
}

func TestC140_SpliceRefusesDamagedParts(t *testing.T) {
	t.Parallel()
	const begin, end = "<!-- GREENROOM BEGIN (managed; do not edit) -->", "<!-- GREENROOM END -->"
	for _, damaged := range []string{begin, end, end + "\n" + begin, begin + "\nx\n" + end + "\n" + begin + "\ny\n" + end} {
		base, err := merge.Encode(preparer.TOML, object{"developer_instructions": "sk-canary\n" + damaged})
		if err != nil {
			t.Fatal(err)
		}
		refused(t, preparer.TOML, string(base), fault.Conflict, []string{"developer_instructions", "line 1", "marker"}, spliced("x"))
		refused(t, preparer.TOML, string(base), fault.Conflict, []string{"developer_instructions"}, spliced(""))
	}
	refused(t, preparer.TOML, "", fault.LayoutRefused, []string{"marker"}, spliced("a\n"+end+"\nb"))
}
