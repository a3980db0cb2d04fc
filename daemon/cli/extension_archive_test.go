package cli_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/extension"
)

// bomb is a whole archive with files more that are nothing but zeros.
func bomb(t *testing.T, whole []byte, files, size int) []byte {
	t.Helper()
	from, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range from.File {
		if err := w.Copy(f); err != nil {
			t.Fatal(err)
		}
	}
	for i := range files {
		h := &zip.FileHeader{Name: fmt.Sprintf("docs/b%d.json", i), Method: zip.Deflate}
		h.SetMode(0o644)
		f, err := w.CreateHeader(h)
		if err == nil {
			_, err = io.CopyN(f, zeros{}, int64(size))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// lying makes the directory of an archive say that its last file is small.
func lying(t *testing.T, data []byte, size int) []byte {
	t.Helper()
	i := bytes.LastIndex(data, []byte("PK\x01\x02"))
	if i < 0 {
		t.Fatal("it has no directory")
	}
	data = bytes.Clone(data)
	data[i+24], data[i+25], data[i+26], data[i+27] = byte(size), byte(size>>8), byte(size>>16), byte(size>>24)
	return data
}

// everything is what lies below a directory: modes, times and bytes.
func everything(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprint(info.Mode(), info.ModTime().UnixNano())
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			line += " " + hex.EncodeToString(sum[:])
		}
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = line
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// C346: an archive that unfolds to more than a package may have is refused where people install one, whoever signed it and
// whatever they allow, and nothing is written: neither where nothing is installed yet nor where the package itself is.
func TestC346_BombsAreNotInstalled(t *testing.T) {
	t.Parallel()
	w := acme(t)
	w.must("extension", "sign", "acme", "--key", "acme.key")
	w.must("extension", "pack", "acme", "--output", "acme.zip")
	whole, err := os.ReadFile(filepath.Join(w.project, "acme.zip"))
	if err != nil {
		t.Fatal(err)
	}
	bombs := map[string][]byte{
		"one.zip":   bomb(t, whole, 1, extension.MaxTotal+1),
		"file.zip":  bomb(t, whole, 1, extension.MaxFile+1),
		"total.zip": bomb(t, whole, extension.MaxTotal/extension.MaxFile, extension.MaxFile),
		"lying.zip": lying(t, bomb(t, whole, 1, extension.MaxFile+1), 100),
	}
	for name, data := range bombs {
		if len(data) > 1<<20 {
			t.Fatalf("%s is no bomb: %d bytes", name, len(data))
		}
		w.write(filepath.Join(w.project, name), string(data), 0o644)
	}
	for _, installed := range []bool{false, true} {
		if installed {
			w.must("extension", "install", "acme.zip")
		}
		before := everything(t, filepath.Dir(w.home))
		for name := range bombs {
			for _, more := range [][]string{nil, {"--unsafe-unsigned"}} {
				args := append([]string{"extension", "install", name}, more...)
				says := "bytes"
				if name == "lying.zip" {
					says = "is not what the archive says of it"
				}
				w.refused("package_refused", []string{says}, args...)
				if diff := cmp.Diff(before, everything(t, filepath.Dir(w.home))); diff != "" {
					t.Errorf("%s, installed before: %v (-before +after):\n%s", strings.Join(args, " "), installed, diff)
				}
			}
		}
	}
}
