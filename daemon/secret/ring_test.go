package secret_test

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/secret"
)

const canary = "sk-canary-5c2e8d7f1a"

var here = secret.Place{Workspace: "w", Plan: "mp-1", Revision: 3}

func ring(t *testing.T, secrets ...string) *secret.Ring {
	t.Helper()
	var all [][]byte
	for _, s := range secrets {
		all = append(all, []byte(strings.Repeat(s, 16)))
	}
	r, err := secret.NewRing(rand.Reader, all...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestWhatIsSealedOpensAtItsPlaceOnly(t *testing.T) {
	t.Parallel()
	r := ring(t, "a")
	text, err := r.Seal(modelendpoint.NewKey(canary), here)
	if err != nil || strings.Contains(text, canary) || !strings.HasPrefix(text, "v1.") {
		t.Fatalf("%q, %v", text, err)
	}
	if key, err := r.Open(text, here); err != nil || key.Reveal() != canary {
		t.Errorf("%v, %v", key, err)
	}
	if again, _ := r.Seal(modelendpoint.NewKey(canary), here); again == text {
		t.Error("two seals of one key are equal")
	}
	last := text[len(text)-1:]
	damaged := strings.TrimSuffix(text, last) + map[bool]string{true: "B", false: "A"}[last == "A"]
	for name, c := range map[string]struct {
		ring *secret.Ring
		text string
		at   secret.Place
	}{
		"another workspace": {r, text, secret.Place{Workspace: "v", Plan: "mp-1", Revision: 3}},
		"another plan":      {r, text, secret.Place{Workspace: "w", Plan: "mp-2", Revision: 3}},
		"another revision":  {r, text, secret.Place{Workspace: "w", Plan: "mp-1", Revision: 4}},
		"shifted names":     {r, text, secret.Place{Workspace: "wm", Plan: "p-1", Revision: 3}},
		"another key":       {ring(t, "b"), text, here},
		"damaged":           {r, damaged, here},
		"no version":        {r, strings.TrimPrefix(text, "v1."), here},
		"nothing":           {r, "v1.", here},
	} {
		if key, err := c.ring.Open(c.text, c.at); !errors.Is(err, problem.Unreadable) || !key.IsZero() {
			t.Errorf("%s: %v, %v", name, key, err)
		}
	}
	if text, err := r.Seal(modelendpoint.Key{}, here); text != "" || err != nil {
		t.Errorf("no key is sealed as %q, %v", text, err)
	}
	if key, err := r.Open("", here); err != nil || !key.IsZero() {
		t.Errorf("%v, %v", key, err)
	}
}

func TestARingOpensWhatItsOlderKeysSealed(t *testing.T) {
	t.Parallel()
	old := ring(t, "a")
	text, err := old.Seal(modelendpoint.NewKey(canary), here)
	if err != nil {
		t.Fatal(err)
	}
	both := ring(t, "b", "a")
	if key, err := both.Open(text, here); err != nil || key.Reveal() != canary || both.Current(text) {
		t.Errorf("%v, %v", key, err)
	}
	fresh, err := both.Seal(modelendpoint.NewKey(canary), here)
	if err != nil || !both.Current(fresh) || !both.Current("") {
		t.Errorf("%v", err)
	}
	if _, err := old.Open(fresh, here); !errors.Is(err, problem.Unreadable) {
		t.Errorf("the old key opens what the new one sealed: %v", err)
	}
	if _, err := secret.NewRing(rand.Reader, []byte("short")); err == nil {
		t.Error("a short secret is taken")
	}
	if _, err := secret.NewRing(rand.Reader); err == nil {
		t.Error("no secret is taken")
	}
}

// legacySeal is how earlier installations sealed.
func legacySeal(t *testing.T, from, plain string) string {
	t.Helper()
	sum := sha256.Sum256([]byte(from))
	block, err := aes.NewCipher(sum[:])
	if err != nil {
		t.Fatal(err)
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		t.Fatal(err)
	}
	nonce := bytes.Repeat([]byte{7}, aead.NonceSize())
	return base64.StdEncoding.EncodeToString(aead.Seal(nonce, nonce, []byte(plain), nil))
}

func TestWhatEarlierInstallationsSealedOpens(t *testing.T) {
	t.Parallel()
	r, err := ring(t, "a").WithLegacy(secret.Legacy{Secret: "from the environment", Host: "machine", ConfigDir: "/home/someone/.config"})
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []string{"from the environment", "tutti-managed-credentials:machine:/home/someone/.config"} {
		text := legacySeal(t, from, canary)
		if key, err := r.Open(text, here); err != nil || key.Reveal() != canary || r.Current(text) {
			t.Errorf("%s: %v, %v", from, key, err)
		}
	}
	if _, err := r.Open(legacySeal(t, "another machine", canary), here); !errors.Is(err, problem.Unreadable) {
		t.Errorf("%v", err)
	}
	if _, err := ring(t, "a").Open(legacySeal(t, "from the environment", canary), here); !errors.Is(err, problem.Unreadable) {
		t.Errorf("without the legacy keys: %v", err)
	}
}
