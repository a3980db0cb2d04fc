package secret

import (
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// secretSize is the size of a secret in a key file, in bytes.
const secretSize = 32

// ReadFile reads the secrets of a key file, the newest first: one line of base64 each. A file that others can read or write
// is refused. One that there is not is an error that is fs.ErrNotExist.
func ReadFile(path string) ([][]byte, error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.Wrap(err, problem.Storage, "there is no key file")
	}
	if err == nil {
		err = private(info)
	}
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, problem.Wrap(err, problem.Storage, "the key file cannot be read").WithHint("mend its owner and mode")
	}
	defer clear(data)
	var secrets [][]byte
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(s) != secretSize {
			return nil, problem.New(problem.Storage, "", "the key file is damaged").WithHint("bring it back from a backup; without it, keys of plans have to be entered again")
		}
		secrets = append(secrets, s)
	}
	if len(secrets) == 0 {
		return nil, problem.New(problem.Storage, "", "the key file is empty").WithHint("bring it back from a backup; without it, keys of plans have to be entered again")
	}
	return secrets, nil
}

// EnsureFile reads a key file, and makes one with a fresh secret where there is none. Of several that make it at once one
// wins, and all read the same.
func EnsureFile(path string, random io.Reader) ([][]byte, error) {
	secrets, err := ReadFile(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return secrets, err
	}
	if err := write(path, random, nil, os.Link); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return ReadFile(path)
}

// Rotate puts a fresh secret in front of those of a key file. What older ones sealed can still be opened; a store seals it
// anew, and then [Prune] takes them away.
func Rotate(path string, random io.Reader) ([][]byte, error) {
	secrets, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	if err := write(path, random, secrets, os.Rename); err != nil {
		return nil, err
	}
	return ReadFile(path)
}

const head = "# Greenroom opens the keys of model plans with this. Without it they have to be entered again.\n"

// write puts a fresh secret and older ones in the place of path.
func write(path string, random io.Reader, older [][]byte, place func(from, to string) error) error {
	fresh := make([]byte, secretSize)
	if _, err := io.ReadFull(random, fresh); err != nil {
		return problem.Wrap(err, problem.Storage, "there is no randomness for a secret")
	}
	return replace(path, append([][]byte{fresh}, older...), place)
}

// replace writes secrets to a file beside path, and puts that in its place.
func replace(path string, secrets [][]byte, place func(from, to string) error) error {
	fail := func(err error) error {
		return problem.Wrap(err, problem.Storage, "the key file cannot be written").WithHint("mend the owner and mode of its directory")
	}
	var text strings.Builder
	text.WriteString(head)
	for _, s := range secrets {
		text.WriteString(base64.StdEncoding.EncodeToString(s) + "\n")
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(err)
	}
	f, err := os.CreateTemp(dir, ".key-*") // mode 0600
	if err != nil {
		return fail(err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(text.String())
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = place(f.Name(), path)
	}
	if err != nil {
		return fail(err)
	}
	return nil
}

// Prune takes all secrets but the newest away from a key file. What the others sealed can never be opened again.
func Prune(path string) error {
	secrets, err := ReadFile(path)
	if err != nil || len(secrets) == 1 {
		return err
	}
	return replace(path, secrets[:1], os.Rename)
}
