package conformance_test

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
)

// The clients are pinned by digest, and the lock file works with every registry.
func TestLockFilePinsByDigestOnly(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join("clients", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity, Resolved string }
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		t.Fatal(err)
	}
	if len(lock.Packages) < 3 {
		t.Fatalf("the lock file has %d packages", len(lock.Packages))
	}
	for name, p := range lock.Packages {
		if name != "" && (p.Version == "" || !strings.HasPrefix(p.Integrity, "sha512-")) {
			t.Errorf("%s is not pinned", name)
		}
		if p.Resolved != "" {
			t.Errorf("%s names where it came from", name)
		}
	}
}

// Looking for clients installs none, and says what to do.
func TestLookingForClientsInstallsNone(t *testing.T) {
	t.Parallel()
	cache := t.TempDir()
	for name, test := range map[string]struct {
		args []string
		code int
	}{
		"not there":        {[]string{"--find"}, 1},
		"unknown argument": {[]string{"--all"}, 2},
	} {
		cmd := exec.Command("sh", append([]string{filepath.Join(rig.Root(t, 1), "conformance/clients/install.sh")}, test.args...)...)
		cmd.Env = append(os.Environ(), "GREENROOM_CLIENT_CACHE="+cache)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != test.code || len(out) == 0 {
			t.Errorf("%s: %v, %q", name, err, out)
		}
	}
	if entries, err := os.ReadDir(cache); err != nil || len(entries) != 0 {
		t.Errorf("the cache holds %v, %v", entries, err)
	}
}
