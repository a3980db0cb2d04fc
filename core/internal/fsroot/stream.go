package fsroot

import (
	"io"
	"io/fs"
	"os"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// OpenFile opens a regular file to read it bit by bit, with the description of what was opened. It fails as ReadFile does.
func (t *Tree) OpenFile(rel string) (io.ReadCloser, fs.FileInfo, error) {
	parent, name, err := t.at("read", rel)
	if err != nil {
		return nil, nil, err
	}
	f, info, err := t.openRegular(parent, "read", name, rel)
	if err != nil {
		return nil, nil, err // not a nil file in an interface
	}
	return f, info, nil
}

// WriteFrom writes a file that is not there yet of all that r gives, with an exact mode, and makes it durable. Nobody may
// look at its name before it is done, as with Fresh. More than limit bytes give [ErrTooLarge]. After an error no file is
// left.
func (t *Tree) WriteFrom(rel string, r io.Reader, limit int64, mode fs.FileMode) (n int64, err error) {
	parent, name, err := t.named("write", rel)
	if err != nil {
		return 0, err
	}
	if err = t.before(OpCreate, rel); err != nil {
		return 0, writing(err, "write", t.subject(rel))
	}
	f, err := parent.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openNonblock, mode.Perm())
	if err != nil {
		return 0, writing(err, "write", t.subject(rel))
	}
	n, err = t.pour(f, rel, io.LimitReader(r, limit+1), mode.Perm())
	if err == nil && n > limit {
		err = ErrTooLarge
	}
	if err = first(err, f.Close()); err != nil {
		t.discard(parent, rel, name)
		if err == ErrTooLarge {
			return n, fault.Wrap(err, fault.Unreadable, "write", t.subject(rel), "larger than the limit")
		}
		return n, writing(err, "write", t.subject(rel))
	}
	return n, nil
}

func (t *Tree) pour(f *os.File, rel string, r io.Reader, mode fs.FileMode) (int64, error) {
	if keepsModes {
		if err := t.before(OpChmod, rel); err != nil {
			return 0, err
		}
		if err := f.Chmod(mode); err != nil {
			return 0, err
		}
	}
	if err := t.before(OpWrite, rel); err != nil {
		return 0, err
	}
	n, err := io.Copy(f, r)
	if err == nil {
		if err = t.before(OpSync, rel); err == nil {
			err = f.Sync()
		}
	}
	return n, err
}
