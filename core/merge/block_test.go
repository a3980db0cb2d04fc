package merge_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
)

var marker = merge.Marker{ID: "k3x9"}

const (
	beginLine = "<!-- GREENROOM BEGIN k3x9 (managed; do not edit) -->"
	endLine   = "<!-- GREENROOM END k3x9 -->"
)

func insert(t *testing.T, current string, existed bool, text string) (string, merge.BlockRecord) {
	t.Helper()
	out, rec, err := merge.InsertBlock([]byte(current), existed, marker, text)
	if err != nil {
		t.Fatal(err)
	}
	return string(out), rec
}

func remove(t *testing.T, current string, rec merge.BlockRecord, want merge.Outcome) string {
	t.Helper()
	out, outcome, err := merge.RemoveBlock([]byte(current), marker, rec)
	if err != nil || outcome != want {
		t.Fatalf("%v, outcome %q, want %q", err, outcome, want)
	}
	return string(out)
}

func TestC122_StripKeepsUserText(t *testing.T) {
	t.Parallel()
	with, rec := insert(t, "# Mine\n", true, "Ours.\n")
	same(t, "# Mine\n\n"+beginLine+"\nOurs.\n"+endLine+"\n", with)
	same(t, "# Mine\n", remove(t, with, rec, merge.Stripped))
	same(t, "# Mine\n", remove(t, "# Mine\n", rec, merge.Absent))
}

func TestC124_ReplaceKeepsUserTextAndOneBlock(t *testing.T) {
	t.Parallel()
	with, first := insert(t, "above\n", true, "Old text.")
	with += "below\n"
	next, rec := insert(t, with, true, "New text.\nTwo lines.")
	same(t, "above\n\n"+beginLine+"\nNew text.\nTwo lines.\n"+endLine+"\nbelow\n", next)
	rec = rec.After(first)
	same(t, false, rec.Replaced || rec.Created)
	same(t, "above\nbelow\n", remove(t, next, rec, merge.Stripped))

	text, ok, err := merge.FindBlock([]byte(next), marker)
	if err != nil || !ok || text != "New text.\nTwo lines." {
		t.Errorf("found %q %v %v", text, ok, err)
	}
}

func TestC125_CreatedAndEmpty(t *testing.T) {
	t.Parallel()
	with, rec := insert(t, "", false, "Ours.")
	same(t, true, rec.Created)
	same(t, beginLine+"\nOurs.\n"+endLine+"\n", with)
	same(t, "", remove(t, with, rec, merge.Stripped))
	again, second := insert(t, with, true, "Other.")
	second = second.After(rec)
	same(t, true, second.Created)
	same(t, "", remove(t, again, second, merge.Stripped))
	if _, rec := insert(t, "", true, "Ours."); rec.Created {
		t.Error("an empty file of the user's counts as made by us")
	}
}

func TestC126_UserTextAroundKeptOnRemoval(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ user, before, after, want string }{
		{"mine\n", "", "later\n", "mine\nlater\n"},
		{"mine", "", "later", "mine\nlater"}, // the line that had no end must not run into the next
		{"mine\n", "first\n", "", "first\nmine\n"},
		{"", "first", "last", "first\nlast"},
		{"mine\r\n", "", "later\r\n", "mine\r\nlater\r\n"},
		{"mine\r", "", "later", "mine\r\nlater"},
	} {
		with, rec := insert(t, c.user, true, "Ours.")
		if c.before == "first" {
			with = "\n" + with
		}
		same(t, c.want, remove(t, c.before+with+c.after, rec, merge.Stripped))
	}
}

func TestC138_ByteExact(t *testing.T) {
	t.Parallel()
	for _, user := range []string{
		"", "\n", "\r\n", "x", "x\n", "x\n\n", "x\r\n", "x\r\n\r\n", "x\r\ny", "x\ny\r\n", "\ufeffx\r\n", "\xff\x00\n", "x\r", "  \t",
		"<!-- GREENROOM BEGIN other (managed; do not edit) -->\ntheirs\n<!-- GREENROOM END other -->\n",
		"text with " + endLine + " inside a line\n",
	} {
		first, rec := insert(t, user, true, "One.\n\nTwo.")
		if !strings.HasPrefix(first, user) {
			t.Errorf("%q: the user's text was changed: %q", user, first)
		}
		if strings.Contains(user, "\r\n") && strings.Index(user, "\n") > strings.Index(user, "\r\n") {
			if ours := first[len(user):]; strings.Count(ours, "\n") != strings.Count(ours, "\r\n") {
				t.Errorf("%q: not the line breaks of the file: %q", user, ours)
			}
		}
		second, again := insert(t, first, true, "One.\r\n\r\nTwo.\n")
		same(t, first, second)
		third, more := insert(t, second, true, "Three.")
		same(t, user, remove(t, second, again.After(rec), merge.Stripped))
		same(t, user, remove(t, third, more.After(again.After(rec)), merge.Stripped))
	}
}

func TestC138_LineBreaksChangedSince(t *testing.T) {
	t.Parallel()
	with, rec := insert(t, "mine\n", true, "One.\nTwo.")
	same(t, "mine\r\n", remove(t, strings.ReplaceAll(with, "\n", "\r\n"), rec, merge.Stripped))
	with, rec = insert(t, "mine\r\n", true, "One.\nTwo.")
	same(t, "mine\n", remove(t, strings.ReplaceAll(with, "\r\n", "\n"), rec, merge.Stripped))
}

func TestC140_DamagedMarkers(t *testing.T) {
	t.Parallel()
	block := beginLine + "\nx\n" + endLine + "\n"
	for name, c := range map[string]struct{ current, says string }{
		"twice":          {"a\n" + block + block, "more than once"},
		"nested":         {beginLine + "\n" + block + endLine + "\n", "more than once"},
		"begin only":     {"a\n" + beginLine + "\nx\n", "no end marker"},
		"end only":       {"a\n" + endLine, "no begin marker"},
		"reversed":       {endLine + "\nx\n" + beginLine + "\n", "wrong order"},
		"indented begin": {"  " + beginLine + " \nx\n", "no end marker"},
		"utf-16":         {"\xff\xfea\x00", "utf-16"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, _, err := merge.InsertBlock([]byte(c.current), true, marker, "y")
			wantError(t, err, fault.Conflict, c.says)
			_, _, err = merge.RemoveBlock([]byte(c.current), marker, merge.BlockRecord{})
			wantError(t, err, fault.Conflict, c.says)
			_, _, err = merge.FindBlock([]byte(c.current), marker)
			wantError(t, err, fault.Conflict, c.says)
			if out != nil {
				t.Errorf("an error and an output: %q", out)
			}
		})
	}
	for _, bad := range []struct{ id, text string }{{"", "x"}, {"a b", "x"}, {"-->", "x"}, {"k3x9", "a\n" + beginLine + "\nb"}, {"k3x9", endLine}} {
		_, _, err := merge.InsertBlock(nil, false, merge.Marker{ID: bad.id}, bad.text)
		wantError(t, err, fault.Invalid)
	}
}

func TestC141_EditInsideBlock(t *testing.T) {
	t.Parallel()
	with, rec := insert(t, "mine\n", true, "Ours.")
	edited := strings.Replace(with, "Ours.", "Ours. And mine.", 1)
	same(t, edited, remove(t, edited, rec, merge.Edited))
	blank := strings.Replace(with, "Ours.\n", "Ours.\n\n", 1)
	same(t, blank, remove(t, blank, rec, merge.Edited))
}

// The blocks of another state directory are user text.
func TestForeignBlocks(t *testing.T) {
	t.Parallel()
	other := merge.Marker{ID: "other"}
	theirs, theirRec, err := merge.InsertBlock([]byte("user\n"), true, other, "Theirs.")
	if err != nil {
		t.Fatal(err)
	}
	both, rec := insert(t, string(theirs), true, "Ours.")
	for _, order := range [][2]bool{{true, false}, {false, true}} {
		rest := both
		for _, ours := range order {
			m, r := other, theirRec
			if ours {
				m, r = marker, rec
			}
			out, outcome, err := merge.RemoveBlock([]byte(rest), m, r)
			if err != nil || outcome != merge.Stripped {
				t.Fatal(err, outcome)
			}
			rest = string(out)
		}
		same(t, "user\n", rest)
	}
}
