//go:build unix

package client

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// script is a client that does what a shell says.
func script(t *testing.T, text string) string {
	t.Helper()
	p := filepath.Join(t.TempDir(), "client")
	if err := os.WriteFile(p, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

// Clients look for files where they are started, and in a directory that everybody may write to those may be anybody's.
func TestClientIsAskedWhereItLies(t *testing.T) {
	t.Parallel()
	exe := script(t, `if [ "$(pwd -P)" = "$(cd "${0%/*}" && pwd -P)" ]; then echo 1.2.3; else echo 6.6.6; fi`)
	if got := new(Versions).Of(t.Context(), exe, nil, os.Environ); got != "1.2.3" {
		t.Errorf("version %q", got)
	}
}

func TestClientThatNeverStopsTellingItsVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"version first": {"echo client 1.2.3; exec yes", "1.2.3"},
		"none":          {"exec yes", ""},
		"long":          {"echo client 1.2.3; head -c 3000000 /dev/zero", "1.2.3"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			if got := ask(t.Context(), script(t, c.text), nil, os.Environ()); got != c.want {
				t.Errorf("version %q, want %q", got, c.want)
			}
			if time.Since(begun) > askTimeout/2 {
				t.Error("it was listened to until the time was up")
			}
		})
	}
}
