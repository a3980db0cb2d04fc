package rig_test

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
)

func TestScreenShowsWhatATerminalWould(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ written, want string }{
		"lines":            {"one\r\ntwo", "one\ntwo"},
		"over what is":     {"three\rTH", "THree"},
		"at a place":       {"\x1b[2;3Hx\x1b[1;1Hy", "y\n  x"},
		"forward and back": {"a\x1b[2Cb\x1b[2Dc", "a cb"},
		"up":               {"a\r\nb\x1b[Ac", "ac\nb"},
		"rest of a row":    {"abc\r\x1b[1C\x1b[K", "a"},
		"row":              {"abc\x1b[2Kd", "   d"},
		"all":              {"abc\r\ndef\x1b[2J\x1b[Hx", "x"},
		"below":            {"a\r\nb\r\nc\x1b[1;1H\x1b[J", ""},
		"colours":          {"\x1b[1;38;5;12mred\x1b[0m", "red"},
		"private":          {"\x1b[?25lx\x1b[?2026h\x1b[>1u", "x"},
		"a title":          {"\x1b]0;title\x07x\x1b]8;;http://x\x1b\\y", "xy"},
		"behind the end":   {"123456789", "12345678\n9"},
		"below the end":    {"1\r\n2\r\n3\r\n4\r\n5", "2\n3\n4\n5"},
		"letters":          {"❯ ä", "❯ ä"},
	} {
		for _, size := range []int{1, 2, len(c.written)} { // sequences come in pieces
			screen := rig.NewScreen(4, 8)
			for rest := c.written; rest != ""; {
				n := min(size, len(rest))
				screen.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			if diff := cmp.Diff(c.want, screen.String()); diff != "" {
				t.Errorf("%s, in pieces of %d:\n%s", name, size, diff)
			}
		}
	}
}

func TestTerminalShowsAndTakesKeys(t *testing.T) {
	t.Parallel()
	terminal, err := rig.Sit(exec.Command("sh", "-c", `test -t 0 && stty size && read line && echo "got $line" && sleep 60`), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if _, err := terminal.Shows("50 120"); err != nil {
		t.Fatal(err)
	}
	if err := terminal.Type("key\r"); err != nil {
		t.Fatal(err)
	}
	if word, err := terminal.Shows("never", "got key"); err != nil || word != "got key" {
		t.Errorf("%q, %v", word, err)
	}
	short, err := rig.Sit(exec.Command("echo", "last words"), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer short.Close()
	if _, err := short.Shows("never"); err == nil || !strings.Contains(err.Error(), "last words") {
		t.Errorf("a process that ended: %v", err)
	}
}
