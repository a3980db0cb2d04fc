package oci_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/extension/oci"
)

func content(t testing.TB, signature []byte) *extension.Content {
	t.Helper()
	c, err := extension.NewContent(map[string][]byte{
		"tutti.agent.json": []byte(`{"schemaVersion":"tutti.agent.manifest.v2"}`), "README.md": []byte("# Acme\n"), "locales/en.json": []byte("{}"),
	}, signature)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func layout(t testing.TB, c *extension.Content) map[string][]byte {
	t.Helper()
	files, err := oci.Layout(c, "1.0.0+a")
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func place(t testing.TB, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, data := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestLayoutHoldsTheSamePackage(t *testing.T) {
	t.Parallel()
	for name, signature := range map[string][]byte{"signed": []byte(`{"signed":true}`), "unsigned": nil} {
		c := content(t, signature)
		files := layout(t, c)
		if !maps.EqualFunc(files, layout(t, c), bytes.Equal) {
			t.Errorf("%s: equal packages are unequal layouts", name)
		}
		dir := place(t, files)
		if !oci.Is(dir) || oci.Is(t.TempDir()) {
			t.Error("a layout is not told from another directory")
		}
		for _, tag := range []string{"", "1.0.0_a"} {
			got, err := oci.Read(t.Context(), dir, tag)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !slices.Equal(got.Names(), c.Names()) || string(got.Signature()) != string(signature) || !maps.Equal(got.Digests(), c.Digests()) {
				t.Errorf("%s: got %v", name, got.Names())
			}
		}
		if _, err := oci.Read(t.Context(), dir, "2.0.0"); !errors.Is(err, core.ErrPackage) {
			t.Errorf("another tag gave %v", err)
		}
	}
}

// Each single blob is held to its digest, and no link is followed.
func TestLayoutsThatWereChanged(t *testing.T) {
	t.Parallel()
	good := layout(t, content(t, []byte(`{"signed":true}`)))
	refused := func(t *testing.T, dir string) {
		t.Helper()
		c, err := oci.Read(t.Context(), dir, "")
		if err == nil && c.Signature() == nil {
			return // what has lost its signature is not signed, and refused for that
		}
		if !errors.Is(err, core.ErrPackage) {
			t.Errorf("gave %v, %v", c, err)
		}
	}
	blobs := 0
	for name, data := range good {
		if !strings.HasPrefix(name, "blobs/") || string(data) == "{}" { // the empty configuration is the same as an empty file of JSON
			continue
		}
		blobs++
		t.Run("changed "+name, func(t *testing.T) {
			files := maps.Clone(good)
			files[name] = bytes.Clone(data)
			files[name][len(data)/2] ^= 1
			refused(t, place(t, files))
			delete(files, name)
			refused(t, place(t, files))
			if runtime.GOOS != "windows" {
				dir := place(t, files)
				outside := filepath.Join(t.TempDir(), "blob")
				if err := os.WriteFile(outside, data, 0o600); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
				refused(t, dir)
			}
		})
	}
	if blobs < 5 {
		t.Errorf("there are only %d blobs", blobs)
	}
	for name, change := range map[string]func(map[string][]byte){
		"no index":  func(f map[string][]byte) { delete(f, "index.json") },
		"bad index": func(f map[string][]byte) { f["index.json"] = []byte("{") },
		"large": func(f map[string][]byte) {
			f["index.json"] = append(f["index.json"], bytes.Repeat([]byte(" "), 1<<20)...)
		},
		"no layout": func(f map[string][]byte) { delete(f, "oci-layout") },
		"two tags": func(f map[string][]byte) {
			var index map[string]any
			if err := json.Unmarshal(f["index.json"], &index); err != nil {
				t.Fatal(err)
			}
			list := index["manifests"].([]any)
			second := maps.Clone(list[0].(map[string]any))
			second["annotations"] = map[string]any{"org.opencontainers.image.ref.name": "other"}
			index["manifests"] = append(list, second)
			f["index.json"], _ = json.Marshal(index)
		},
	} {
		t.Run(name, func(t *testing.T) {
			files := maps.Clone(good)
			change(files)
			refused(t, place(t, files))
		})
	}
}
