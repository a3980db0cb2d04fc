package manifest

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// dirs are the directories of a state directory, all 0700.
var dirs = []string{"m", "s", "w", "h", runDir, "store", "cache"}

// marker is the file that tells a state directory from any other.
const marker = "greenroom-state"

// maxRecord bounds a record that is read back.
const maxRecord = 16 << 20

// Store is a state directory. It is safe for concurrent use, also by several processes.
type Store struct {
	path    string
	seam    *fsroot.Seam
	records records
}

// Open names a state directory, which need not exist. The path must be absolute. The seam may be nil.
func Open(path string, seam *fsroot.Seam) (*Store, error) {
	clean := filepath.Clean(path)
	if !filepath.IsAbs(path) || clean == filepath.Dir(clean) || !utf8.ValidString(path) {
		return nil, fault.New(fault.Invalid, "open state", "state directory", "must be an absolute path in UTF-8, below the root")
	}
	return &Store{path: clean, seam: seam}, nil
}

// Ensure makes the state directory, 0700, when it is absent.
func (s *Store) Ensure() error {
	base, rest := s.path, ""
	for {
		if in, err := fsroot.StatInput(base); err == nil {
			if in.Kind != fsroot.InputDir {
				return fault.New(fault.Invalid, "open state", "state directory", "is not a directory")
			}
			if rest == "" && anybodys(in.Info.Mode()) {
				return fault.New(fault.Invalid, "open state", "state directory", "every user may write to it, and so exchange what lies there").
					WithHint("take its write permission from others, or name a directory below it")
			}
			break
		}
		base, rest = filepath.Dir(base), filepath.Join(filepath.Base(base), rest)
	}
	tree, err := fsroot.Open(base, s.seam)
	if err != nil {
		return err
	}
	defer tree.Close()
	rest = filepath.ToSlash(rest)
	for _, d := range dirs {
		rel := strings.TrimPrefix(rest+"/"+d, "/")
		made, err := tree.MkdirAll(rel, 0o700)
		if err == nil && len(made) == 0 {
			err = tree.Chmod(rel, 0o700) // it may have been made by a less careful hand
		}
		if err != nil {
			return err
		}
	}
	note := strings.TrimPrefix(rest+"/"+marker, "/")
	if _, err := tree.Lstat(note); errors.Is(err, fs.ErrNotExist) {
		err := tree.WriteFile(note, []byte("1\n"), fsroot.WriteOptions{Mode: 0o600, Fresh: true})
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return nil
}

// anybodys says that every user may put something else in the place of what lies in a directory. The bits say nothing on
// Windows.
func anybodys(mode fs.FileMode) bool {
	return runtime.GOOS != "windows" && mode.Perm()&0o002 != 0 && mode&fs.ModeSticky == 0
}

// Path is the absolute path of the state directory.
func (s *Store) Path() string { return s.path }

// Dir is the absolute path of the directory that a session has once it is complete.
func (s *Store) Dir(name string) string { return filepath.Join(s.path, "s", name) }

// ID is a short id of the state directory, for the markers of managed blocks.
func (s *Store) ID() string { return digest16(s.path)[:8] }

// Tree opens the state directory for one operation.
func (s *Store) Tree() (*fsroot.Tree, error) { return fsroot.Open(s.path, s.seam) }

// Workspace opens a directory of the user's for one operation.
func (s *Store) openOutside(path string) (*fsroot.Tree, error) { return fsroot.Open(path, s.seam) }

// Within says whether a path lies below a state directory of Greenroom, this one or another. A client home there is
// that of a session, not the user's.
func Within(path string) bool {
	path = filepath.Clean(path)
	if within(path) {
		return true
	}
	real, err := fsroot.Resolve(path)
	return err == nil && real != path && within(real)
}

func within(path string) bool {
	for dir := path; ; dir = filepath.Dir(dir) {
		if in, err := fsroot.StatInput(filepath.Join(dir, marker)); err == nil && in.Kind == fsroot.InputFile {
			return true
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// Load reads the manifest of a session. fs.ErrNotExist says that there is none.
func (s *Store) Load(name string) (*Manifest, error) {
	tree, err := s.Tree()
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	m, err := s.read(tree, name)
	if err != nil {
		return nil, of(name, err)
	}
	if _, err := tree.Lstat("s/" + name); errors.Is(err, fs.ErrNotExist) {
		if _, err := tree.Lstat("s/" + name + ".gone"); err == nil {
			given := *m
			given.State = Cleaning
			return &given, nil
		}
	}
	return m, nil
}

// of names the session in an error that names nothing, since a list of sessions has to say which of them it is.
func of(name string, err error) error {
	var e *fault.Error
	if !errors.As(err, &e) || e.Subject != "" {
		return err
	}
	named := *e
	named.Subject = name
	return &named
}

func load(tree *fsroot.Tree, name string) (*Manifest, error) {
	data, _, err := tree.ReadFile(manifestPath(name), maxRecord)
	if err != nil {
		return nil, err
	}
	return Decode(data)
}

// Names lists the sessions that have a manifest or a directory, sorted.
func (s *Store) Names(ctx context.Context) ([]string, error) {
	tree, err := s.Tree()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	seen := map[string]bool{}
	for dir, suffixes := range map[string][]string{"m": {".json"}, "s": {"", ".new", ".gone"}} {
		list, err := tree.List(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue // a directory that was made by hand, and that nothing was prepared in yet
		}
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			for _, suffix := range suffixes {
				name, ok := strings.CutSuffix(e.Name(), suffix)
				if ok && name != "" && !strings.Contains(name, ".") {
					seen[name] = true
				}
			}
		}
	}
	return sortedKeys(seen), nil
}

func manifestPath(name string) string { return "m/" + name + ".json" }
