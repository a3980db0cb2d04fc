package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestGeneratedCodeIsCurrent(t *testing.T) {
	t.Parallel()
	for dir, make := range contracts {
		if err := run(filepath.Join("../..", dir), make, true); err != nil {
			t.Error(err)
		}
	}
}

func TestCheckSeesAChange(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ dir, contract, old, new string }{
		{"sdk/protocol", "preparer.proto", "int64 limit = 3;", "int64 limit = 3;\n  bool more = 4;"},
		{"daemon/api", "openapi.yaml", "        modelSwitch: { type: boolean }", "        modelSwitch: { type: string }"},
	} {
		t.Run(c.contract, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			src, err := os.ReadFile(filepath.Join("../..", c.dir, c.contract))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(dir, c.contract)
			if err := os.WriteFile(path, src, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := run(dir, contracts[c.dir], false); err != nil {
				t.Fatal(err)
			}
			if err := run(dir, contracts[c.dir], true); err != nil {
				t.Fatalf("just written: %v", err)
			}
			changed := bytes.Replace(src, []byte(c.old), []byte(c.new), 1)
			if bytes.Equal(src, changed) {
				t.Fatalf("there is no %q in it to change", c.old)
			}
			if err := os.WriteFile(path, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := run(dir, contracts[c.dir], true); err == nil {
				t.Fatal("a changed contract passed the check")
			}
		})
	}
}
