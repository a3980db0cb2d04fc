package fsroot

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// replacedTries is how often a file is looked at again that another process replaces while it is being opened.
const replacedTries = 16

// ReadFile reads a regular file of at most limit bytes, with the description of the file that was read. A link gives
// [fault.LinkRefused], anything else that is no file [fault.NotRegular], a longer file [ErrTooLarge]. While others
// replace the file by renaming, it gives one of the versions whole.
func (t *Tree) ReadFile(rel string, limit int64) ([]byte, fs.FileInfo, error) {
	parent, name, err := t.at("read", rel)
	if err != nil {
		return nil, nil, err
	}
	return t.readFile(parent, rel, name, limit)
}

// ReadSeen is [Tree.ReadFile] for a file that [Tree.Lstat] has just described, which spares looking at it again.
func (t *Tree) ReadSeen(rel string, seen fs.FileInfo, limit int64) ([]byte, error) {
	parent, name, err := t.at("read", rel)
	if err != nil {
		return nil, err
	}
	f, info, err := t.openSeen(parent, "read", name, rel, seen)
	if errors.Is(err, errSwapped) {
		data, _, err := t.readFile(parent, rel, name, limit)
		return data, err
	}
	if err != nil {
		return nil, err
	}
	data, err := slurp(f, info.Size(), limit)
	if err = first(err, f.Close()); err != nil {
		return nil, tooLarge(err, limit, "read", t.subject(rel))
	}
	return data, nil
}

// chunk is how much of a file is compared at once.
const chunk = 8 << 10

// Holds says whether a file that [Tree.Lstat] has just described holds exactly some bytes.
func (t *Tree) Holds(rel string, seen fs.FileInfo, want []byte) (bool, error) {
	parent, name, err := t.at("read", rel)
	if err != nil {
		return false, err
	}
	f, info, err := t.openSeen(parent, "read", name, rel, seen)
	if errors.Is(err, errSwapped) {
		data, _, err := t.readFile(parent, rel, name, int64(len(want)))
		if errors.Is(err, ErrTooLarge) {
			return false, nil
		}
		return err == nil && bytes.Equal(data, want), err
	}
	if err != nil {
		return false, err
	}
	if t.chunk == nil {
		t.chunk = make([]byte, chunk)
	}
	same, err := holds(f, info.Size(), want, t.chunk)
	return same, reading(first(err, f.Close()), "read", t.subject(rel))
}

// holds reads no further than to the first difference. A size of 0 may be that of a file whose content the system makes up while
// it is read.
func holds(f io.Reader, size int64, want, chunk []byte) (bool, error) {
	if size != int64(len(want)) && size != 0 {
		return false, nil
	}
	for {
		n, err := f.Read(chunk)
		if n > len(want) || !bytes.Equal(chunk[:n], want[:n]) {
			return false, nil
		}
		switch want = want[n:]; {
		case err == io.EOF || err == nil && size > 0 && len(want) == 0:
			return len(want) == 0, nil
		case err != nil:
			return false, err
		}
	}
}

func (t *Tree) readFile(parent *os.Root, rel, name string, limit int64) (data []byte, info fs.FileInfo, err error) {
	for range replacedTries {
		var f *os.File
		if f, info, err = t.openRegular(parent, "read", name, rel); err != nil {
			if errors.Is(err, errSwapped) {
				continue
			}
			return nil, nil, err
		}
		data, err = slurp(f, info.Size(), limit)
		if err = first(err, f.Close()); err != nil {
			return nil, nil, tooLarge(err, limit, "read", t.subject(rel))
		}
		return data, info, nil
	}
	return nil, nil, err
}

// openRegular opens a file and fails unless it is a regular one.
func (t *Tree) openRegular(parent *os.Root, op, name, rel string) (*os.File, fs.FileInfo, error) {
	seen, err := parent.Lstat(name)
	if err != nil {
		return nil, nil, reading(err, op, t.subject(rel))
	}
	return t.openSeen(parent, op, name, rel, seen)
}

// openSeen is openRegular for what was looked at.
func (t *Tree) openSeen(parent *os.Root, op, name, rel string, seen fs.FileInfo) (*os.File, fs.FileInfo, error) {
	if IsLink(seen.Mode()) {
		return nil, nil, fault.New(fault.LinkRefused, op, t.subject(rel), "a link stands where a file must be")
	}
	if !seen.Mode().IsRegular() {
		return nil, nil, fault.New(fault.NotRegular, op, t.subject(rel), "not a regular file")
	}
	f, info, err := sameFile(parent, name, seen)
	if errors.Is(err, errSwapped) {
		return nil, nil, fault.Wrap(err, fault.Conflict, op, t.subject(rel), "replaced while it was being opened")
	}
	return f, info, reading(err, op, t.subject(rel))
}

// sameFile opens a file and makes sure that it is the one that was looked at. What took its place may be a link, which
// is followed inside of the root, or a FIFO, which must not block.
func sameFile(parent *os.Root, name string, seen fs.FileInfo) (*os.File, fs.FileInfo, error) {
	f, err := parent.OpenFile(name, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(seen, info) {
		err = errSwapped
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// slurp reads what size says and no more, unless the file has grown since. A size of 0 may be that of a file whose
// content the system makes up while it is read.
func slurp(f io.Reader, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, ErrTooLarge
	}
	data := make([]byte, 0, size+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, ErrTooLarge
		case err == io.EOF || (err == nil && size > 0 && int64(len(data)) == size):
			return data, nil
		case err != nil:
			return nil, err
		}
	}
}

func tooLarge(err error, limit int64, op, subject string) error {
	if err == ErrTooLarge {
		return fault.Wrap(err, fault.Unreadable, op, subject, fmt.Sprintf("larger than the limit of %d bytes", limit))
	}
	return reading(err, op, subject)
}
