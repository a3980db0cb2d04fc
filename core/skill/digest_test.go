package skill_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/skill"
)

// preimage is what the digest of a bundle is taken of: a label, and every path with the bytes of its file, each with its
// length in front. Modes are the same for all files and are no part of it.
func preimage(files map[string][]byte) []byte {
	var b []byte
	field := func(data []byte) { b = append(binary.BigEndian.AppendUint64(b, uint64(len(data))), data...) }
	field([]byte("greenroom skill bundle 1"))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		field([]byte(name))
		field(files[name])
	}
	return b
}

// decoded reads a preimage back. That this is possible is why no two bundles have one preimage.
func decoded(b []byte) (map[string][]byte, bool) {
	var fields [][]byte
	for len(b) > 0 {
		if len(b) < 8 {
			return nil, false
		}
		n := binary.BigEndian.Uint64(b)
		if b = b[8:]; n > uint64(len(b)) {
			return nil, false
		}
		fields, b = append(fields, b[:n]), b[n:]
	}
	if len(fields)%2 != 1 {
		return nil, false
	}
	files := map[string][]byte{}
	for i := 1; i < len(fields); i += 2 {
		files[string(fields[i])] = fields[i+1]
	}
	return files, true
}

// The digest of a bundle says what its files are: it is the one that is computed here apart from the code, of something
// that can be read back, and it differs where any path or byte does.
func FuzzBundleDigest(f *testing.F) {
	f.Add("a.md", []byte("one"), "b/c", []byte("two"), "b/c", []byte("tw"))
	f.Add("a", []byte("\xff"), "b", []byte("\xfe"), "b", []byte("\xff"))
	f.Add("ab", []byte("c"), "x", []byte{}, "a", []byte("bc"))
	f.Fuzz(func(t *testing.T, p1 string, d1 []byte, p2 string, d2 []byte, p3 string, d3 []byte) {
		bundle := func(files map[string][]byte) (string, map[string][]byte, error) {
			named := one("x/a", "alpha", "text")
			maps.Copy(named.Skill.Files, files)
			return skill.Preview([]skill.Named{named, one("x/b", "beta", "text")})
		}
		type made struct {
			digest string
			files  map[string][]byte
		}
		var all []made
		for _, files := range []map[string][]byte{{p1: d1}, {p1: d1, p2: d2}, {p1: d1, p3: d3}, {p3: d3}, {p1: d2, p2: d1}} {
			digest, whole, err := bundle(files)
			if err != nil {
				continue // no skill may have these paths
			}
			of := preimage(whole)
			if sum := sha256.Sum256(of); hex.EncodeToString(sum[:]) != digest {
				t.Errorf("the digest of %q is %s", slices.Sorted(maps.Keys(whole)), digest)
			}
			if back, ok := decoded(of); !ok || !maps.EqualFunc(whole, back, bytes.Equal) {
				t.Errorf("%q cannot be read back", slices.Sorted(maps.Keys(whole)))
			}
			for _, other := range all {
				if same := maps.EqualFunc(whole, other.files, bytes.Equal); same != (digest == other.digest) {
					t.Errorf("equal files: %v, and digests %s and %s", same, digest, other.digest)
				}
			}
			all = append(all, made{digest, whole})
		}
	})
}

// Somebody who does not know our lock has published the same bundle just before we do.
func TestC191_LoserOfARaceTakesTheWinner(t *testing.T) {
	t.Parallel()
	winner, dir := t.TempDir(), t.TempDir()
	won := put(t, open(t, winner, nil), one("x/a", "alpha", "first"))
	raced := false
	store := open(t, dir, &fsroot.Seam{Before: func(_ int64, op, name string) error {
		if op != fsroot.OpRename || raced {
			return nil
		}
		raced = true
		at := filepath.Join(dir, won.Rel)
		return os.CopyFS(at, os.DirFS(filepath.Join(winner, won.Rel)))
	}})
	b := put(t, store, one("x/a", "alpha", "first"))
	if !raced || b.Rel != won.Rel || b.Repaired {
		t.Errorf("raced: %v, %+v", raced, b)
	}
	if diff := cmp.Diff(tree(t, filepath.Join(winner, won.Rel)), tree(t, filepath.Join(dir, b.Rel))); diff != "" {
		t.Error(diff)
	}
	for _, name := range names(t, filepath.Join(dir, "skills")) {
		if strings.HasPrefix(name, ".") {
			t.Errorf("%s is left", name)
		}
	}
}
