//go:build !linux

package rig

import (
	"errors"
	"os/exec"
	"testing"
)

// Etc needs Linux.
func Etc(t testing.TB, _ string, _ *exec.Cmd, _ map[string]string) {
	t.Helper()
	Without(t, errors.New("only Linux has mount namespaces"))
}
