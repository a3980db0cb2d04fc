package roster

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// PinFile is the name of the file that pins the adapters of its directory.
const PinFile = "adapters.json"

// Pins are the lower-case hexadecimal SHA-256 digests of adapters, by file name.
type Pins map[string]string

type pinFile struct {
	Schema   int  `json:"schema"`
	Adapters Pins `json:"adapters"`
}

const pinSchema = 1

// ReadPins reads the pins of a directory; a directory without a pin file has none. A file that is not understood
// whole is an error, since to read half of it would be to trust half of it.
func ReadPins(dir string) (Pins, error) {
	path := filepath.Join(dir, PinFile)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var f pinFile
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&f); err != nil || d.Decode(new(any)) != io.EOF {
		return nil, &PinError{Path: path, Detail: "is not valid"}
	}
	if f.Schema != pinSchema {
		return nil, &PinError{Path: path, Detail: fmt.Sprintf("has schema %d, only %d is known", f.Schema, pinSchema)}
	}
	for name, digest := range f.Adapters {
		raw, err := hex.DecodeString(digest)
		if err != nil || len(raw) != sha256.Size || hex.EncodeToString(raw) != digest {
			return nil, &PinError{Path: path, Detail: fmt.Sprintf("has no SHA-256 digest for %q", name)}
		}
	}
	return f.Adapters, nil
}

// PinError is a pin file that cannot be used.
type PinError struct{ Path, Detail string }

func (e *PinError) Error() string { return "the pin file " + e.Path + " " + e.Detail }

// ErrNone is a directory without adapters.
var ErrNone = errors.New("there is no adapter in the directory")

// Pin writes the pin file of a directory for all adapters that are in it now, replacing an older one as a whole. Where
// there are none it writes nothing and fails with ErrNone: the directory is hardly the one that was meant.
func Pin(dir string) (Pins, error) {
	names, err := binaries(dir)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, ErrNone
	}
	pins := Pins{}
	for _, name := range names {
		if pins[name], err = digest(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	data, err := json.MarshalIndent(pinFile{Schema: pinSchema, Adapters: pins}, "", "  ")
	if err != nil {
		return nil, err
	}
	return pins, replace(filepath.Join(dir, PinFile), append(data, '\n'))
}

func digest(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// replace writes a file so that a reader sees the old or the new one, never half of it.
func replace(path string, data []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+PinFile+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(data)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if err = errors.Join(err, tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}
