package rig

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
)

// Entry is what a snapshot knows of one file, directory or link.
type Entry struct {
	Mode   fs.FileMode
	Sum    string // of a regular file: SHA-256 of its content
	Target string // of a link
}

// Snapshot is a directory tree, by slash path below its root. The root itself is ".".
type Snapshot map[string]Entry

// Take makes a snapshot. No link is followed. A directory that does not exist gives an empty snapshot.
func Take(dir string) (Snapshot, error) {
	snapshot := Snapshot{}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		entry := Entry{Mode: info.Mode()}
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(data)
			entry.Sum = hex.EncodeToString(sum[:])
		case info.Mode()&fs.ModeSymlink != 0:
			if entry.Target, err = os.Readlink(name); err != nil {
				return err
			}
		}
		snapshot[filepath.ToSlash(rel)] = entry
		return nil
	})
	if os.IsNotExist(err) && len(snapshot) == 0 {
		return snapshot, nil
	}
	if err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	return snapshot, nil
}

// Changes lists what differs in a later snapshot, sorted. Paths that own names, and everything below them, may differ;
// so may the existence of a directory that leads to such a path.
func (s Snapshot) Changes(later Snapshot, own ...string) []string {
	var changes []string
	note := func(what, name string) { changes = append(changes, what+" "+name) }
	for name, before := range s {
		after, ok := later[name]
		switch {
		case belongs(name, own):
		case !ok:
			note("removed", name)
		case after != before:
			note("changed", name)
		}
	}
	for name, after := range later {
		if _, ok := s[name]; ok || belongs(name, own) || after.Mode.IsDir() && leads(name, own) {
			continue
		}
		note("created", name)
	}
	sort.Strings(changes)
	return changes
}

// belongs says whether a path is one of own, which may hold patterns as in path.Match, or lies below one.
func belongs(name string, own []string) bool {
	for {
		for _, pattern := range own {
			if ok, err := path.Match(pattern, name); ok && err == nil {
				return true
			}
		}
		parent := path.Dir(name)
		if parent == name || parent == "." {
			return false
		}
		name = parent
	}
}

func leads(name string, own []string) bool {
	for _, pattern := range own {
		if strings.HasPrefix(pattern, name+"/") {
			return true
		}
	}
	return false
}
