package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
)

func TestC308_RTKIsAFileThatAPersonNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := filepath.Join(t.TempDir(), "rtk")
	program := func(body string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	program("#!/bin/sh\necho one\n")
	p := decode[core.Prepared](t, w.must("prepare", "fake", "--session", "one", "--rtk", file, "--json"))
	if p.RTK != core.RTKInstructions {
		t.Errorf("the layer is %q", p.RTK)
	}
	program("#!/bin/sh\necho two\n")
	human := w.must("prepare", "fake", "--session", "one", "--rtk", file)
	for _, want := range []string{"told to run shell commands through rtk", "RTK_DB_PATH", "--rtk=" + file} {
		if !strings.Contains(human, want) {
			t.Errorf("no %q in\n%s", want, human)
		}
	}
	if body, err := os.ReadFile(filepath.Join(p.Dir, "rtk/bin/rtk")); err != nil || !strings.Contains(string(body), "one") {
		t.Errorf("the session has %q, %v", body, err)
	}
	p = decode[core.Prepared](t, w.must("prepare", "fake", "--session", "one", "--json"))
	if _, err := os.Lstat(filepath.Join(p.Dir, "rtk")); !os.IsNotExist(err) || p.RTK != "" {
		t.Errorf("without the flag there is still %q, %v", p.RTK, err)
	}
}
