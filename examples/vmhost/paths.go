package vmhost

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
)

// Paths maps directories as the client calls them, clean, absolute and with slashes, to those of the agents' machine.
type Paths map[string]string

// physical is where a path of the client's lies. It is ErrOutside when no directory of the mapping holds it, by its name or
// by where its links lead.
func (m Paths) physical(logical string) (string, error) {
	if logical == "" {
		return "", nil
	}
	if path.Clean(logical) != logical {
		return "", outside("it is not clean")
	}
	// The innermost directory counts.
	for dir := logical; ; dir = path.Dir(dir) {
		if root, ok := m[dir]; ok {
			at := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(logical, dir)))
			return at, within(root, at)
		}
		if dir == path.Dir(dir) {
			return "", outside("no directory of the mapping holds it")
		}
	}
}

// logical is what the client calls a path of the agents' machine: itself where the mapping does not say.
func (m Paths) logical(physical string) string {
	inner, name := "", physical
	for dir, root := range m {
		rel, err := filepath.Rel(root, physical)
		if err == nil && filepath.IsLocal(rel) && len(root) > len(inner) {
			inner, name = root, path.Join(dir, filepath.ToSlash(rel))
		}
	}
	return name
}

// within makes sure that no link leads out of a directory.
func within(root, at string) error {
	real, err := filepath.EvalSymlinks(root)
	if err != nil {
		return outside("the directory that it is mapped to is not there")
	}
	for { // what is not there yet lies where its parent does
		to, err := filepath.EvalSymlinks(at)
		if errors.Is(err, fs.ErrNotExist) && at != root {
			if _, err := os.Lstat(at); err == nil {
				return outside("a link to nothing")
			}
			at = filepath.Dir(at)
			continue
		}
		if err != nil {
			return outside("it cannot be looked at")
		}
		if rel, err := filepath.Rel(real, to); err != nil || !filepath.IsLocal(rel) {
			return outside("a link leads out of the mapping")
		}
		return nil
	}
}

func outside(detail string) error {
	return &core.Error{Code: ErrOutside, Op: "map path", Detail: detail, Hint: "name a directory that the machine of the agent shares"}
}
