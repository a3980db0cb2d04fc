package core

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// blockStage is a stage whose client takes its instructions from a file of the workspace.
func blockStage(t *testing.T) *stage {
	return newStage(t, prop{provider: "prop", workspace: true})
}

// told makes a host over the same state that tells agents another text.
func (s *stage) told(word string, p prop) *Host {
	return s.open(func(c *Config) { c.Content = nonce(s.t, word) }, p)
}

func TestC136_SessionsShareOneBlock(t *testing.T) {
	t.Parallel()
	orders := [][]string{{"a", "b", "c"}, {"a", "c", "b"}, {"b", "a", "c"}, {"b", "c", "a"}, {"c", "a", "b"}, {"c", "b", "a"}}
	for name, original := range map[string]*string{
		"no file": nil, "empty": ptr(""), "plain": ptr("# Mine\n"), "C138 no newline": ptr("# Mine"), "C138 crlf": ptr("# Mine\r\nmore\r\n"),
		"C138 crlf without newline": ptr("a\r\nb"), "blank lines": ptr("x\n\n\n"), "bom": ptr("\ufeff# Mine\n"), "not utf-8": ptr("caf\xe9\n"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, order := range orders {
				s := blockStage(t)
				if original != nil {
					s.write("work/AGENTS.md", *original)
					if err := os.Chmod(s.path("work/AGENTS.md"), 0o640); err != nil {
						t.Fatal(err)
					}
				}
				before := snapshot(t, s.cwd, false)
				for _, id := range []string{"a", "b", "c", "a"} {
					s.prepare(s.session(id))
				}
				for i, id := range order {
					got := s.read(s.path("work/AGENTS.md"))
					if n := strings.Count(got, "GREENROOM BEGIN"); n != 1 {
						t.Errorf("%v: %d blocks before clean-up %d, want 1", order, n, i)
					}
					if original != nil && !strings.HasPrefix(got, *original) {
						t.Errorf("%v: the user's text does not come first, unchanged: %q", order, got)
					}
					s.cleanup(s.session(id))
				}
				if diff := cmp.Diff(before, snapshot(t, s.cwd, false)); diff != "" {
					t.Errorf("I5: order %v leaves (-before +after):\n%s", order, diff)
				}
				if left := s.left(); len(left) != 0 {
					t.Errorf("%v: left: %v", order, left)
				}
			}
		})
	}
}

func ptr(s string) *string { return &s }

func TestC126_UserTextAroundTheBlockIsKept(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.prepare(s.session("one"))
	file := s.path("work/AGENTS.md")
	s.write("work/AGENTS.md", "above\n"+s.read(file)+"below\n")
	s.prepare(s.session("one"))
	if n := strings.Count(s.read(file), "GREENROOM BEGIN"); n != 1 {
		t.Errorf("C124: %d blocks, want 1", n)
	}
	s.cleanup(s.session("one"))
	if got := s.read(file); got != "above\nbelow\n" {
		t.Errorf("after clean-up %q", got)
	}
}

func TestC124_NewTextReplacesTheOld(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.write("work/AGENTS.md", "mine")
	s.prepare(s.session("one"))
	h := s.told("zebra", prop{provider: "prop", workspace: true})
	if _, err := h.Prepare(t.Context(), s.session("one")); err != nil {
		t.Fatal(err)
	}
	got := s.read(s.path("work/AGENTS.md"))
	if !strings.Contains(got, "zebra instructions") || strings.Contains(got, "Tutti") || strings.Count(got, "GREENROOM BEGIN") != 1 {
		t.Errorf("file is %q", got)
	}
	s.cleanup(s.session("one"))
	if got := s.read(s.path("work/AGENTS.md")); got != "mine" {
		t.Errorf("after clean-up %q", got)
	}
}

func TestC136_AnotherTextNeverReplacesThatOfAnotherSession(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.prepare(s.session("one"))
	before := s.read(s.path("work/AGENTS.md"))

	_, err := s.told("zebra", prop{provider: "prop", workspace: true}).Prepare(t.Context(), s.session("two"))
	if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "workspace:AGENTS.md") {
		t.Errorf("error %v, want %v that names the file", err, ErrConflict)
	}
	checkError(t, s, "conflict", err)

	spills := s.told("zebra", prop{provider: "prop", workspace: true, spill: true})
	ex, err := spills.Explain(t.Context(), s.session("two"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := spills.Prepare(t.Context(), s.session("two"))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(p.firstPrompt, "zebra instructions") {
		t.Errorf("first prompt is %q", p.firstPrompt)
	}
	if ex.Prepared.firstPrompt != p.firstPrompt {
		t.Error("explain says another first prompt")
	}
	for _, n := range ex.Tree {
		if n.Kind == "block" {
			t.Error("explain says that there will be a block")
		}
	}
	if got := s.read(s.path("work/AGENTS.md")); got != before {
		t.Errorf("the block of the other session changed: %q", got)
	}
	s.cleanup(s.session("one"))
	if p, err = spills.Prepare(t.Context(), s.session("two")); err != nil {
		t.Fatal(err)
	}
	if got := s.read(s.path("work/AGENTS.md")); !strings.Contains(got, "zebra") || p.firstPrompt != "" {
		t.Errorf("now that nobody holds it, the file is %q and the first prompt %q", got, p.firstPrompt)
	}
	s.cleanup(s.session("two"))
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := os.Lstat(s.path("work/AGENTS.md")); err == nil {
		t.Error("C125: the file is left")
	}
}

func TestC139_LinksAndOthersInThePlaceOfTheFileAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		make func(s *stage) error
		want Code
	}{
		"a link":          {func(s *stage) error { return os.Symlink(s.path("outside.md"), s.path("work/AGENTS.md")) }, ErrLinkRefused},
		"a dangling link": {func(s *stage) error { return os.Symlink(s.path("nowhere.md"), s.path("work/AGENTS.md")) }, ErrLinkRefused},
		"a hard link":     {func(s *stage) error { return os.Link(s.path("outside.md"), s.path("work/AGENTS.md")) }, ErrLinkRefused},
		"a directory":     {func(s *stage) error { return os.Mkdir(s.path("work/AGENTS.md"), 0o755) }, ErrNotRegular},
		"a fifo":          {func(s *stage) error { return mkfifo(s.path("work/AGENTS.md")) }, ErrNotRegular},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := blockStage(t)
			s.write("outside.md", "outside\n")
			if err := c.make(s); err != nil {
				t.Skip(err)
			}
			before := snapshot(t, s.dir, false)
			_, err := s.host.Prepare(t.Context(), s.session("one"))
			if !errors.Is(err, c.want) {
				t.Errorf("error %v, want %v", err, c.want)
			}
			checkError(t, s, name, err)
			if left := s.left(); len(left) != 0 {
				t.Errorf("left: %v", left)
			}
			after := snapshot(t, s.dir, false)
			for p := range after {
				if p == "state" || strings.HasPrefix(p, "state/") {
					delete(after, p)
				}
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("something changed:\n%s", diff)
			}
		})
	}
}

func TestC140_BrokenMarkersAreAnError(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.prepare(s.session("one"))
	whole := s.read(s.path("work/AGENTS.md"))
	s.cleanup(s.session("one"))
	lines := strings.Split(strings.TrimSpace(whole), "\n")
	begin, end := lines[0], lines[len(lines)-1]
	for name, text := range map[string]string{
		"twice": whole + whole, "no end": begin + "\nx\n", "no begin": "x\n" + end + "\n", "reversed": end + "\n" + begin + "\n",
	} {
		s.write("work/AGENTS.md", text)
		_, err := s.host.Prepare(t.Context(), s.session("one"))
		if !errors.Is(err, ErrConflict) || !strings.Contains(err.Error(), "AGENTS.md") {
			t.Errorf("%s: error %v, want %v that names the file", name, err, ErrConflict)
		}
		if got := s.read(s.path("work/AGENTS.md")); got != text {
			t.Errorf("%s: file is %q", name, got)
		}
		if left := s.left(); len(left) != 0 {
			t.Errorf("%s: left: %v", name, left)
		}
	}
}

func TestC141_EditInsideTheBlockIsReportedAndKept(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.prepare(s.session("one"))
	s.prepare(s.session("two"))
	file := s.path("work/AGENTS.md")
	edited := strings.Replace(s.read(file), "\n", "\nmy own line\n", 1)
	s.write("work/AGENTS.md", edited)
	if _, err := s.host.Prepare(t.Context(), s.session("one")); !errors.Is(err, ErrConflict) {
		t.Errorf("preparing again: %v, want %v", err, ErrConflict)
	}
	if r := s.cleanup(s.session("one")); len(r.Kept) != 0 {
		t.Errorf("kept %v while another session holds the block", r.Kept)
	}
	r := s.cleanup(s.session("two"))
	if len(r.Kept) != 1 || r.Kept[0].Place != "workspace:AGENTS.md" || !strings.Contains(r.Kept[0].Reason, "edited") {
		t.Errorf("kept %v", r.Kept)
	}
	if got := s.read(file); got != edited {
		t.Errorf("file is %q", got)
	}
	// What was kept is the user's now.
	if _, err := s.host.Prepare(t.Context(), s.session("three")); !errors.Is(err, ErrConflict) {
		t.Errorf("a later session: %v, want %v", err, ErrConflict)
	}
	if got := s.read(file); got != edited {
		t.Errorf("a later session made of it %q", got)
	}
}

func TestC125_FileThatGitTracksStays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gitdir  string // where the index lies
		pointer string // content of a .git file in the workspace, if any
		tracked []string
		stays   bool
	}{
		"tracked":                 {"work/.git", "", []string{"AGENTS.md", "main.go"}, true},
		"in a directory above":    {".git", "", []string{"work/AGENTS.md"}, true},
		"in a worktree":           {"repo/.git/worktrees/w", "gitdir: ../repo/.git/worktrees/w\n", []string{"AGENTS.md"}, true},
		"not tracked":             {"work/.git", "", []string{"main.go"}, false},
		"another of that name":    {"work/.git", "", []string{"docs/AGENTS.md", "AGENTS.md.txt"}, false},
		"a worktree without it":   {"repo/.git/worktrees/w", "gitdir: ../repo/.git/worktrees/w\n", []string{"docs/AGENTS.md"}, false},
		"a pointer that is none":  {"repo/.git", "nonsense", []string{"AGENTS.md"}, false},
		"an index that is no use": {"work/.git", "", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := blockStage(t)
			s.write(c.gitdir+"/index", gitIndex(c.tracked))
			if c.pointer != "" {
				s.write("work/.git", c.pointer)
			}
			s.prepare(s.session("one"))
			s.cleanup(s.session("one"))
			data, err := os.ReadFile(s.path("work/AGENTS.md"))
			if c.stays && (err != nil || len(data) != 0) {
				t.Errorf("the file is %q, %v; want it empty", data, err)
			}
			if !c.stays && err == nil {
				t.Error("a file that git does not track was left")
			}
		})
	}
}

// gitIndex is an index of version 2 with the paths, in the form that git writes.
func gitIndex(paths []string) string {
	var b strings.Builder
	b.WriteString("DIRC\x00\x00\x00\x02\x00\x00\x00")
	b.WriteByte(byte(len(paths)))
	for _, p := range paths {
		entry := strings.Repeat("\x01", 40) + strings.Repeat("\xab", 20) + "\x00" + string(rune(len(p))) + p + "\x00"
		for len(entry)%8 != 0 {
			entry += "\x00"
		}
		b.WriteString(entry)
	}
	return b.String() + strings.Repeat("\xcd", 20)
}

func TestC134_FileThatBecameALinkIsKeptAndSaid(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.prepare(s.session("one"))
	if err := os.Rename(s.path("work/AGENTS.md"), s.path("moved.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(s.path("moved.md"), s.path("work/AGENTS.md")); err != nil {
		t.Skip("links cannot be made here")
	}
	before := s.read(s.path("moved.md"))
	r := s.cleanup(s.session("one"))
	if len(r.Kept) != 1 || r.Kept[0].Place != "workspace:AGENTS.md" || !strings.Contains(r.Kept[0].Reason, "a link stands") {
		t.Errorf("kept %v", r.Kept)
	}
	if got := s.read(s.path("moved.md")); got != before {
		t.Errorf("the file behind the link is %q", got)
	}
}

func TestBlockIsGivenUpWhenItIsNotWantedAnyMore(t *testing.T) {
	t.Parallel()
	s := blockStage(t)
	s.write("work/AGENTS.md", "mine\n")
	s.prepare(s.session("one"))
	bad := s.open(nil, prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
		l.Check(preparer.Session("prop/config.toml"), preparer.CheckTOML, preparer.Key("nothing"))
	}})
	before := s.read(s.path("work/AGENTS.md"))
	if _, err := bad.Prepare(t.Context(), s.session("one")); !errors.Is(err, ErrCheckFailed) {
		t.Errorf("a preparation that fails: %v", err)
	}
	if got := s.read(s.path("work/AGENTS.md")); got != before {
		t.Errorf("after it the file is %q", got)
	}
	if in, err := s.host.Session(t.Context(), s.session("one").Ref()); err != nil || in.State != "incomplete" {
		t.Errorf("after it the session is %s, %v", in.State, err)
	}
	plain := s.open(nil, prop{provider: "prop"})
	p, err := plain.Prepare(t.Context(), s.session("one"))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.read(s.path("work/AGENTS.md")); got != "mine\n" {
		t.Errorf("file is %q", got)
	}
	if got := s.read(filepath.Join(p.Dir, "prop/RULES.md")); !strings.Contains(got, "GREENROOM BEGIN") {
		t.Errorf("rules are %q", got)
	}
	s.cleanup(s.session("one"))
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestBlockInADirectoryOfOurs(t *testing.T) {
	t.Parallel()
	deep := func(_ preparer.Request, l *preparer.Layout) {
		l.Block(preparer.Workspace("a/b/NOTES.md"), []preparer.Base{preparer.Current(), preparer.Empty()}, preparer.Text{Document: "instructions"})
	}
	s := newStage(t, prop{provider: "prop", extra: deep})
	before := snapshot(t, s.cwd, false)
	s.prepare(s.session("one"))
	s.prepare(s.session("two"))
	s.cleanup(s.session("one"))
	s.cleanup(s.session("two"))
	if diff := cmp.Diff(before, snapshot(t, s.cwd, false)); diff != "" {
		t.Errorf("left in the workspace:\n%s", diff)
	}
	s.prepare(s.session("one"))
	s.write("work/a/theirs.txt", "theirs")
	s.cleanup(s.session("one"))
	if got := snapshot(t, s.cwd, false); got["a/theirs.txt"] == "" || got["a/b"] != "" {
		t.Errorf("workspace is %v", got)
	}
}
