package fsroot_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

func TestStreamsAreWrittenWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tree, err := fsroot.Make(filepath.Join(dir, "a", "b"), fsroot.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	data := bytes.Repeat([]byte("0123456789"), 20000)
	if n, err := tree.WriteFrom("f", bytes.NewReader(data), int64(len(data)), 0o500); err != nil || n != int64(len(data)) {
		t.Fatalf("%d, %v", n, err)
	}
	r, info, err := tree.OpenFile("f")
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	r.Close()
	if err != nil || !bytes.Equal(got, data) || info.Size() != int64(len(data)) || runtime.GOOS != "windows" && info.Mode().Perm() != 0o500 {
		t.Errorf("%d bytes, %v, %v", len(got), info.Mode(), err)
	}
	if _, err := tree.WriteFrom("f", strings.NewReader("x"), 10, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("it wrote over a file: %v", err)
	}
	for name, r := range map[string]io.Reader{"large": strings.NewReader("01234567890"), "broken": io.MultiReader(strings.NewReader("0"), brokenReader{})} {
		if _, err := tree.WriteFrom("g", r, 10, 0o600); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := os.Lstat(filepath.Join(dir, "a", "b", "g")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: a file is left", name)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(filepath.Join(dir, "a")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Symlink("f", filepath.Join(dir, "a", "b", "l")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := tree.OpenFile("l"); err == nil {
		t.Error("it followed a link")
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }
