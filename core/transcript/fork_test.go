package transcript_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/transcript"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	id    = "0199aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee"
	other = "0199aaaa-bbbb-7ccc-8ddd-ffffffffffff"
	name  = "home/sessions/2026/11/30/rollout-2026-11-30T10-00-00-" + id + ".jsonl"
	filed = "home/archived/rollout-2026-11-30T10-00-00-" + id + ".jsonl"

	head = `{"type":"session_meta","payload":{"id":"` + id + `"}}` + "\n"
	one  = `{"n":1}` + "\n"
	two  = `{"n":2}` + "\n"
)

var at = preparer.Transcripts{Dirs: []string{"home/sessions", "home/archived"}, Suffix: ".jsonl", ID: preparer.Key("payload", "id")}

// trees are the two sides, with the files that a case wants.
func trees(t *testing.T, from, to map[string]string) (source, target *fsroot.Tree) {
	t.Helper()
	side := func(files map[string]string) *fsroot.Tree {
		dir := t.TempDir()
		for rel, text := range files {
			path := filepath.Join(dir, filepath.FromSlash(rel))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			var err error
			if to, link := strings.CutPrefix(text, "-> "); link {
				err = os.Symlink(to, path)
			} else {
				err = os.WriteFile(path, []byte(text), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		tree, err := fsroot.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { tree.Close() })
		return tree
	}
	return side(from), side(to)
}

// files are all files of a tree, with what they hold or where they lead.
func files(t *testing.T, tree *fsroot.Tree) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(tree.Path(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel(tree.Path(), path)
		if d.Type()&os.ModeSymlink != 0 {
			to, err := os.Readlink(path)
			all[filepath.ToSlash(rel)] = "-> " + to
			return err
		}
		data, err := os.ReadFile(path)
		all[filepath.ToSlash(rel)] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestFork(t *testing.T) {
	t.Parallel()
	type tree = map[string]string
	source := tree{name: head + one}
	for label, c := range map[string]struct {
		from, to, want tree
	}{
		"C281 exact copy":                      {source, nil, tree{name: head + one}},
		"C281 found by its first record":       {tree{"home/sessions/other-name.jsonl": head + one}, nil, tree{"home/sessions/other-name.jsonl": head + one}},
		"C281 again":                           {source, source, source},
		"C281 last line without a break":       {tree{name: head + `{"n":1}`}, nil, tree{name: head + `{"n":1}`}},
		"C283 corrupt tail is repaired":        {source, tree{name: head + `{"n":`}, source},
		"C283 tail of other bytes":             {source, tree{name: head + one + "\x00\x00\x00"}, source},
		"C284 an archived one where it lies":   {source, tree{filed: head}, tree{filed: head + one}},
		"C284 an archived one that is whole":   {source, tree{filed: head + one}, tree{filed: head + one}},
		"C286 truncated at a record":           {source, tree{name: head}, source},
		"C287 appended history is kept":        {source, tree{name: head + one + two}, tree{name: head + one + two}},
		"C287 behind a line without a break":   {tree{name: head + `{"n":1}`}, tree{name: head + one + two}, tree{name: head + one + two}},
		"others beside it stay":                {tree{name: head + one, "home/sessions/x.txt": "note"}, tree{"home/sessions/2026/y.jsonl": two}, tree{name: head + one, "home/sessions/2026/y.jsonl": two}},
		"a link of another conversation stays": {tree{name: head + one, "home/sessions/" + other + ".jsonl": "-> /nowhere"}, nil, tree{name: head + one}},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			from, to := trees(t, c.from, c.to)
			if err := transcript.Fork(t.Context(), from, to, at, id); err != nil {
				t.Fatal(err)
			}
			same(t, c.want, files(t, to))
			same(t, c.from, files(t, from))
			fi, err := to.Lstat(filepath.ToSlash(first(c.want)))
			if err != nil || fi.Mode().Perm()&0o077 != 0 {
				t.Errorf("mode %v, %v", fi.Mode(), err)
			}
		})
	}
}

func first(files map[string]string) string {
	for _, rel := range []string{name, filed, "home/sessions/other-name.jsonl"} {
		if _, ok := files[rel]; ok {
			return rel
		}
	}
	return ""
}

func same(t *testing.T, want, got map[string]string) {
	t.Helper()
	for rel, text := range want {
		if got[rel] != text {
			t.Errorf("%s holds %q, want %q", rel, got[rel], text)
		}
	}
	for rel := range got {
		if _, wanted := want[rel]; !wanted {
			t.Errorf("%s is there", rel)
		}
	}
}

func TestForkRefuses(t *testing.T) {
	t.Parallel()
	type tree = map[string]string
	source := tree{name: head + one}
	wrong := strings.ReplaceAll(head, id, other)
	for label, c := range map[string]struct {
		from, to tree
		code     fault.Code
		says     string
	}{
		"C281 not found":                      {tree{"home/sessions/x.jsonl": wrong}, nil, fault.Transcript, "not found"},
		"C281 no directory at all":            {nil, nil, fault.Transcript, "not found"},
		"C281 twice":                          {tree{name: head, filed: head}, nil, fault.Transcript, "several files"},
		"C281 twice in the target":            {source, tree{name: head, filed: head}, fault.Transcript, "several files"},
		"C282 another id in the first record": {tree{name: wrong + one}, nil, fault.Transcript, "names another conversation"},
		"C282 no id in the first record":      {tree{name: one}, nil, fault.Transcript, "names another conversation"},
		"C285 damaged without identity":       {source, tree{name: "\x00\x00"}, fault.Transcript, "cannot be told"},
		"C285 empty":                          {source, tree{name: ""}, fault.Transcript, "cannot be told"},
		"C285 another identity":               {source, tree{name: wrong}, fault.Transcript, "cannot be told"},
		"C288 history and a corrupt tail":     {source, tree{name: head + one + two + `{"n":`}, fault.Transcript, "its end there is damaged"},
		"C289 diverged":                       {source, tree{name: head + two}, fault.Transcript, "in another way"},
		"C289 diverged within a line":         {source, tree{name: head + `{"n":1,"m":2}` + "\n"}, fault.Transcript, "in another way"},
		"C290 corrupt tail in the source":     {tree{name: head + `{"n":`}, nil, fault.Transcript, "no record"},
		"C290 a list in the source":           {tree{name: head + "[1]\n"}, nil, fault.Transcript, "no record"},
		"C290 a blank line in the source":     {tree{name: head + "\n" + one}, nil, fault.Transcript, "no record"},
		"C290 an empty source":                {tree{name: ""}, nil, fault.Transcript, "no record"},
		"C291 link in the source":             {tree{name: "-> ../elsewhere", "home/sessions/elsewhere": head}, nil, fault.LinkRefused, "a link stands"},
		"C291 link in the target":             {source, tree{name: "-> /nowhere/at/all"}, fault.LinkRefused, "a link stands"},
		"C291 link above the target":          {source, tree{"home/sessions/2026": "-> ../../elsewhere", "elsewhere/11/30/" + filepath.Base(name): head + one}, fault.LinkRefused, ""},
		"C291 linked directory in the source": {tree{"home/sessions/2026": "-> ../../elsewhere", "elsewhere/11/30/" + filepath.Base(name): head + one}, nil, fault.Transcript, "not found"},
		"C291 linked directory as the source": {tree{"home/sessions": "-> ../elsewhere", "elsewhere/" + filepath.Base(name): head + one}, nil, fault.LinkRefused, ""},
		"C291 link above the source":          {tree{"home": "-> elsewhere", "elsewhere/sessions/" + filepath.Base(name): head + one}, nil, fault.LinkRefused, ""},
	} {
		t.Run(label, func(t *testing.T) {
			t.Parallel()
			from, to := trees(t, c.from, c.to)
			err := transcript.Fork(t.Context(), from, to, at, id)
			if fault.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v, want %s that says %q", err, c.code, c.says)
			}
			if err != nil && strings.Contains(err.Error(), to.Path()) {
				t.Errorf("%q names a path of the machine", err)
			}
			same(t, c.from, files(t, from))
			same(t, c.to, files(t, to))
		})
	}
}

func TestForkStopsWhenItsTimeIsUp(t *testing.T) {
	t.Parallel()
	from, to := trees(t, map[string]string{name: head}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := transcript.Fork(ctx, from, to, at, id); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// Whatever two sides hold, a fork never loses a whole record of the target and never leaves half a file.
func FuzzForkLosesNothing(f *testing.F) {
	f.Add(head+one, head)
	f.Add(head+one, head+one+two)
	f.Add(head, head+`{"n":`)
	f.Fuzz(func(t *testing.T, source, target string) {
		from, to := trees(t, map[string]string{name: source}, map[string]string{name: target})
		err := transcript.Fork(t.Context(), from, to, at, id)
		got := files(t, to)[name]
		if err != nil && got != target {
			t.Fatalf("after %v the target is %q, and was %q", err, got, target)
		}
		if err == nil && !strings.HasPrefix(got, strings.TrimSuffix(source, "\n")) {
			t.Fatalf("the target is %q, of a source %q", got, source)
		}
		for line := range strings.Lines(target) {
			if strings.HasSuffix(line, "}\n") && err == nil && strings.HasPrefix(target, head) && strings.Contains(source, line) && !strings.Contains(got, line) {
				t.Fatalf("%q is lost", line)
			}
		}
	})
}
