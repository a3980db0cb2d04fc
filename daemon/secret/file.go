package secret

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
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

// Keychain is the place for secrets of an operating system, or of a host. Names are made here and tell nothing.
type Keychain interface {
	Get(name string) (string, error)
	Set(name, value string) error
	Delete(name string) error
}

// KeyFile is the file of a data directory that says with what its credentials are sealed: it holds the secrets, or the name
// under which a keychain has them. Path and Random are required.
type KeyFile struct {
	Path   string
	Random io.Reader
	// Keychain is where secrets are that the file does not hold itself. nil: such a file cannot be read.
	Keychain Keychain
	// Put says that fresh secrets go into Keychain. Those that are there stay where they are until [KeyFile.Rotate].
	Put bool
}

// inKeychain begins the line with the name under which a keychain has the secrets.
const inKeychain = "keychain "

// Read gives the secrets, the newest first. A file that others can read or write is refused. One that there is not is an
// error that is fs.ErrNotExist.
func (k KeyFile) Read() ([][]byte, error) {
	for before := ""; ; {
		text, err := k.text()
		if err != nil {
			return nil, err
		}
		defer clear(text)
		name := nameIn(text)
		if name == "" {
			return parse(text)
		}
		if k.Keychain == nil {
			return nil, problem.New(problem.Storage, "", "the secret of the data directory is in a keychain, and none is given")
		}
		held, err := k.Keychain.Get(name)
		switch {
		case err == nil:
			return parse([]byte(held))
		case name != before:
			before = name // a rotation may have taken it out since the file was read, which names another one then
		default:
			return nil, problem.Wrap(err, problem.Storage, "the keychain does not give the secret of the data directory").
				WithHint("unlock it; if the secret is gone from there, take the key file away and enter the keys of plans again")
		}
	}
}

// State is a digest of the file, by which it is seen that the secrets were replaced. No keychain is asked.
func (k KeyFile) State() ([sha256.Size]byte, error) {
	text, err := k.text()
	defer clear(text)
	return sha256.Sum256(text), err
}

func (k KeyFile) text() ([]byte, error) {
	info, err := os.Lstat(k.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, problem.Wrap(err, problem.Storage, "there is no key file")
	}
	if err == nil {
		if err := private(info); err != nil {
			return nil, err
		}
		var text []byte
		if text, err = os.ReadFile(k.Path); err == nil {
			return text, nil
		}
	}
	return nil, problem.Wrap(err, problem.Storage, "the key file cannot be read").WithHint("mend the owner and mode of it and of its directory")
}

// nameIn is the name under which a keychain has the secrets, "" when the text has them itself.
func nameIn(text []byte) string {
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), inKeychain); ok {
			return name
		}
	}
	return ""
}

func parse(text []byte) ([][]byte, error) {
	const again = "bring it back from a backup; without one take it away, and enter the keys of plans again"
	var secrets [][]byte
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := base64.StdEncoding.DecodeString(line)
		if err != nil || len(s) != secretSize {
			return nil, problem.New(problem.Storage, "", "the key file is damaged").WithHint(again)
		}
		secrets = append(secrets, s)
	}
	if len(secrets) == 0 {
		return nil, problem.New(problem.Storage, "", "the key file is empty").WithHint(again)
	}
	return secrets, nil
}

// Ensure reads the secrets, and makes a file with a fresh one where there is none. Of several that make it at once one wins,
// and all read the same.
func (k KeyFile) Ensure() ([][]byte, error) {
	secrets, err := k.Read()
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return secrets, err
	}
	made := k.fresh(nil, os.Link)
	if secrets, err = k.Read(); err != nil && made != nil {
		err = made
	}
	return secrets, err
}

// Rotate puts a fresh secret in front of the others, and all of them where Put says. What older ones sealed can still be
// opened; a store seals it anew, and then [KeyFile.Prune] takes them away.
func (k KeyFile) Rotate() ([][]byte, error) {
	secrets, err := k.Read()
	if err != nil {
		return nil, err
	}
	if err := k.fresh(secrets, over); err != nil {
		return nil, err
	}
	return k.Read()
}

// Prune takes all secrets but the newest away, which is the one that everything was sealed with anew. What the others sealed
// can never be opened again. When another rotation has put a newer one in front, it is left to that.
func (k KeyFile) Prune(newest []byte) error {
	secrets, err := k.Read()
	if err != nil || len(secrets) == 1 || !bytes.Equal(secrets[0], newest) {
		return err
	}
	return k.replace(secrets[:1], over)
}

// written begins the names of files that are to become the key file.
const written = ".key-"

// over puts a file in the place of the key file. What others that were killed had written beside it goes: it may hold
// secrets that are to be no more.
func over(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	dir := filepath.Dir(to)
	left, err := os.ReadDir(dir)
	for _, one := range left {
		if strings.HasPrefix(one.Name(), written) {
			err = errors.Join(err, os.Remove(filepath.Join(dir, one.Name())))
		}
	}
	return err
}

// fresh puts a fresh secret and older ones in the place of the file.
func (k KeyFile) fresh(older [][]byte, place func(from, to string) error) error {
	one := make([]byte, secretSize)
	if _, err := io.ReadFull(k.Random, one); err != nil {
		return problem.Wrap(err, problem.Storage, "there is no randomness for a secret")
	}
	return k.replace(append([][]byte{one}, older...), place)
}

const head = "# Greenroom opens the keys of model plans with this. Without it they have to be entered again.\n"

// replace puts secrets in the place of the file's. In a keychain they have a name of their own before the file says it, so
// that whoever is killed here leaves the file with what it says; what nothing names any more is taken out at last.
func (k KeyFile) replace(secrets [][]byte, place func(from, to string) error) error {
	var text strings.Builder
	for _, s := range secrets {
		text.WriteString(base64.StdEncoding.EncodeToString(s) + "\n")
	}
	if !k.Put {
		return k.swap(text.String(), place)
	}
	if k.Keychain == nil {
		return problem.New(problem.Storage, "", "secrets are to be put into a keychain, and none is given")
	}
	old, _ := os.ReadFile(k.Path)
	fresh, err := k.name()
	if err != nil {
		return err
	}
	name := free(nameIn(old), fresh)
	if err := k.Keychain.Set(name, text.String()); err != nil {
		return problem.Wrap(err, problem.Storage, "the keychain does not take the secret of the data directory").WithHint("unlock it, or keep the secret in the key file")
	}
	// Names come again, files do not: by that others see that the secrets were replaced.
	if err := k.swap(inKeychain+name+"\n# "+fresh+"\n", place); err != nil {
		if now, unread := os.ReadFile(k.Path); unread == nil && nameIn(now) != name {
			_ = k.Keychain.Delete(name) // nothing names it
		}
		return err
	}
	return nil
}

// free is the name for secrets that take the place of those under another one, which is fresh when there are none. Two of
// them take turns, so that what somebody who was killed left under the free one is overwritten, and not forgotten.
func free(used, fresh string) string {
	const turn = "-2"
	if other, ok := strings.CutSuffix(used, turn); ok {
		return other
	}
	if used != "" {
		return used + turn
	}
	return fresh
}

func (k KeyFile) name() (string, error) {
	var id [16]byte
	if _, err := io.ReadFull(k.Random, id[:]); err != nil {
		return "", problem.Wrap(err, problem.Storage, "there is no randomness for a name")
	}
	return hex.EncodeToString(id[:]), nil
}

// swap writes what a key file holds beside it, and puts that in its place. What the old one named in a keychain goes.
func (k KeyFile) swap(body string, place func(from, to string) error) error {
	fail := func(err error) error {
		return problem.Wrap(err, problem.Storage, "the key file cannot be written").WithHint("mend the owner and mode of its directory")
	}
	old, _ := os.ReadFile(k.Path)
	dir := filepath.Dir(k.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fail(err)
	}
	f, err := os.CreateTemp(dir, written+"*") // mode 0600
	if err != nil {
		return fail(err)
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString(head + body)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = place(f.Name(), k.Path)
	}
	if err == nil {
		err = settle(dir) // before anything is stored that only this opens
	}
	if err != nil {
		return fail(err)
	}
	if name := nameIn(old); name != "" && k.Keychain != nil {
		_ = k.Keychain.Delete(name)
	}
	return nil
}
