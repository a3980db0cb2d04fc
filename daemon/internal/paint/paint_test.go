package paint_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

func TestColumnsAlignByWhatIsSeen(t *testing.T) {
	t.Parallel()
	s := paint.Coloured(true)
	var c paint.Columns
	c.Indent = " "
	c.Row(s.Good("é"), "x", "a long last cell that pads nothing")
	c.Row("abc", "yy")
	c.Row()
	var b strings.Builder
	if _, err := c.WriteTo(&b); err != nil {
		t.Fatal(err)
	}
	want := " \x1b[32mé\x1b[0m    x  a long last cell that pads nothing\n abc  yy\n\n"
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestTreeDrawsLinesAndRemarks(t *testing.T) {
	t.Parallel()
	root := &paint.Branch{Name: "session"}
	root.At("codex/config.toml").Remarks = []string{"file", "merged"}
	root.At("codex/skills/ours").Remarks = []string{"link", "bundle"}
	root.At("hooks").Remarks = []string{"dir"}
	var b strings.Builder
	if err := root.Draw(&b, paint.Style{}, ""); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"session",
		"├─ codex/",
		"│  ├─ config.toml  file  merged",
		"│  └─ skills/",
		"│     └─ ours      link  bundle",
		"└─ hooks           dir",
		"",
	}, "\n")
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestStyleOffAddsNothing(t *testing.T) {
	t.Parallel()
	var s paint.Style
	for _, f := range []func(string) string{s.Bold, s.Dim, s.Good, s.Bad, s.Warn, s.Accent} {
		if got := f("text"); got != "text" {
			t.Errorf("got %q", got)
		}
	}
}

func TestCleanStopsTerminalControl(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain é 🎭":      "plain é 🎭",
		"\x1b[31mred":    "\uFFFD[31mred",
		"a\nb\tc":        "a\uFFFDb c",
		"\u202eevil":     "\uFFFDevil",
		"\u009b2Jcsi c1": "\uFFFD2Jcsi c1",
	} {
		if got := paint.Clean(in); got != want {
			t.Errorf("Clean(%q) = %q, want %q", in, got, want)
		}
	}
}
