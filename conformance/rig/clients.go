package rig

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Required is the variable that makes a missing client a failure instead of a reason to skip.
const Required = "GREENROOM_REQUIRE_CLIENTS"

// Clients finds the directory of the pinned clients' executables. It installs nothing.
func Clients(root string) (string, error) {
	out, err := exec.Command("sh", filepath.Join(root, "conformance", "clients", "install.sh"), "--find").Output()
	if err != nil {
		if exit, ok := err.(*exec.ExitError); ok {
			return "", fmt.Errorf("%s", strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("look for the real clients: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Need gives the directory of the clients, or skips the test, or fails it when clients are required.
func Need(t testing.TB, root string) string {
	t.Helper()
	dir, err := Clients(root)
	if err != nil {
		Without(t, err)
	}
	return dir
}

// Without ends a test that cannot run: it is skipped, or fails when clients are required.
func Without(t testing.TB, why error) {
	t.Helper()
	if os.Getenv(Required) == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}
