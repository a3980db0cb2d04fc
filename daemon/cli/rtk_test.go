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

// What is no program is refused with what is wrong with it and what to do, and nothing of the session is made.
func TestC307_WhatIsNoProgramIsRefusedByName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	for name, says := range map[string]string{"nothing": "there is no such file", ".": "no regular file", "empty": "is empty", "text\nfile": "make it executable"} {
		file := filepath.Join(dir, name)
		if name == "empty" || name == "text\nfile" {
			if err := os.WriteFile(file, []byte(strings.TrimPrefix(name, "empty")), map[bool]os.FileMode{true: 0o755, false: 0o644}[name == "empty"]); err != nil {
				t.Fatal(err)
			}
		}
		got := w.run("prepare", "fake", "--session", "one", "--rtk", file)
		if got.status != 3 || !strings.Contains(got.errors, says) || !strings.Contains(got.errors, "[artefact_refused]") || strings.Contains(got.errors, "text\nfile") {
			t.Errorf("%q: status %d, %s", name, got.status, got.errors)
		}
	}
	if list := w.must("sessions", "--json"); strings.Contains(list, `"one"`) {
		t.Errorf("there is a session: %s", list)
	}
}
