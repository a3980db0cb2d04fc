package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// snapshot is what a folder holds: mode and content, or target, of everything in it, by slash path.
type snapshot map[string]string

// fingerprint reads a folder but for one in it; links are not followed.
func fingerprint(dir, except string) (snapshot, error) {
	p := snapshot{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir {
			return err
		}
		if path == except {
			return fs.SkipDir
		}
		rel, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		line := info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			line += " " + target
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %x", sha256.Sum256(data))
		}
		p[filepath.ToSlash(rel)] = line
		return nil
	})
	return p, err
}

// digest is one short name for all that a folder holds.
func (p snapshot) digest() string {
	h := sha256.New()
	for _, path := range slices.Sorted(maps.Keys(p)) {
		fmt.Fprintf(h, "%s\x00%s\x00", path, p[path])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// changes lists the paths that differ, sorted.
func (p snapshot) changes(now snapshot) []string {
	var paths []string
	for path := range p {
		if p[path] != now[path] {
			paths = append(paths, path)
		}
	}
	for path := range now {
		if _, ok := p[path]; !ok {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
