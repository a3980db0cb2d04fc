package roster

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Prefix begins the name of every adapter binary.
const Prefix = "greenroom-"

// Places are where adapters are looked for, in order. The first one of a provider is taken.
type Places struct {
	Files     []string  // named by a person; a file with another name is of a provider that is not known yet
	Dirs      []string  // named by a person
	Installed []Adapter // from signed releases
	Beside    string    // the directory of the tool itself
}

// Adapter is a binary that was found.
type Adapter struct {
	Provider string // by its file name, "" when that does not tell
	Path     string // absolute
	SHA256   string // pinned digest, "" when it is pinned to none
	Err      error  // why it must not be started, though it is the one of its provider
}

// Find lists the adapters in the places. A file or directory that a person named and that cannot be read is an error;
// no adapter beside the tool is none.
func Find(p Places) ([]Adapter, error) {
	var found []Adapter
	for _, file := range p.Files {
		path, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		if info, err := os.Stat(path); err != nil {
			return nil, err
		} else if !info.Mode().IsRegular() {
			return nil, &fs.PathError{Op: "adapter", Path: file, Err: errors.New("not a regular file")}
		}
		pins, err := ReadPins(filepath.Dir(path))
		if err != nil {
			return nil, err
		}
		found = add(found, Adapter{Provider: provider(filepath.Base(path)), Path: path, SHA256: pins[filepath.Base(path)]})
	}
	for _, dir := range p.Dirs {
		more, err := inDir(dir)
		if err != nil {
			return nil, err
		}
		found = add(found, more...)
	}
	found = add(found, p.Installed...)
	if p.Beside != "" {
		more, err := inDir(p.Beside)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		found = add(found, more...)
	}
	return found, nil
}

func add(found []Adapter, more ...Adapter) []Adapter {
	for _, a := range more {
		known := func(b Adapter) bool {
			return a.Provider != "" && a.Provider == b.Provider || a.Path != "" && a.Path == b.Path
		}
		if !slices.ContainsFunc(found, known) {
			found = append(found, a)
		}
	}
	return found
}

func inDir(dir string) ([]Adapter, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	names, err := binaries(dir)
	if err != nil {
		return nil, err
	}
	pins, err := ReadPins(dir)
	if err != nil {
		return nil, err
	}
	var found []Adapter
	for _, name := range names {
		found = append(found, Adapter{Provider: provider(name), Path: filepath.Join(dir, name), SHA256: pins[name]})
	}
	return found, nil
}

// binaries lists the file names of a directory that are adapters, sorted.
func binaries(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if provider(e.Name()) == "" {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, e.Name()))
		if err != nil || !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
			continue
		}
		names = append(names, e.Name())
	}
	return names, nil
}

// provider is the provider that a file name tells, or "".
func provider(name string) string {
	id, ok := strings.CutPrefix(name, Prefix)
	if runtime.GOOS == "windows" {
		var exe bool
		if id, exe = strings.CutSuffix(id, ".exe"); !exe {
			return ""
		}
	}
	if !ok || id == "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		return ""
	}
	return id
}
