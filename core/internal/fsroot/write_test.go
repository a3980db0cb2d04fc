package fsroot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

func expectation(t testing.TB, tree *fsroot.Tree, rel string, data []byte) *fsroot.Expectation {
	t.Helper()
	_, info, err := tree.ReadFile(rel, 1<<20)
	must(t, err)
	return &fsroot.Expectation{Info: info, Content: data}
}

func TestWriteFileReplacesAndDoesNotWriteThrough(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "user"), "theirs")
	tree := open(t, filepath.Join(dir), nil)
	must(t, os.Link(filepath.Join(dir, "user"), filepath.Join(dir, "hard")))
	must(t, os.Symlink("user", filepath.Join(dir, "soft")))
	info, err := tree.Lstat("hard")
	must(t, err)
	if fsroot.Links(info) != 2 {
		t.Errorf("%d links", fsroot.Links(info))
	}
	for _, name := range []string{"hard", "soft", "new"} {
		must(t, tree.WriteFile(name, []byte("mine"), fsroot.WriteOptions{Sync: true}))
		info, err := os.Lstat(filepath.Join(dir, name))
		must(t, err)
		if got := content(t, filepath.Join(dir, name)); got != "mine" || !info.Mode().IsRegular() {
			t.Errorf("%s: %s %q", name, info.Mode(), got)
		}
	}
	if got := content(t, filepath.Join(dir, "user")); got != "theirs" {
		t.Errorf("the user's file holds %q", got)
	}
	if found := temps(t, dir); len(found) > 0 {
		t.Errorf("left %v", found)
	}
}

func TestWriteFileNewAndFresh(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]fsroot.WriteOptions{"new": {New: true}, "fresh": {Fresh: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			put(t, filepath.Join(dir, "file"), "theirs")
			must(t, os.Mkdir(filepath.Join(dir, "directory"), 0o755))
			must(t, os.Symlink("nothing", filepath.Join(dir, "dangling")))
			before := shape(t, dir)
			tree := open(t, dir, nil)
			for _, taken := range []string{"file", "directory", "dangling"} {
				err := tree.WriteFile(taken, []byte("mine"), o)
				if !errors.Is(err, fs.ErrExist) {
					t.Errorf("%s: %v", taken, err)
				}
				wantNoPath(t, err, dir)
			}
			if diff := cmp.Diff(before, shape(t, dir)); diff != "" {
				t.Error(diff)
			}
			must(t, tree.WriteFile("free", []byte("mine"), o))
			info, err := os.Lstat(filepath.Join(dir, "free"))
			must(t, err)
			if got := content(t, filepath.Join(dir, "free")); got != "mine" || fsroot.Links(info) != 1 {
				t.Errorf("wrote %q with %d links", got, fsroot.Links(info))
			}
		})
	}
}

func TestWriteFileRefusesADirectoryInTheWay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	before := shape(t, dir)
	tree := open(t, dir, nil)
	wantCode(t, tree.WriteFile("d", []byte("x"), fsroot.WriteOptions{}), fault.NotRegular, dir)
	wantCode(t, tree.Symlink("x", "d"), fault.NotRegular, dir)
	if diff := cmp.Diff(before, shape(t, dir)); diff != "" {
		t.Error(diff)
	}
	if err := tree.WriteFile("none/x", nil, fsroot.WriteOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("write into nothing: %v", err)
	}
}

func TestWriteFileExpect(t *testing.T) {
	t.Parallel()
	replaced := func(t *testing.T, path, text string) {
		must(t, os.Remove(path))
		put(t, path, text)
	}
	for name, c := range map[string]struct {
		change   func(t *testing.T, path string)
		content  string // "" compares none
		absent   bool
		conflict bool
	}{
		"unchanged":              {change: func(*testing.T, string) {}},
		"unchanged with content": {change: func(*testing.T, string) {}, content: "old"},
		"removed":                {change: func(t *testing.T, p string) { must(t, os.Remove(p)) }, conflict: true},
		"longer":                 {change: func(t *testing.T, p string) { put(t, p, "older") }, conflict: true},
		"now a directory": {change: func(t *testing.T, p string) {
			must(t, os.Remove(p))
			must(t, os.Mkdir(p, 0o755))
		}, conflict: true},
		"now a link": {change: func(t *testing.T, p string) {
			must(t, os.Rename(p, p+"2"))
			must(t, os.Symlink(p+"2", p))
		}, conflict: true},
		"touched": {change: func(t *testing.T, p string) { must(t, os.Chtimes(p, time.Time{}, time.Unix(1, 0))) }, conflict: true},
		"longer, same time": {change: func(t *testing.T, p string) {
			info, err := os.Stat(p)
			must(t, err)
			put(t, p, "older")
			must(t, os.Chtimes(p, time.Time{}, info.ModTime()))
		}, conflict: true},
		"other file, same time": {change: func(t *testing.T, p string) {
			info, err := os.Stat(p)
			must(t, err)
			must(t, os.Rename(p, p+"2"))
			put(t, p, "old")
			must(t, os.Chtimes(p, time.Time{}, info.ModTime()))
		}, conflict: true},
		"other content, same time": {change: func(t *testing.T, p string) {
			info, err := os.Stat(p)
			must(t, err)
			put(t, p, "odd")
			must(t, os.Chtimes(p, time.Time{}, info.ModTime()))
		}, content: "old", conflict: true},
		"absent":        {change: func(t *testing.T, p string) { must(t, os.Remove(p)) }, absent: true},
		"absent, there": {change: func(t *testing.T, p string) { replaced(t, p, "theirs") }, absent: true, conflict: true},
		"absent, dangling link": {change: func(t *testing.T, p string) {
			must(t, os.Remove(p))
			must(t, os.Symlink("nothing", p))
		}, absent: true, conflict: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			path := filepath.Join(dir, "d", "file")
			put(t, path, "old")
			tree := open(t, dir, nil)
			want := expectation(t, tree, "d/file", nil)
			if c.content != "" {
				want.Content = []byte(c.content)
			}
			if c.absent {
				want = &fsroot.Expectation{}
			}
			c.change(t, path)
			before := shape(t, dir)
			err := tree.WriteFile("d/file", []byte("mine"), fsroot.WriteOptions{Expect: want})
			if !c.conflict {
				must(t, err)
				if got := content(t, path); got != "mine" {
					t.Errorf("holds %q", got)
				}
				return
			}
			wantCode(t, err, fault.Conflict, dir)
			if diff := cmp.Diff(before, shape(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Somebody makes the file between the comparison and the call that puts ours in place.
func TestWriteFileExpectAbsentLosesTheRace(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	seam := &fsroot.Seam{Before: func(_ int64, op, _ string) error {
		if op == fsroot.OpLink {
			put(t, filepath.Join(dir, "x"), "theirs")
		}
		return nil
	}}
	tree := open(t, dir, seam)
	wantCode(t, tree.WriteFile("x", []byte("mine"), fsroot.WriteOptions{Expect: &fsroot.Expectation{}}), fault.Conflict, dir)
	if got := content(t, filepath.Join(dir, "x")); got != "theirs" || len(temps(t, dir)) > 0 {
		t.Errorf("holds %q, temporary names %v", got, temps(t, dir))
	}
}

func TestWriteFileFreshExpectsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tree := open(t, dir, nil)
	wantCode(t, tree.WriteFile("x", nil, fsroot.WriteOptions{Fresh: true, Expect: &fsroot.Expectation{}}), fault.Invalid, dir)
}

func TestH18_ReadersSeeWholeFilesDuringRewrites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	version := func(i int) []byte { return bytes.Repeat(fmt.Appendf(nil, "%03d\n", i%1000), 5000) }
	writer, reader := open(t, dir, nil), open(t, dir, nil)
	must(t, writer.WriteFile("d/x", version(0), fsroot.WriteOptions{}))
	var stop atomic.Bool
	var busy atomic.Int32 // readers that have not seen enough versions yet
	var readers sync.WaitGroup
	look := func(read func() ([]byte, error)) {
		busy.Add(1)
		readers.Go(func() {
			versions := map[string]bool{}
			for !stop.Load() {
				data, err := read()
				if err != nil || len(data) != 20000 || !bytes.Equal(data, bytes.Repeat(data[:4], 5000)) {
					t.Errorf("read %d bytes, %v", len(data), err)
					busy.Add(-1)
					return
				}
				if len(versions) < 20 {
					if versions[string(data[:4])] = true; len(versions) == 20 {
						busy.Add(-1)
					}
				}
			}
		})
	}
	look(func() ([]byte, error) { return os.ReadFile(filepath.Join(dir, "d", "x")) })
	look(func() ([]byte, error) { data, _, err := reader.ReadFile("d/x", 1<<20); return data, err })
	for i := 0; i < 200 || busy.Load() > 0; i++ {
		must(t, writer.WriteFile("d/x", version(i), fsroot.WriteOptions{}))
	}
	stop.Store(true)
	readers.Wait()
}

func TestTemporaryNamesAreRecognised(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tree := open(t, dir, &fsroot.Seam{Before: func(_ int64, op, _ string) error {
		if op == fsroot.OpRename || op == fsroot.OpRemove {
			return errors.New("injected")
		}
		return nil
	}})
	for range 3 {
		if err := tree.WriteFile("x", nil, fsroot.WriteOptions{}); err == nil {
			t.Error("no error")
		}
	}
	if found := temps(t, dir); len(found) != 3 || len(keys(shape(t, dir))) != 4 {
		t.Errorf("temporary names %v of %v", found, keys(shape(t, dir)))
	}
	for _, name := range []string{"greenroom-1", ".greenroom", "x.greenroom-1", ".greenroom-1", ".greenroom-0123456789ab", ".greenroom-0123456789ag-1", ".greenroom-0123456789ab-A", ".greenroom-lock"} {
		if fsroot.IsTemp(name) {
			t.Errorf("%s is taken for a temporary name", name)
		}
	}
}

// Somebody puts a link in the place of a directory while it is being opened, and takes it away again.
func TestH15_SwappedDirectoryIsNotEntered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "victim", "x"), "theirs")
	must(t, os.Mkdir(filepath.Join(dir, "d"), 0o755))
	must(t, os.Symlink("victim", filepath.Join(dir, "link")))
	var stop atomic.Bool
	swapped := make(chan int)
	go func() {
		swaps := 0
		for ; !stop.Load(); swaps++ {
			os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "away"))
			os.Rename(filepath.Join(dir, "link"), filepath.Join(dir, "d"))
			os.Rename(filepath.Join(dir, "d"), filepath.Join(dir, "link"))
			os.Rename(filepath.Join(dir, "away"), filepath.Join(dir, "d"))
		}
		swapped <- swaps
	}()
	wrote, refused := 0, 0
	for i := 0; i < 5000 && (i < 1000 || wrote == 0 || refused == 0); i++ {
		tree, err := fsroot.Open(dir, nil)
		must(t, err)
		switch err := tree.WriteFile("d/x", []byte("mine"), fsroot.WriteOptions{}); {
		case err == nil:
			wrote++
		case errors.Is(err, fault.LinkRefused):
			refused++
		case !errors.Is(err, fs.ErrNotExist):
			t.Errorf("error is %v", err)
		}
		tree.Close()
	}
	stop.Store(true)
	if swaps := <-swapped; swaps == 0 || wrote == 0 || refused == 0 {
		t.Errorf("%d swaps, %d written, %d refused: nothing tried", swaps, wrote, refused)
	}
	if got := content(t, filepath.Join(dir, "victim", "x")); got != "theirs" {
		t.Errorf("the other directory was written to: %q", got)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "a", "x"), "x")
	put(t, filepath.Join(dir, "b", "y"), "y")
	tree := open(t, dir, nil)
	read := func(rel string) string {
		data, _, err := tree.ReadFile(rel, 10)
		if err != nil {
			return err.Error()
		}
		return string(data)
	}
	must(t, tree.Rename("a/x", "a/x2"))
	must(t, tree.Rename("a/x2", "b/y"))
	if got := read("b/y"); got != "x" {
		t.Errorf("b/y holds %q", got)
	}
	if err := tree.Rename("b", "a"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a directory took the place of another: %v", err)
	}
	must(t, tree.Rename("b", "a/c"))
	if got := read("a/c/y"); got != "x" {
		t.Errorf("a/c/y holds %q", got)
	}
	if _, err := tree.Lstat("b/y"); !errors.Is(err, fs.ErrNotExist) { // not the moved one that was open
		t.Errorf("old name: %v", err)
	}
	must(t, tree.Mkdir("b", 0o700))
	if _, err := tree.Lstat("b/y"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("new directory: %v", err)
	}
	if err := tree.Rename("none", "b/z"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("rename of nothing: %v", err)
	}
}

func TestMkdirAllSaysWhatItMade(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, "a"), 0o755))
	put(t, filepath.Join(dir, "file"), "x")
	tree := open(t, dir, nil)
	for _, c := range []struct {
		rel  string
		want []string
		err  error
	}{
		{"a/b/c", []string{"a/b", "a/b/c"}, nil},
		{"a/b/c", nil, nil},
		{"a/b/d", []string{"a/b/d"}, nil},
		{".", nil, nil},
		{"file/x", nil, fault.NotRegular},
		{"file", nil, fault.NotRegular},
	} {
		made, err := tree.MkdirAll(c.rel, 0)
		if diff := cmp.Diff(c.want, made); diff != "" || !errors.Is(err, c.err) {
			t.Errorf("%s: %v %s", c.rel, err, diff)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the directory that was there is %v, %v", info, err)
	}
	if err := tree.Mkdir("a", 0o700); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made again: %v", err)
	}
	if err := tree.Mkdir("none/x", 0o700); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("made without parent: %v", err)
	}
}

func TestErrorsHaveTheirClass(t *testing.T) {
	t.Parallel()
	for errno, code := range map[syscall.Errno]fault.Code{
		syscall.ENOSPC: fault.StateFull, syscall.EDQUOT: fault.StateFull,
		syscall.EROFS: fault.StateWrite, syscall.EACCES: fault.StateWrite, syscall.EPERM: fault.StateWrite, syscall.EIO: fault.StateWrite,
	} {
		dir := t.TempDir()
		put(t, filepath.Join(dir, "old", "x"), "old")
		put(t, filepath.Join(dir, "file"), "old")
		tree := openWith(t, dir, fsroot.Options{Label: "state", Seam: &fsroot.Seam{Before: func(int64, string, string) error {
			return &fs.PathError{Op: "op", Path: filepath.Join(dir, "secret"), Err: errno}
		}}})
		for call, f := range calls(tree) {
			switch call {
			case "Mkdir", "WriteFile", "Fresh", "MkdirAll", "Symlink":
				err := f("name")
				wantCode(t, err, code, dir)
				if !errors.Is(err, errno) {
					t.Errorf("%s: cause of %v is lost", call, err)
				}
			case "To":
				wantCode(t, f("name"), code, dir)
			case "From", "Remove", "RemoveAll", "Sync", "Chmod":
				wantCode(t, f("old"), code, dir)
			}
		}
	}
}
