package secret_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/daemon/secret"
)

func file(path string) secret.KeyFile { return secret.KeyFile{Path: path, Random: rand.Reader} }

func TestAKeyFileIsMadeOnceAndForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "key")
	if _, err := file(path).Read(); !errors.Is(err, fs.ErrNotExist) || !errors.Is(err, problem.Storage) {
		t.Fatalf("%v", err)
	}
	var wait sync.WaitGroup
	got := make([][][]byte, 8)
	for i := range got {
		wait.Go(func() {
			var err error
			if got[i], err = file(path).Ensure(); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, g := range got {
		if len(g) != 1 || len(g[0]) != 32 || !bytes.Equal(g[0], got[0][0]) {
			t.Fatal("those that made it at once have different secrets")
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
		t.Errorf("left over: %v, %v", entries, err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := file(path).Read(); !errors.Is(err, problem.Storage) || !strings.Contains(err.Error(), "open to others") {
		t.Errorf("%v", err)
	}
}

func TestAKeyFileIsRotatedAndPruned(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	first, err := file(path).Ensure()
	if err != nil {
		t.Fatal(err)
	}
	both, err := file(path).Rotate()
	if err != nil || len(both) != 2 || !bytes.Equal(both[1], first[0]) || bytes.Equal(both[0], both[1]) {
		t.Fatalf("%d, %v", len(both), err)
	}
	if err := file(path).Prune(first[0]); err != nil {
		t.Fatal(err)
	}
	if rest, err := file(path).Read(); err != nil || len(rest) != 2 {
		t.Errorf("what is the newest no more took others away: %d, %v", len(rest), err)
	}
	if err := file(path).Prune(both[0]); err != nil {
		t.Fatal(err)
	}
	if rest, err := file(path).Read(); err != nil || len(rest) != 1 || !bytes.Equal(rest[0], both[0]) {
		t.Errorf("%d, %v", len(rest), err)
	}
}

func TestAKeyFileThatCannotBeReachedIsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "file", "key") // of which the directory is a file
	if err := os.WriteFile(filepath.Dir(path), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := file(path).Read(); !errors.Is(err, problem.Storage) || strings.Contains(err.Error(), dir) {
		t.Errorf("%v", err)
	}
}

func TestADamagedKeyFileIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"empty": "# nothing\n", "short": "c2hvcnQ=\n", "words": "not base64 at all\n"} {
		path := filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := file(path).Ensure(); !errors.Is(err, problem.Storage) {
			t.Errorf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%s: it was changed", name)
		}
	}
}
