package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestHostPreparesAndCleansUp(t *testing.T) {
	t.Parallel()
	state, home, cwd := filepath.Join(t.TempDir(), "state"), t.TempDir(), t.TempDir()
	rules := filepath.Join(home, ".codex", "AGENTS.md")
	if err := os.MkdirAll(filepath.Dir(rules), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(rules, []byte("Be brief.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := host(t.Context(), &out, state, home, cwd, []string{"PATH=" + t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"session:", "AGENTS.md", "config.toml", "skills", `client ""`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in:\n%s", want, out.String())
		}
	}
	if left, err := os.ReadDir(filepath.Join(state, "s")); err != nil || len(left) > 0 {
		t.Errorf("left of the session: %v, %v", left, err)
	}
	if left, err := os.ReadDir(cwd); err != nil || len(left) > 0 {
		t.Errorf("left in the working directory: %v, %v", left, err)
	}
	if got, err := os.ReadFile(rules); err != nil || string(got) != "Be brief.\n" {
		t.Errorf("the user's file is now %q, %v", got, err)
	}
}

// The example says that a host is short.
func TestHostIsShort(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(source, []byte("\n")); n > 60 {
		t.Errorf("main.go has %d lines, at most 60 are allowed", n)
	}
}
