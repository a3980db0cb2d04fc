//go:build unix

package access_test

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	mathrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/keychain"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/daemon/secret"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Variables of the environment of a process that rotates: the directory, the step in which it kills itself (0: it rotates
// until it is killed), and that its secret goes into the keychain.
const (
	rotatingDir  = "GREENROOM_TEST_ROTATE"
	rotatingStep = "GREENROOM_TEST_ROTATE_STEP"
	inKeyring    = "GREENROOM_TEST_ROTATE_KEYRING"
)

// TestMain is also the process that rotates.
func TestMain(m *testing.M) {
	dir, ok := os.LookupEnv(rotatingDir)
	if !ok {
		os.Exit(m.Run())
	}
	c := config(dir)
	step, err := strconv.Atoi(os.Getenv(rotatingStep))
	d := &dying{left: step, random: c.Random, chain: c.Keychain}
	if c.Random = d; c.Keychain != nil {
		c.Keychain = d
	}
	for again := true; again && err == nil; again = step == 0 {
		var unreadable int
		if _, unreadable, err = access.Rotate(context.Background(), c); unreadable > 0 {
			err = errors.New("a key cannot be read")
		}
	}
	if err != nil {
		panic(err)
	}
	os.Exit(0)
}

// dying are the randomness and the keychain of a process that is killed at one of the calls to them, by kill -9.
type dying struct {
	left   int
	random io.Reader
	chain  secret.Keychain
}

func (d *dying) step() {
	if d.left--; d.left == 0 {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (d *dying) Read(b []byte) (int, error) {
	d.step()
	return d.random.Read(b)
}

func (d *dying) Get(name string) (string, error) {
	d.step()
	return d.chain.Get(name)
}

func (d *dying) Set(name, value string) error {
	d.step()
	defer d.step()
	return d.chain.Set(name, value)
}

func (d *dying) Delete(name string) error {
	d.step()
	defer d.step()
	return d.chain.Delete(name)
}

func config(dir string) access.Config {
	c := access.Config{Dir: dir, Now: time.Now, Random: rand.Reader}
	if os.Getenv(inKeyring) == "1" {
		c.Keychain, c.InKeychain = keychain.New("greenroom-test"), true
	}
	return c
}

func open(t *testing.T, c access.Config) *access.Access {
	t.Helper()
	a, err := access.Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func add(t *testing.T, a *access.Access, name, key string) plan.Plan {
	t.Helper()
	p, err := a.CreatePlan(t.Context(), "w", plan.Spec{Name: name, Protocol: preparer.OpenAI}, modelendpoint.NewKey(key))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// hold wants every plan to open with the key that it was stored with, which is its name with a head.
func hold(t *testing.T, a *access.Access, when string) int {
	t.Helper()
	all, err := a.Plans(t.Context(), "w")
	if err != nil {
		t.Fatalf("%s: %v", when, err)
	}
	for _, p := range all {
		if _, key, err := a.PlanWithKey(t.Context(), "w", p.ID); err != nil || key.Reveal() != "sk-canary-"+p.Name {
			t.Fatalf("%s: %s is lost: %v", when, p.Name, err)
		}
	}
	return len(all)
}

// A rotation that is killed between any two of its steps, or anywhere in one, has lost nothing, and the next one completes.
func TestARotationIsKilledAnywhere(t *testing.T) {
	t.Parallel()
	killed(t)
}

func killed(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	c := config(dir)
	running := open(t, c) // as a run on a plan is, which goes on meanwhile
	for _, name := range []string{"one", "two"} {
		add(t, running, name, "sk-canary-"+name)
	}
	rotate := func(step int) *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), rotatingDir+"="+dir, rotatingStep+"="+strconv.Itoa(step))
		return cmd
	}
	look := func(when string) {
		t.Helper()
		hold(t, running, when+", to who has it open")
		next := open(t, c)
		hold(t, next, when)
		// What was open goes on with the fresh secret. The plan goes again: each one makes a rotation a step longer.
		p := add(t, running, "more", "sk-canary-more")
		hold(t, next, when+", with one more")
		if err := errors.Join(running.DeletePlan(t.Context(), "w", p.ID, p.Revision), next.Close()); err != nil {
			t.Fatal(err)
		}
	}
	step := 1
	for ; ; step++ {
		out, err := rotate(step).CombinedOutput()
		if err == nil {
			break
		}
		if ended, ok := errors.AsType[*exec.ExitError](err); !ok || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
			t.Fatalf("step %d: %v %s", step, err, out)
		}
		look("a kill in step " + strconv.Itoa(step))
	}
	if step < 4 {
		t.Errorf("it was killed in %d steps only", step-1)
	}
	for n := range 12 {
		cmd := rotate(0)
		var said strings.Builder
		cmd.Stderr = &said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(mathrand.N(60 * time.Millisecond)) // where it is hit is chance; this is no waiting for anything
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if said.Len() > 0 {
			t.Fatalf("%s", said.String())
		}
		look("kill " + strconv.Itoa(n))
	}
	last := hold(t, running, "at last")
	if sealed, unreadable, err := access.Rotate(t.Context(), c); sealed != last || unreadable != 0 || err != nil {
		t.Errorf("%d of %d, %d, %v", sealed, last, unreadable, err)
	}
	hold(t, running, "rotated, to who has it open")
	hold(t, open(t, c), "rotated")
	file := secret.KeyFile{Path: filepath.Join(dir, access.KeyFile), Keychain: c.Keychain}
	if secrets, err := file.Read(); err != nil || len(secrets) != 1 {
		t.Errorf("%d secrets are left, %v", len(secrets), err)
	}
	if c.Keychain != nil {
		text, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(string(text), "keychain ")
		first := strings.TrimSuffix(strings.TrimSpace(strings.Split(name, "\n")[0]), "-2")
		_, one := c.Keychain.Get(first)
		_, two := c.Keychain.Get(first + "-2")
		if (one == nil) == (two == nil) {
			t.Errorf("the keychain has both: %v, %v", one, two)
		}
	}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") || err != nil {
			t.Errorf("left over: %s, %v", e.Name(), err)
		}
	}
}

// The same with the Secret Service itself, in a session of D-Bus of its own.
func TestARotationInTheKeychainIsKilledAnywhere(t *testing.T) {
	if os.Getenv(inKeyring) == "1" {
		killed(t)
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
		`printf 'a password' | gnome-keyring-daemon --unlock --components=secrets >/dev/null; exec "$0" -test.run '^TestARotationInTheKeychainIsKilledAnywhere$' -test.v`, os.Args[0])
	cmd.Env = []string{"HOME=" + dir, "XDG_RUNTIME_DIR=" + dir, "XDG_DATA_HOME=" + dir, "PATH=" + os.Getenv("PATH"), inKeyring + "=1"}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: TestARotationInTheKeychainIsKilledAnywhere") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Keys that are stored while the secret is rotated open afterwards, whoever stored them.
func TestKeysAreStoredDuringRotations(t *testing.T) {
	t.Parallel()
	c := config(filepath.Join(t.TempDir(), "data"))
	add(t, open(t, c), "first", "sk-canary-first")
	ctx, end := context.WithCancel(t.Context())
	defer end()
	var wait sync.WaitGroup
	for n := range 3 {
		a := open(t, c)
		wait.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name := strconv.Itoa(n) + "-" + strconv.Itoa(i)
				p, err := a.CreatePlan(t.Context(), "w", plan.Spec{Name: name, Protocol: preparer.OpenAI}, modelendpoint.NewKey("sk-canary-"+name))
				if err != nil {
					t.Error(err)
					return
				}
				if _, key, err := a.PlanWithKey(t.Context(), "w", p.ID); err != nil || key.Reveal() != "sk-canary-"+name {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	for range 15 {
		if _, unreadable, err := access.Rotate(t.Context(), c); err != nil || unreadable > 0 {
			t.Errorf("%d, %v", unreadable, err)
		}
	}
	end()
	wait.Wait()
	if n := hold(t, open(t, c), "afterwards"); n < 10 {
		t.Errorf("only %d were stored", n)
	}
}

// Without its key file an open directory still gives the keys that it has, and takes none that would be lost.
func TestNothingIsSealedWithALostSecret(t *testing.T) {
	t.Parallel()
	c := config(filepath.Join(t.TempDir(), "data"))
	a := open(t, c)
	p := add(t, a, "one", "sk-canary-one")
	file := filepath.Join(c.Dir, access.KeyFile)
	if err := os.Rename(file, file+"-away"); err != nil {
		t.Fatal(err)
	}
	hold(t, a, "without the file")
	if _, err := a.CreatePlan(t.Context(), "w", p.Spec, modelendpoint.NewKey("sk-canary-two")); err == nil {
		t.Error("a key was taken")
	}
	if err := os.Rename(file+"-away", file); err != nil {
		t.Fatal(err)
	}
	add(t, a, "two", "sk-canary-two")
	hold(t, open(t, c), "with the file again")
}
