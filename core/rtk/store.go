package rtk

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/shelf"
)

// programsDir is where programs lie below the store, each in a directory of its digest, and making is one that is being
// made by whoever holds the lock.
const (
	programsDir = "programs"
	making      = ".making"
)

// maxProgram bounds the size of a program in bytes.
const maxProgram = 256 << 20

// Artefact is a program that a host has: a file of its own resources, or one that it installed and keeps up to date.
type Artefact struct {
	Path   string // absolute; links are followed
	SHA256 string // of the file, 64 hexadecimal digits
}

// Source answers the artefact that new sessions get. It is asked in each preparation of a session with RTK.
type Source func(ctx context.Context) (Artefact, error)

// Fixed is the source of one artefact.
func Fixed(a Artefact) Source {
	return func(context.Context) (Artefact, error) { return a, nil }
}

// Store keeps programs. It is safe for concurrent use, and several processes may have one store open.
type Store struct {
	tree    *fsroot.Tree
	shelf   *shelf.Shelf
	windows bool
	known   map[string]fs.FileInfo // by digest: a file that was compared
}

// Open is the store in a tree, which must stay open and be used by nobody else. The program's file is called by what
// agents type, with the ending that the system wants.
func Open(tree *fsroot.Tree, windows bool) *Store {
	return &Store{tree: tree, shelf: shelf.New(tree, programsDir, "program"), windows: windows, known: map[string]fs.FileInfo{}}
}

// Path is where a program lies, absolute. Nothing says that it does.
func (s *Store) Path(digest string) string {
	return filepath.Join(s.tree.Path(), programsDir, digest, File(s.windows))
}

// Path is where a program lies in the store below a state directory.
func Path(state, digest string, windows bool) string {
	return filepath.Join(state, "store", programsDir, digest, File(windows))
}

// Peek answers what Keep would, and looks at no file.
func Peek(ctx context.Context, source Source, pinned string) (digest string, err error) {
	if pinned != "" {
		return pinned, nil
	}
	a, err := ask(ctx, source)
	return a.SHA256, err
}

// Keep makes sure that a program lies in the store, and answers its digest. pinned is the digest that the session began
// with, "" for none: a session keeps its program, and the artefact counts only where that is missing or damaged, and then
// only when it is the same one.
//
// Errors are [fault.Artefact]: there is no source, or it fails; the artefact is no regular file, or not what its
// digest says; the pinned one is gone and the artefact is another.
func (s *Store) Keep(ctx context.Context, source Source, pinned string) (digest string, err error) {
	leave, err := s.shelf.Enter(ctx, "keep")
	if err != nil {
		return "", err
	}
	defer leave()
	if pinned != "" && s.whole(pinned) {
		return pinned, nil
	}
	a, err := ask(ctx, source)
	if err != nil {
		return "", err
	}
	if pinned != "" && a.SHA256 != pinned {
		return "", wrong("the one that this session began with is gone or was altered, and the host has another one now").
			WithHint("clean the session up, and prepare it again")
	}
	if s.whole(a.SHA256) {
		return a.SHA256, nil
	}
	return a.SHA256, s.take(ctx, a)
}

// ask asks the source, and looks at what it answers.
func ask(ctx context.Context, source Source) (Artefact, error) {
	if source == nil {
		return Artefact{}, wrong("the host has none").WithHint("give the host a source, Config.RTK, or prepare the session without")
	}
	a, err := source(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return a, fault.Wrap(err, fault.Deadline, op, subject, "the time was up, or the caller gave up")
		}
		return a, fault.Wrap(err, fault.Artefact, op, subject, "the host cannot tell where it is").
			WithHint("what the host says is the cause of this error, and no part of its text")
	}
	a.SHA256 = strings.ToLower(a.SHA256)
	switch {
	case strings.TrimSpace(a.Path) == "":
		return a, wrong("the host names no file")
	case !filepath.IsAbs(a.Path):
		return a, wrong("the host names a file that is not absolute")
	case !shelf.IsDigest(a.SHA256):
		return a, wrong("the host gives no SHA-256 of it: 64 hexadecimal digits")
	}
	return a, nil
}

// take copies a program into the store.
func (s *Store) take(ctx context.Context, a Artefact) (err error) {
	data, _, err := fsroot.ReadInput(a.Path, maxProgram)
	if err != nil {
		return fault.Wrap(err, fault.Artefact, op, subject, "the file that the host names cannot be read, or is no regular file")
	}
	if have := digestOf(data); have != a.SHA256 {
		return wrong("its SHA-256 is " + have + ", and " + a.SHA256 + " is expected").
			WithHint("install the program anew; it was altered, or is another version")
	}
	if _, err := s.tree.MkdirAll(programsDir, 0o700); err != nil {
		return err
	}
	lock, err := s.shelf.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if s.whole(a.SHA256) { // another process was faster
		return nil
	}
	temp, at := s.shelf.At(making), s.shelf.At(a.SHA256)
	if err := s.tree.RemoveAll(temp); err != nil {
		return err
	}
	if err := s.write(temp, data); err != nil {
		return errors.Join(err, s.tree.RemoveAll(temp))
	}
	// One that is damaged has to make way. What runs of it goes on: its file stays until it ends.
	if err := s.tree.RemoveAll(at); err != nil {
		return err
	}
	if err := s.tree.Rename(temp, at); err != nil {
		return err
	}
	return s.tree.Sync(programsDir)
}

// write writes the program durably, and takes the right to write away.
func (s *Store) write(dir string, data []byte) error {
	if err := s.tree.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if err := s.tree.WriteFile(dir+"/"+File(s.windows), data, fsroot.WriteOptions{Mode: 0o500, Fresh: true, Sync: true}); err != nil {
		return err
	}
	return s.tree.Chmod(dir, 0o500)
}

// whole says whether a program lies in the store as it was taken.
func (s *Store) whole(digest string) bool {
	if !shelf.IsDigest(digest) {
		return false
	}
	if known := s.known[digest]; known != nil && fsroot.Unchanged(s.Path(digest), known) {
		return true
	}
	delete(s.known, digest)
	data, info, err := s.tree.ReadFile(s.shelf.At(digest)+"/"+File(s.windows), maxProgram)
	if err != nil || !s.windows && info.Mode().Perm() != 0o500 || digestOf(data) != digest {
		return false
	}
	s.known[digest] = info
	return true
}

// Collect removes programs that no session leads to; see [shelf.Shelf.Collect].
func (s *Store) Collect(ctx context.Context, before time.Time, leased func() (map[string]bool, error)) ([]string, error) {
	return s.shelf.Collect(ctx, before, leased)
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

const (
	op      = "keep program"
	subject = "rtk"
)

func wrong(detail string) *fault.Error { return fault.New(fault.Artefact, op, subject, detail) }
