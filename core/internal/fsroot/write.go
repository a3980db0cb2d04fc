package fsroot

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// TempPrefix begins the name of every temporary file and link of this package. A process that is killed may leave one.
const TempPrefix = ".greenroom-"

// IsTemp reports whether a name is one of a temporary file or link, which may be removed when no process is at work. A
// name that merely begins like one is somebody's.
func IsTemp(name string) bool {
	rest, ok := strings.CutPrefix(name, TempPrefix)
	seed, count, found := strings.Cut(rest, "-")
	return ok && found && len(seed) == 2*seedLen && digits(seed, 16) && count != "" && digits(count, 36)
}

// digits says whether a text is made of lower-case digits of a base.
func digits(s string, base int) bool {
	return strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyz"[:base]) == ""
}

// Expectation is what a caller knows to stand at a path.
type Expectation struct {
	// Info is what [Tree.ReadFile] or [Tree.Lstat] said: the same regular file, with the same size and time of change.
	// Nil expects that nothing is there.
	Info fs.FileInfo
	// Content is compared too, unless it is nil.
	Content []byte
}

// WriteOptions say how a file is written. The zero value replaces what is there, with mode 0600.
type WriteOptions struct {
	// Mode is the exact mode, whatever the umask and the file that was there. Only permission bits count. 0 is 0600.
	Mode fs.FileMode
	// Sync makes the content, then the name durable before the call returns.
	Sync bool
	// New fails with [fs.ErrExist] when anything is there, a link to nothing included.
	New bool
	// Expect fails with [fault.Conflict] when something else stands there. It is checked just before the file is put in
	// place; another process can still be faster by the length of one system call, except where nothing is expected.
	Expect *Expectation
	// Fresh writes at the final name at once, for a directory that nobody looks at yet because the caller has just made
	// it. Like New it fails with [fs.ErrExist]; a process that is killed may leave a part of the file.
	Fresh bool
}

// WriteFile writes a file whole. The bytes go to a temporary name in the same directory that is then renamed, so what
// stood there before, a link or a name of a hard-linked file, is replaced and not written to. A directory is never
// replaced: [fault.NotRegular]. After an error the temporary name is gone and the old file is there, except that
// when making the new name durable fails, the new file is there.
func (t *Tree) WriteFile(rel string, data []byte, o WriteOptions) error {
	parent, name, err := t.named("write", rel)
	if err != nil {
		return err
	}
	if o.Fresh {
		if o.Expect != nil {
			return fault.New(fault.Invalid, "write", t.subject(rel), "a fresh file has nothing to expect")
		}
		if err = t.create(parent, rel, name, data, o); err != nil {
			return writing(err, "write", t.subject(rel))
		}
	} else if err = t.replace(parent, rel, name, data, o); err != nil {
		return err
	}
	if o.Sync {
		return t.syncDir(parent, rel)
	}
	return nil
}

func (t *Tree) replace(parent *os.Root, rel, name string, data []byte, o WriteOptions) error {
	temp := t.tempName()
	if err := t.create(parent, rel, temp, data, o); err != nil {
		return writing(err, "write", t.subject(rel))
	}
	absentExpected := o.Expect != nil && o.Expect.Info == nil
	err := t.expect(parent, rel, name, o.Expect)
	if err == nil && (o.New || absentExpected) {
		err = t.publish(parent, rel, temp, name, data, o)
		if absentExpected && errors.Is(err, fs.ErrExist) {
			err = conflict(t.subject(rel))
		}
		// The temporary name is a second one of the same file now, or of no use.
		discarded := t.discard(parent, rel, temp)
		return writing(first(err, discarded), "write", t.subject(rel))
	}
	if err == nil {
		if err = t.before(OpRename, rel); err == nil {
			if err = parent.Rename(temp, name); err == nil {
				return nil
			}
			if errors.Is(err, fs.ErrExist) {
				err = fault.Wrap(bare(err), fault.NotRegular, "write", t.subject(rel), "a directory is in the way")
			}
		}
	}
	t.discard(parent, rel, temp)
	return writing(err, "write", t.subject(rel))
}

// publish gives the finished file its name, which must be free. Where the file system has no hard links, the file is
// written once more at its name.
func (t *Tree) publish(parent *os.Root, rel, temp, name string, data []byte, o WriteOptions) error {
	if err := t.before(OpLink, rel); err != nil {
		return err
	}
	err := parent.Link(temp, name)
	if err != nil && isUnsupported(bare(err)) {
		return t.create(parent, rel, name, data, o)
	}
	return err
}

// discard removes a temporary name.
func (t *Tree) discard(parent *os.Root, rel, temp string) error {
	if err := t.before(OpRemove, rel); err != nil {
		return err
	}
	return parent.Remove(temp)
}

// create writes a file that does not exist yet, and leaves none behind when that fails.
func (t *Tree) create(parent *os.Root, rel, name string, data []byte, o WriteOptions) error {
	mode := o.Mode.Perm()
	if mode == 0 {
		mode = 0o600
	}
	if err := t.before(OpCreate, rel); err != nil {
		return err
	}
	f, err := parent.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|openNonblock, mode)
	if err != nil {
		return err
	}
	err = t.fill(f, rel, data, mode, o.Sync)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		t.discard(parent, rel, name)
	}
	return err
}

func (t *Tree) fill(f *os.File, rel string, data []byte, mode fs.FileMode, sync bool) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if keepsModes && info.Mode().Perm() != mode {
		if err := t.before(OpChmod, rel); err != nil {
			return err
		}
		if err := f.Chmod(mode); err != nil {
			return err
		}
	}
	if len(data) > 0 {
		if err := t.before(OpWrite, rel); err != nil {
			return err
		}
		if _, err := f.Write(data); err != nil {
			return err
		}
	}
	if sync {
		if err := t.before(OpSync, rel); err != nil {
			return err
		}
		return f.Sync()
	}
	return nil
}

func (t *Tree) expect(parent *os.Root, rel, name string, want *Expectation) error {
	if want == nil {
		return nil
	}
	info, err := parent.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if want.Info == nil {
			return nil
		}
		return conflict(t.subject(rel))
	}
	if err != nil {
		return err
	}
	if want.Info == nil || !info.Mode().IsRegular() || !os.SameFile(info, want.Info) || info.Size() != want.Info.Size() || !info.ModTime().Equal(want.Info.ModTime()) {
		return conflict(t.subject(rel))
	}
	if want.Content == nil {
		return nil
	}
	content, _, err := t.readFile(parent, rel, name, int64(len(want.Content)))
	if errors.Is(err, ErrTooLarge) || (err == nil && !bytes.Equal(content, want.Content)) {
		return conflict(t.subject(rel))
	}
	return err
}

func conflict(subject string) error {
	return fault.New(fault.Conflict, "write", subject, "changed by someone else in the meantime")
}

// tempName is a name that no other tree uses and that this one has not used yet.
func (t *Tree) tempName() string {
	b := make([]byte, 0, len(TempPrefix)+24)
	b = append(b, t.shared.temp...)
	return string(strconv.AppendUint(b, t.shared.temps.Add(1), 36))
}
