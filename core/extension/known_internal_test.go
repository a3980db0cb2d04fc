package extension

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// What changed a moment ago is read again each time: its stamp could be that of another state. What a store remembers is
// let go when anything of it changes, in whatever way.
func TestStoreRemembersWhatHasSettled(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("nothing is remembered where the system does not tell when a file was changed")
	}
	const digest = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
	dir := t.TempDir()
	object := filepath.Join(dir, objectsDir, digest)
	file := filepath.Join(object, ManifestFile)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(filepath.Join(object, "assets"), 0o700))
	must(os.WriteFile(file, []byte("{}"), 0o600))
	s := OpenStore(dir, nil)
	get := func(now time.Time) *Content {
		t.Helper()
		tree, err := fsroot.OpenWith(dir, fsroot.Options{})
		must(err)
		defer tree.Close()
		c, err := s.content(t.Context(), tree, digest, now)
		must(err)
		return c
	}
	later := time.Now().Add(time.Hour)
	for _, soon := range []time.Time{{}, time.Now(), time.Now().Add(-time.Hour), time.Now().Add(time.Second)} {
		if get(soon) == get(soon) || len(s.known) != 0 {
			t.Errorf("at %v something is remembered", soon)
		}
	}
	c := get(later)
	if get(later) != c || get(time.Time{}) != c {
		t.Error("nothing is remembered")
	}
	for name, change := range map[string]func(){
		"mode":      func() { must(os.Chmod(file, 0o400)) },
		"times":     func() { must(os.Chtimes(file, later, later)) },
		"bytes":     func() { must(os.Chmod(file, 0o600)); must(os.WriteFile(file, []byte("[]"), 0o600)) },
		"new file":  func() { must(os.Remove(file)); must(os.WriteFile(file, []byte("[]"), 0o600)) },
		"one more":  func() { must(os.WriteFile(filepath.Join(object, "assets", "a.json"), nil, 0o600)) },
		"directory": func() { must(os.Mkdir(filepath.Join(object, "locales"), 0o700)) },
	} {
		before := get(later)
		change()
		if get(later) == before {
			t.Errorf("%s: it is taken for what it was", name)
		}
	}
	before := get(later)
	must(os.Remove(filepath.Join(object, "assets", "a.json")))
	if get(later) == before {
		t.Error("a file was taken away, and it is taken for what it was")
	}
	tree, err := fsroot.OpenWith(dir, fsroot.Options{})
	must(err)
	defer tree.Close()
	must(os.Rename(filepath.Join(object, "assets"), filepath.Join(dir, "assets")))
	must(os.Symlink(filepath.Join(dir, "assets"), filepath.Join(object, "assets")))
	if _, err := s.content(t.Context(), tree, digest, later); err == nil {
		t.Error("a link is taken for the directory that it was")
	}
}
