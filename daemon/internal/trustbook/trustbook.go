package trustbook

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Book is a directory of answers. It is made with the first one.
type Book struct {
	Dir string
	Now func() time.Time
}

// entry is one answer.
type entry struct {
	Workspace string    `json:"workspace"` // absolute, without links
	Said      time.Time `json:"said"`
}

// file is where the answer about a workspace is kept, and the workspace without links.
func (b Book) file(workspace string) (file, real string, err error) {
	if real, err = filepath.EvalSymlinks(workspace); err != nil {
		return "", "", err
	}
	if real, err = filepath.Abs(real); err != nil {
		return "", "", err
	}
	sum := sha256.Sum256([]byte(real))
	return filepath.Join(b.Dir, hex.EncodeToString(sum[:])+".json"), real, nil
}

// Trusts says whether the person said that they trust a workspace.
func (b Book) Trusts(workspace string) bool {
	file, real, err := b.file(workspace)
	if err != nil {
		return false
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return false
	}
	var e entry
	return json.Unmarshal(data, &e) == nil && e.Workspace == real
}

// Remember keeps that the person trusts a workspace.
func (b Book) Remember(workspace string) error {
	file, real, err := b.file(workspace)
	if err != nil {
		return err
	}
	data, err := json.Marshal(entry{Workspace: real, Said: b.Now().UTC()})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(b.Dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(b.Dir, ".new-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(append(data, '\n'))
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

// Forget takes an answer back. One that there is not is forgotten already.
func (b Book) Forget(workspace string) error {
	file, _, err := b.file(workspace)
	if err == nil {
		err = os.Remove(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
