package keychain_test

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/keychain"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const inside = "GREENROOM_TEST_IN_KEYRING"

// The Secret Service itself, in a session of D-Bus of its own: started, unlocked, and gone with the test. The tests of
// packages that use a keychain have it in memory.
func TestTheSecretServiceKeepsASecret(t *testing.T) {
	if os.Getenv(inside) == "1" {
		keeps(t)
		return
	}
	t.Parallel()
	for _, program := range []string{"dbus-run-session", "gnome-keyring-daemon"} {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("GREENROOM_REQUIRE_KEYRING") == "1" {
				t.Fatal(err)
			}
			t.Skipf("no Secret Service: %v", err)
		}
	}
	dir := t.TempDir()
	cmd := exec.Command("dbus-run-session", "--", "sh", "-c",
		`printf 'a password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null; exec "$0" -test.run '^TestTheSecretServiceKeepsASecret$' -test.v`, os.Args[0])
	cmd.Env = []string{"HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_DATA_HOME=" + dir, "PATH=" + os.Getenv("PATH"), inside + "=1"}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestTheSecretServiceKeepsASecret") {
		t.Errorf("%v\n%s", err, out)
	}
}

func keeps(t *testing.T) {
	k := keychain.New("greenroom-test")
	if _, err := k.Get("a"); err == nil {
		t.Error("there is something before it was put there")
	}
	for _, value := range []string{"one\ntwo\n", "another"} {
		if err := k.Set("a", value); err != nil {
			t.Fatal(err)
		}
		if got, err := k.Get("a"); err != nil || got != value {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := keychain.New("greenroom-other").Get("a"); err == nil {
		t.Error("another service has it too")
	}
	if err := k.Delete("a"); err != nil {
		t.Error(err)
	}
	if _, err := k.Get("a"); err == nil {
		t.Error("it is still there")
	}
	opens(t, k)
}

// opens has a data directory whose secret is in the keychain, through two openings and a rotation.
func opens(t *testing.T, k keychain.Keychain) {
	const canary = "sk-canary-3b9d20e7"
	c := access.Config{Dir: filepath.Join(t.TempDir(), "data"), Keychain: k, InKeychain: true, Now: time.Now, Random: rand.Reader}
	open := func() *access.Access {
		t.Helper()
		a, err := access.Open(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := open()
	p, err := a.CreatePlan(t.Context(), "w", plan.Spec{Name: "P", Protocol: preparer.OpenAI}, modelendpoint.NewKey(canary))
	if err := errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		a := open()
		_, key, err := a.PlanWithKey(t.Context(), "w", p.ID)
		if err := errors.Join(err, a.Close()); err != nil || key.Reveal() != canary {
			t.Errorf("%v", err)
		}
		if sealed, unreadable, err := access.Rotate(t.Context(), c); err != nil || sealed != 1 || unreadable != 0 {
			t.Errorf("%d, %d, %v", sealed, unreadable, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(c.Dir, access.KeyFile))
	if err != nil || !strings.Contains(string(text), "keychain ") {
		t.Errorf("%s, %v", text, err)
	}
	c.Keychain = keychain.New("greenroom-other")
	if _, err := access.Open(t.Context(), c); !errors.Is(err, problem.Storage) {
		t.Errorf("%v", err)
	}
}
