package rig

import (
	"os"
	"path/filepath"
	"testing"
)

// Root is the directory of the repository, for tests that run in a package of this module at the given depth below it.
func Root(t testing.TB, depth int) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for range depth {
		dir = filepath.Dir(dir)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.work")); err != nil {
		t.Fatalf("the tests do not run inside the repository: %v", err)
	}
	return dir
}

// Scratch makes an empty directory that is removed after the test. It does not lie below the temporary directory,
// because Codex treats a home there differently: below .cache in the repository, or below $GREENROOM_SCRATCH.
func Scratch(t testing.TB, root string) string {
	t.Helper()
	parent := os.Getenv("GREENROOM_SCRATCH")
	if parent == "" {
		parent = filepath.Join(root, ".cache", "conformance")
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp(parent, "case-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Remove(dir); err != nil {
			t.Errorf("remove the scratch directory: %v", err)
		}
	})
	return dir
}

// Remove removes a tree that may hold read-only directories.
func Remove(dir string) error {
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	return os.RemoveAll(dir)
}

// Write writes a file and makes the directories above it.
func Write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// WriteProgram writes an executable file.
func WriteProgram(t testing.TB, path, content string) {
	t.Helper()
	Write(t, path, content)
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// WriteSkill writes a skill into a directory of its own.
func WriteSkill(t testing.TB, dir, name, description, body string) {
	t.Helper()
	Write(t, filepath.Join(dir, "SKILL.md"), "---\nname: "+name+"\ndescription: "+description+"\n---\n"+body+"\n")
}
