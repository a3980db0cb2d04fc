package rtk

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/shelf"
)

// programsDir is where programs lie below the store, each in a directory of its digest.
const programsDir = "programs"

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
	if pinned != "" && s.whole(ctx, pinned) {
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
	if s.whole(ctx, a.SHA256) {
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

// take copies a program into the store. Nothing is written for one that is not what is expected, and what is written is
// compared once more on the way.
func (s *Store) take(ctx context.Context, a Artefact) (err error) {
	file, info, err := fsroot.OpenInput(a.Path)
	if err != nil {
		return fault.Wrap(err, fault.Artefact, op, subject, "the file that the host names cannot be read, or is no regular file")
	}
	defer file.Close()
	if err := sized(info); err != nil {
		return err
	}
	have, err := shelf.Hash(ctx, file)
	if err == nil {
		_, err = file.Seek(0, io.SeekStart)
	}
	if ctx.Err() != nil {
		return s.shelf.Late(ctx, "keep")
	}
	if err != nil {
		return fault.Wrap(err, fault.Artefact, op, subject, "the file that the host names cannot be read")
	}
	if have != a.SHA256 {
		return altered(have, a.SHA256)
	}
	if _, err := s.tree.MkdirAll(programsDir, 0o700); err != nil {
		return err
	}
	lock, err := s.shelf.Lock(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Unlock()) }()
	if s.whole(ctx, a.SHA256) { // another process was faster
		return nil
	}
	switch have, _, err := s.program(a.SHA256).Take(ctx, file, maxProgram); {
	case err != nil:
		return err
	case have != a.SHA256:
		return altered(have, a.SHA256)
	}
	return s.tree.Chmod(s.shelf.At(a.SHA256), 0o500)
}

func altered(have, want string) error {
	return wrong("its SHA-256 is " + have + ", and " + want + " is expected").
		WithHint("install the program anew; it was altered, or is another version")
}

func (s *Store) program(digest string) shelf.Program {
	return shelf.Program{Tree: s.tree, Dir: programsDir, Digest: digest, Name: File(s.windows), Windows: s.windows}
}

// whole says whether a program lies in the store as it was taken.
func (s *Store) whole(ctx context.Context, digest string) bool {
	if !shelf.IsDigest(digest) {
		return false
	}
	if known := s.known[digest]; known != nil && fsroot.Unchanged(s.Path(digest), known) {
		return true
	}
	delete(s.known, digest)
	info, whole := s.program(digest).Whole(ctx)
	if whole {
		s.known[digest] = info
	}
	return whole
}

// Collect removes programs that no session leads to; see [shelf.Shelf.Collect].
func (s *Store) Collect(ctx context.Context, before time.Time, leased func() (map[string]bool, error)) ([]string, error) {
	return s.shelf.Collect(ctx, before, leased)
}

const (
	op      = "keep program"
	subject = "rtk"
)

func wrong(detail string) *fault.Error { return fault.New(fault.Artefact, op, subject, detail) }
