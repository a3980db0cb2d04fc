//go:build unix

package rtk

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

func TestC307_WhatAPersonNamesIsLookedAtBeforeItIsRead(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	a := s.artefact("rtk", "one")
	at := func(name string) string { return filepath.Join(s.dir, name) }
	large, err := os.OpenFile(at("large"), os.O_CREATE|os.O_WRONLY, 0o755)
	if err == nil {
		err = errors.Join(large.Truncate(maxProgram+1), large.Close(), syscall.Mkfifo(at("fifo"), 0o755), os.Symlink("rtk", at("link")), os.Symlink("x", at("dangling")),
			os.MkdirAll(at("a b\nc"), 0o755), os.WriteFile(at("a b\nc/rtk"), []byte("one"), 0o755), os.WriteFile(at("text"), []byte("x"), 0o644))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.artefact("empty", "")
	for _, name := range []string{"rtk", "link", "a b\nc/rtk"} {
		got, err := Pin(t.Context(), at(name), false)
		if err != nil || got.SHA256 != a.SHA256 || got.Path != at(name) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
	for name, says := range map[string]string{
		"nothing": "no such file", "dangling": "no such file", ".": "no regular file", "fifo": "no regular file", "empty": "is empty",
		"text": "nobody may execute", "large": "larger than any",
	} {
		_, err := Pin(t.Context(), at(name), false)
		if !errors.Is(err, fault.Artefact) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), s.dir) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Pin(t.Context(), "/dev/zero", false); err == nil {
		t.Error("a device was read")
	}
	if _, err := Pin(t.Context(), "rtk", false); err == nil {
		t.Error("a relative path was taken")
	}
	if _, err := Pin(t.Context(), at("text"), true); err != nil {
		t.Errorf("where files have no modes: %v", err)
	}
}
