package secret_test

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/secret"
)

// chain is a keychain in memory. The real one has a test of its own in package keychain.
type chain struct {
	mu     sync.Mutex
	held   map[string]string
	locked bool
}

var errLocked = errors.New("locked")

func (c *chain) Get(name string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	value, ok := c.held[name]
	if c.locked || !ok {
		return "", errLocked
	}
	return value, nil
}

func (c *chain) Set(name, value string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.locked {
		return errLocked
	}
	c.held[name] = value
	return nil
}

func (c *chain) Delete(name string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.held, name)
	return nil
}

func TestSecretsInAKeychain(t *testing.T) {
	t.Parallel()
	c := &chain{held: map[string]string{}}
	k := secret.KeyFile{Path: filepath.Join(t.TempDir(), "d", "key"), Random: rand.Reader, Keychain: c, Put: true}
	got := make([][][]byte, 8)
	var wait sync.WaitGroup
	for i := range got {
		wait.Go(func() {
			var err error
			if got[i], err = k.Ensure(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, one := range got {
		if len(one) != 1 || !bytes.Equal(one[0], got[0][0]) {
			t.Fatalf("%d secrets", len(one))
		}
	}
	if len(c.held) != 1 {
		t.Errorf("%d are in the keychain, one is used", len(c.held))
	}
	text, err := os.ReadFile(k.Path)
	if err != nil || !strings.Contains(string(text), "\nkeychain ") {
		t.Errorf("%s, %v", text, err)
	}
	both, err := k.Rotate()
	if err != nil || len(both) != 2 || !bytes.Equal(both[1], got[0][0]) || len(c.held) != 1 {
		t.Fatalf("%d, %v, %d in the keychain", len(both), err, len(c.held))
	}
	if err := k.Prune(both[0]); err != nil {
		t.Fatal(err)
	}
	if rest, err := k.Read(); err != nil || len(rest) != 1 || !bytes.Equal(rest[0], both[0]) || len(c.held) != 1 {
		t.Errorf("%d, %v", len(rest), err)
	}

	c.locked = true
	for name, k := range map[string]secret.KeyFile{
		"locked": k, "without a keychain": {Path: k.Path, Random: rand.Reader}, "nothing yet": {Path: k.Path + "2", Random: rand.Reader, Keychain: c, Put: true},
	} {
		if _, err := k.Ensure(); !errors.Is(err, problem.Storage) || strings.Contains(err.Error(), k.Path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Lstat(k.Path + "2"); !os.IsNotExist(err) {
		t.Errorf("there is a file that names nothing: %v", err)
	}
}

// A file goes into the keychain when its secret is rotated, and back.
func TestSecretsMoveWhenTheyAreRotated(t *testing.T) {
	t.Parallel()
	c := &chain{held: map[string]string{}}
	k := secret.KeyFile{Path: filepath.Join(t.TempDir(), "key"), Random: rand.Reader, Keychain: c}
	first, err := k.Ensure()
	if err != nil || len(c.held) != 0 {
		t.Fatal(err)
	}
	k.Put = true
	if same, err := k.Ensure(); err != nil || !bytes.Equal(same[0], first[0]) || len(c.held) != 0 {
		t.Fatalf("%v: what is there stays where it is", err)
	}
	moved, err := k.Rotate()
	if err != nil || len(moved) != 2 || len(c.held) != 1 {
		t.Fatalf("%d, %v", len(moved), err)
	}
	text, err := os.ReadFile(k.Path)
	if err != nil || len(strings.Split(strings.TrimSpace(string(text)), "\n")) != 3 {
		t.Errorf("%s", text)
	}
	for _, s := range moved {
		if strings.Contains(string(text), base64.StdEncoding.EncodeToString(s)) {
			t.Errorf("a secret is still in the file: %s", text)
		}
	}
	k.Put = false
	back, err := k.Rotate()
	if err != nil || len(back) != 3 || len(c.held) != 0 {
		t.Errorf("%d, %v, %d in the keychain", len(back), err, len(c.held))
	}
}
