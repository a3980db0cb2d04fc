package adapter

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestH45_SweepTakesOnlyWhatNobodyOwns(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	write := func(name string) {
		t.Helper()
		path := filepath.Join(parent, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	write("gr-dead/owner")
	write("gr-dead/1/plugin-dir1/plugin2")
	write("gr-living/owner")
	write("gr-of-another-program/file")
	write("other/owner")
	write("gr-with-an-owner-file/owner")
	if err := os.WriteFile(filepath.Join(parent, "gr-with-an-owner-file/owner"), []byte("me"), 0o600); err != nil {
		t.Fatal(err)
	}
	write("gr-owner-is-a-link/file")
	if err := os.Symlink("file", filepath.Join(parent, "gr-owner-is-a-link/owner")); err != nil {
		t.Fatal(err)
	}
	want := []string{"gr-file", "gr-link", "gr-living", "gr-new", "gr-of-another-program", "gr-owner-is-a-link", "gr-with-an-owner-file", "other"}
	if runtime.GOOS != "windows" {
		write("gr-open-to-others/owner")
		if err := os.Chmod(filepath.Join(parent, "gr-open-to-others"), 0o755); err != nil {
			t.Fatal(err)
		}
		want = append(want, "gr-open-to-others")
		slices.Sort(want)
	}
	write("gr-file")
	for _, dir := range []string{"gr-new", "gr-old"} {
		if err := os.Mkdir(filepath.Join(parent, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"gr-old", "gr-of-another-program"} {
		if err := os.Chtimes(filepath.Join(parent, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	owner, err := os.OpenFile(filepath.Join(parent, "gr-living/owner"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	if !tryLock(owner) {
		t.Fatal("the owner file cannot be locked")
	}
	elsewhere := t.TempDir()
	if err := os.WriteFile(filepath.Join(elsewhere, "owner"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Join(parent, "gr-link")); err != nil {
		t.Fatal(err)
	}

	sweep(parent)
	var left []string
	entries, err := os.ReadDir(parent)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if !slices.Equal(left, want) {
		t.Errorf("left %v, want %v", left, want)
	}
	if _, err := os.Stat(filepath.Join(elsewhere, "owner")); err != nil {
		t.Errorf("swept through a link: %v", err)
	}
}

func TestRunDirectoryIsOnlyTakenWhereASocketFits(t *testing.T) {
	t.Parallel()
	long := filepath.Join(t.TempDir(), strings.Repeat("x", maxSocketPath))
	short, err := os.MkdirTemp("", "ad")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(short)
	base, err := newRunBase(long, short)
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Dir(base.path) != short {
		t.Errorf("the base is %s, want it in %s", base.path, short)
	}
	if err := base.remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := newRunBase(long); err == nil {
		t.Error("a path that is too long was taken")
	}
	if _, err := os.Stat(long); err == nil {
		t.Error("the path that is too long was made")
	}
}
