package access

import (
	"crypto/sha256"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"

	"github.com/greenroom-agents/greenroom/daemon/secret"
)

func (c Config) keyFile() secret.KeyFile {
	return secret.KeyFile{Path: filepath.Join(c.Dir, KeyFile), Random: c.Random, Keychain: c.Keychain, Put: c.InKeychain}
}

// keys is what credentials are sealed with, as the key file says it now: another process may rotate it at any time.
type keys struct {
	c Config

	mu   sync.Mutex
	of   [sha256.Size]byte // the file that the ring was made of
	made *secret.Ring
}

// ring gives the keys. Nothing but the small file is read while it stays as it is. When it is gone or cannot be read any
// more, the keys of before come with the error: they open, but what they seal might be lost.
func (k *keys) ring() (*secret.Ring, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	file := k.c.keyFile()
	// Taken first, so that a file which is replaced meanwhile is read again the next time.
	of, err := file.State()
	if k.c.Secret != "" && errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err == nil && k.made != nil && of == k.of {
		return k.made, nil
	}
	var made *secret.Ring
	if err == nil || k.made == nil {
		made, err = k.c.ring(file)
	}
	if err != nil {
		return k.made, err
	}
	k.of, k.made = of, made
	return made, nil
}

// ring makes the keys. Without a secret of the host's there has to be a key file.
func (c Config) ring(file secret.KeyFile) (*secret.Ring, error) {
	var secrets [][]byte
	var err error
	if c.Secret == "" {
		secrets, err = file.Ensure()
	} else if secrets, err = file.Read(); errors.Is(err, fs.ErrNotExist) {
		secrets, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	if c.Secret != "" {
		secrets = append([][]byte{[]byte(c.Secret)}, secrets...)
	}
	r, err := secret.NewRing(c.Random, secrets...)
	if err != nil {
		return nil, err
	}
	return r.WithLegacy(c.Legacy...)
}
