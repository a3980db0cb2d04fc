package skill_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// open opens the store in a directory, which is made writable again when the test ends.
func open(t testing.TB, dir string, seam *fsroot.Seam) *skill.Store {
	t.Helper()
	tree, err := fsroot.Open(dir, seam)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		tree.Close()
		filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				err = os.Chmod(name, 0o700)
			}
			return err
		})
	})
	return skill.Open(tree)
}

func one(id, name, text string) skill.Named {
	main := fmt.Sprintf("---\nname: %s\ndescription: what it does\n---\n\n%s\n", name, text)
	return skill.Named{Name: name, Skill: skill.Skill{ID: id, Name: name, Files: map[string][]byte{
		skill.MainFile: []byte(main), "references/more.md": []byte(text),
	}}}
}

func put(t testing.TB, s *skill.Store, set ...skill.Named) skill.Bundle {
	t.Helper()
	b, err := s.Put(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// tree reads a directory whole: text of files by slash path, "dir" for directories.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || name == dir {
			return err
		}
		rel, _ := filepath.Rel(dir, name)
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			got[rel] = "dir"
			return nil
		}
		data, err := os.ReadFile(name)
		got[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestC105_BundleHoldsTheSkillAndItsMarker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := one("x/a", "alpha", "first")
	b := put(t, open(t, dir, nil), a)
	want := map[string]string{
		"alpha":                      "dir",
		"alpha/SKILL.md":             string(a.Skill.Files[skill.MainFile]),
		"alpha/references":           "dir",
		"alpha/references/more.md":   "first",
		"alpha/.tutti-managed-skill": "x/a\n",
	}
	if diff := cmp.Diff(want, tree(t, filepath.Join(dir, b.Rel))); diff != "" {
		t.Error(diff)
	}
	if b.Rel != "skills/"+b.Digest || len(b.Digest) != 64 || b.Names["x/a"] != "alpha" || b.Repaired {
		t.Errorf("the bundle is %+v", b)
	}
	if diff := cmp.Diff([]string{b.Digest}, names(t, filepath.Join(dir, "skills"))); diff != "" {
		t.Errorf("beside the bundle: %s", diff)
	}
}

func names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestC199_BundleIsReadOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	b := put(t, open(t, dir, nil), one("x/a", "alpha", "first"))
	err := filepath.WalkDir(filepath.Join(dir, b.Rel), func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o222 != 0 {
			t.Errorf("%s has mode %v", d.Name(), info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestC100_RenamedSkillIsRenamedInside(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := one("x/a", "alpha", "first")
	a.Name = "alpha-tutti"
	b := put(t, open(t, dir, nil), a)
	got := tree(t, filepath.Join(dir, b.Rel))
	name, description, err := skill.FrontMatter([]byte(got["alpha-tutti/SKILL.md"]))
	if name != "alpha-tutti" || description != "what it does" || err != nil || !strings.HasSuffix(got["alpha-tutti/SKILL.md"], "---\n\nfirst\n") {
		t.Errorf("%v:\n%s", err, got["alpha-tutti/SKILL.md"])
	}
	if got["alpha-tutti/references/more.md"] != "first" || len(got) != 5 {
		t.Errorf("the bundle holds %v", slices.Sorted(maps.Keys(got)))
	}
	if !strings.Contains(string(a.Skill.Files[skill.MainFile]), "name: alpha\n") {
		t.Error("the caller's bytes were changed")
	}
}

func TestC181_DigestIsOfNamesAndBytes(t *testing.T) {
	t.Parallel()
	store := open(t, t.TempDir(), nil)
	a, b := one("x/a", "alpha", "first"), one("x/b", "beta", "second")
	base := put(t, store, a, b).Digest
	if got := put(t, store, b, a).Digest; got != base {
		t.Error("the order of skills changes the digest")
	}
	seen := map[string]string{base: "base"}
	change := func(name string, f func(a, b *skill.Named)) {
		x, y := one("x/a", "alpha", "first"), one("x/b", "beta", "second")
		f(&x, &y)
		got := put(t, store, x, y).Digest
		if had, ok := seen[got]; ok {
			t.Errorf("%s has the digest of %s", name, had)
		}
		seen[got] = name
	}
	change("another id", func(a, _ *skill.Named) { a.Skill.ID = "x/c" })
	change("another name", func(a, _ *skill.Named) { a.Name = "gamma" })
	change("another byte", func(a, _ *skill.Named) { a.Skill.Files["references/more.md"] = []byte("First") })
	change("one file more", func(a, _ *skill.Named) { a.Skill.Files["more"] = nil })
	change("another empty file", func(a, _ *skill.Named) { a.Skill.Files["mor"] = []byte{} })
	change("text in the other skill", func(a, b *skill.Named) {
		b.Skill.Files["references/more.md"], a.Skill.Files["references/more.md"] = a.Skill.Files["references/more.md"], b.Skill.Files["references/more.md"]
	})
	change("C197 bytes that are no text", func(a, _ *skill.Named) { a.Skill.Files["data"] = []byte("\xff") })
	change("C197 other such bytes", func(a, _ *skill.Named) { a.Skill.Files["data"] = []byte("\xfe") })
	if got := put(t, store).Digest; seen[got] != "" {
		t.Error("the empty set has the digest of", seen[got])
	}
}

func TestC110_PuttingAgainWritesNothing(t *testing.T) {
	t.Parallel()
	dir, seam := t.TempDir(), &fsroot.Seam{}
	store := open(t, dir, seam)
	first := put(t, store, one("x/a", "alpha", "first"))
	before, calls := tree(t, dir), seam.Count()
	for range 200 {
		if diff := cmp.Diff(first, put(t, store, one("x/a", "alpha", "first"))); diff != "" {
			t.Fatal(diff)
		}
	}
	other := open(t, dir, seam) // as another process would see it
	put(t, other, one("x/a", "alpha", "first"))
	if seam.Count() != calls {
		t.Errorf("%d calls changed the disk", seam.Count()-calls)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Error(diff)
	}
}

func TestC103_OtherContentIsAnotherBundle(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := open(t, dir, nil)
	old := one("x/a", "alpha", "first")
	old.Skill.Files["stale.md"] = []byte("stale")
	put(t, store, old, one("x/b", "beta", "second"))
	b := put(t, store, one("x/a", "alpha", "first"))
	got := tree(t, filepath.Join(dir, b.Rel))
	if _, stale := got["alpha/stale.md"]; stale || len(got) != 5 {
		t.Errorf("the bundle holds %v", slices.Sorted(maps.Keys(got)))
	}
}

func TestC190_C198_DamagedBundleIsMadeAgain(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(bundle string) error{
		"changed file":    func(b string) error { return os.WriteFile(b+"/alpha/SKILL.md", []byte("---\n"), 0o600) },
		"longer file":     func(b string) error { return appendTo(b + "/alpha/references/more.md") },
		"extra file":      func(b string) error { return os.WriteFile(b+"/alpha/extra", nil, 0o600) },
		"extra directory": func(b string) error { return os.Mkdir(b+"/extra", 0o700) },
		"missing file":    func(b string) error { return os.Remove(b + "/alpha/.tutti-managed-skill") },
		"missing dir":     func(b string) error { return os.RemoveAll(b + "/alpha") },
		"link to a file": func(b string) error {
			if err := os.Rename(b+"/alpha/references/more.md", b+"/../moved"); err != nil {
				return err
			}
			return os.Symlink("../../../moved", b+"/alpha/references/more.md")
		},
		"file for a directory": func(b string) error {
			return errors.Join(os.RemoveAll(b+"/alpha/references"), os.WriteFile(b+"/alpha/references", nil, 0o600))
		},
		"C116 link for the bundle": func(b string) error {
			return errors.Join(os.Rename(b, b+"-moved"), os.Symlink(filepath.Base(b)+"-moved", b))
		},
		"file for the bundle": func(b string) error { return errors.Join(os.RemoveAll(b), os.WriteFile(b, nil, 0o600)) },
	} {
		dir := t.TempDir()
		b := put(t, open(t, dir, nil), one("x/a", "alpha", "first"))
		path := filepath.Join(dir, filepath.FromSlash(b.Rel))
		want := tree(t, path)
		writable(t, path)
		if err := damage(path); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		store := open(t, dir, nil)
		again := put(t, store, one("x/a", "alpha", "first"))
		if !again.Repaired || again.Digest != b.Digest {
			t.Errorf("%s: the bundle is %+v", name, again)
		}
		if diff := cmp.Diff(want, tree(t, path)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if !slices.Contains(names(t, filepath.Join(dir, "skills")), ".damaged") {
			t.Errorf("%s: what was damaged is gone", name)
		}
		if put(t, store, one("x/a", "alpha", "first")).Repaired {
			t.Errorf("%s: it is said to be repaired twice", name)
		}
	}
}

func appendTo(name string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("more")
	return errors.Join(err, f.Close())
}

// writable lets the test do what the owner of a directory can always do.
func writable(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chmod(name, 0o700)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A bundle that was checked is checked again when another directory stands in its place.
func TestReplacedBundleIsNoticed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := open(t, dir, nil)
	b := put(t, store, one("x/a", "alpha", "first"))
	path := filepath.Join(dir, b.Rel)
	writable(t, path)
	if err := errors.Join(os.RemoveAll(path), os.Mkdir(path, 0o555)); err != nil {
		t.Fatal(err)
	}
	if again := put(t, store, one("x/a", "alpha", "first")); !again.Repaired {
		t.Error("an empty directory was taken for the bundle")
	}
	writable(t, path)
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if again := put(t, store, one("x/a", "alpha", "first")); again.Repaired || len(tree(t, path)) != 5 {
		t.Errorf("a bundle that is gone was not made again: %+v", again)
	}
}

func TestC116_LinkedStoreIsRefused(t *testing.T) {
	t.Parallel()
	dir, outside := t.TempDir(), t.TempDir()
	if err := os.Symlink(outside, filepath.Join(dir, "skills")); err != nil {
		t.Skip("this system makes no links:", err)
	}
	_, err := open(t, dir, nil).Put(t.Context(), []skill.Named{one("x/a", "alpha", "first")})
	if fault.CodeOf(err) != fault.LinkRefused {
		t.Errorf("it gives %v", err)
	}
	if got := names(t, outside); len(got) != 0 {
		t.Errorf("behind the link is %v", got)
	}
}

func TestPutRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := open(t, dir, nil)
	for name, change := range map[string]func(a, b *skill.Named){
		"C184 escaping name": func(a, _ *skill.Named) { a.Name = "../alpha" },
		"C184 empty name":    func(a, _ *skill.Named) { a.Name = "" },
		"C114 reserved name": func(a, _ *skill.Named) { a.Name = "con" },
		"C112 name twice":    func(a, b *skill.Named) { a.Name = b.Name },
		"C113 but for case":  func(a, _ *skill.Named) { a.Name = "BETA" },
		"id twice":           func(a, b *skill.Named) { a.Skill.ID = b.Skill.ID },
		"id with a break":    func(a, _ *skill.Named) { a.Skill.ID = "a\nb" },
		"C106 no SKILL.md":   func(a, _ *skill.Named) { delete(a.Skill.Files, skill.MainFile) },
		"C107 escaping path": func(a, _ *skill.Named) { a.Skill.Files["../x"] = nil },
		"C202 marker":        func(a, _ *skill.Named) { a.Skill.Files["references/../.tutti-managed-skill"] = nil },
		"C202 plain marker":  func(a, _ *skill.Named) { a.Skill.Files[skill.MarkerFile] = nil },
	} {
		a, b := one("x/a", "alpha", "first"), one("x/b", "beta", "second")
		change(&a, &b)
		if _, err := store.Put(t.Context(), []skill.Named{a, b}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: it gives %v", name, err)
		}
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("the store holds %v", got)
	}
}

func TestPutEndsWithItsContext(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	store := open(t, dir, &fsroot.Seam{Before: func(n int64, op, _ string) error {
		if op == fsroot.OpWrite {
			cancel()
		}
		return nil
	}})
	_, err := store.Put(ctx, []skill.Named{one("x/a", "alpha", "first")})
	if fault.CodeOf(err) != fault.Deadline || !errors.Is(err, context.Canceled) {
		t.Errorf("it gives %v", err)
	}
	if got := names(t, filepath.Join(dir, "skills")); len(got) != 0 {
		t.Errorf("the store holds %v", got)
	}
	if _, err := store.Put(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a call whose time is up gives %v", err)
	}
}

func TestC183_ConcurrentWriters(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	digests := make([]string, 8)
	var wg sync.WaitGroup
	for i := range digests {
		store := open(t, dir, nil)
		wg.Go(func() {
			b, err := store.Put(context.Background(), []skill.Named{one("x/a", "alpha", "first"), one("x/b", "beta", "second")})
			if err != nil || b.Repaired {
				t.Errorf("it gives %+v, %v", b, err)
			}
			digests[i] = b.Digest
		})
	}
	wg.Wait()
	if len(slices.Compact(digests)) != 1 {
		t.Errorf("they made %v", digests)
	}
	if got := names(t, filepath.Join(dir, "skills")); len(got) != 1 || len(tree(t, filepath.Join(dir, "skills", got[0]))) != 10 {
		t.Errorf("the store holds %v", got)
	}
}
