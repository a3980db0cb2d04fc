package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedCodeIsCurrent(t *testing.T) {
	t.Parallel()
	if err := run("../../sdk/protocol", true); err != nil {
		t.Fatal(err)
	}
}

func TestCheckSeesAChange(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	src, err := os.ReadFile("../../sdk/protocol/preparer.proto")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "preparer.proto")
	if err := os.WriteFile(path, src, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, false); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, true); err != nil {
		t.Fatalf("just written: %v", err)
	}
	changed := bytes.Replace(src, []byte("int64 limit = 3;"), []byte("int64 limit = 3;\n  bool more = 4;"), 1)
	if err := os.WriteFile(path, changed, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(dir, true); err == nil {
		t.Fatal("a changed contract passed the check")
	}
}
