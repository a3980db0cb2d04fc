package fsroot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// InputKind is what a path of the user's leads to.
type InputKind uint8

// The kinds.
const (
	InputOther InputKind = iota // a FIFO, socket or device, never opened
	InputFile
	InputDir
	InputDangling   // a link to nothing
	InputLoop       // a link that leads back to itself
	InputUnreadable // a link whose target this user may not look at
)

func (k InputKind) String() string {
	return [...]string{"other", "file", "directory", "dangling link", "link loop", "unreadable"}[k]
}

// Input is one file or directory of the user's, after following links.
type Input struct {
	Name string // the last component
	Kind InputKind
	Link bool // Name itself is a link
	// Info describes what the path leads to. It is nil for the kinds that lead to nothing, and from ListInput.
	Info fs.FileInfo
}

// ReadInput reads a file of the user's, where links are normal. What it leads to must be a regular file of at most
// limit bytes: anything else gives [fault.NotRegular] without being opened, a longer one [ErrTooLarge], a file or
// directory that may not be read [fault.Unreadable]. Nothing there, or a link to nothing, gives [fs.ErrNotExist].
func ReadInput(path string, limit int64) ([]byte, fs.FileInfo, error) {
	var info fs.FileInfo
	var err error
	for range replacedTries {
		if info, err = os.Stat(path); err != nil {
			return nil, nil, reading(absent(err), "read input", filepath.Base(path))
		}
		var data []byte
		if data, err = readInput(path, info, limit); err == nil {
			return data, info, nil
		} else if !errors.Is(err, errSwapped) {
			return nil, nil, err
		}
	}
	return nil, nil, err
}

// OpenInput opens a regular file of the user's, by its path, to read it bit by bit. Links are followed. It fails as ReadInput
// does.
func OpenInput(path string) (*os.File, fs.FileInfo, error) {
	name := filepath.Base(path)
	info, err := os.Stat(path) // before it is opened, which can do something to what is no file
	if err != nil {
		return nil, nil, reading(absent(err), "read input", name)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fault.New(fault.NotRegular, "read input", name, "not a regular file")
	}
	f, err := os.OpenFile(path, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, reading(absent(err), "read input", name)
	}
	now, err := f.Stat()
	if err == nil && (!os.SameFile(info, now) || !now.Mode().IsRegular()) {
		err = fault.Wrap(errSwapped, fault.Conflict, "read input", name, "replaced while it was being opened")
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, now, nil
}

// Read reads the file that in describes, which was looked at already. Where a newer one has taken its place, it is read
// instead.
func (in Input) Read(path string, limit int64) ([]byte, error) {
	data, err := readInput(path, in.Info, limit)
	if errors.Is(err, errSwapped) {
		data, _, err = ReadInput(path, limit)
	}
	return data, err
}

func readInput(path string, info fs.FileInfo, limit int64) ([]byte, error) {
	name := filepath.Base(path)
	if !info.Mode().IsRegular() {
		return nil, fault.New(fault.NotRegular, "read input", name, "not a regular file")
	}
	data, err := readSeen(path, info, limit)
	switch {
	case err == nil:
		return data, nil
	case errors.Is(err, errSwapped):
		return nil, fault.Wrap(err, fault.Conflict, "read input", name, "replaced while it was being opened")
	case err == ErrTooLarge:
		return nil, tooLarge(err, limit, "read input", name)
	}
	return nil, reading(absent(err), "read input", name)
}

// StatInput says what a path leads to. A link that leads nowhere is no error; nothing there is [fs.ErrNotExist].
func StatInput(path string) (Input, error) {
	name := filepath.Base(path)
	info, err := os.Lstat(path)
	if err != nil {
		return Input{}, reading(absent(err), "stat input", name)
	}
	in := Input{Name: name, Kind: kindOf(info.Mode()), Info: info}
	if !IsLink(info.Mode()) {
		return in, nil
	}
	in.Link = true
	if in.Kind, in.Info, err = follow(path); err != nil {
		return Input{}, reading(err, "stat input", name)
	}
	return in, nil
}

// ListInput says what the children of a directory lead to, sorted by name. The directory may be a link.
func ListInput(path string) ([]Input, error) {
	name := filepath.Base(path)
	entries, err := os.ReadDir(path)
	if err != nil {
		if info, err := os.Stat(path); err != nil {
			return nil, reading(absent(err), "list input", name)
		} else if !info.IsDir() {
			return nil, fault.New(fault.NotRegular, "list input", name, "not a directory")
		}
		return nil, reading(err, "list input", name)
	}
	inputs := make([]Input, 0, len(entries))
	for _, entry := range entries {
		in := Input{Name: entry.Name(), Kind: kindOf(entry.Type())}
		if IsLink(entry.Type()) {
			in.Link = true
			if in.Kind, _, err = follow(filepath.Join(path, in.Name)); err != nil {
				return nil, reading(err, "list input", in.Name)
			}
		}
		inputs = append(inputs, in)
	}
	return inputs, nil
}

// follow says what a link leads to.
func follow(path string) (InputKind, fs.FileInfo, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil:
		return kindOf(info.Mode()), info, nil
	case isLoop(bare(err)):
		return InputLoop, nil, nil
	case errors.Is(absent(err), fs.ErrNotExist):
		return InputDangling, nil, nil
	case errors.Is(err, fs.ErrPermission):
		return InputUnreadable, nil, nil
	}
	return InputOther, nil, err
}

// absent makes "a parent is a file" what it is to a reader: there is no such file.
func absent(err error) error {
	if isNotDir(bare(err)) {
		return fs.ErrNotExist
	}
	return err
}

func kindOf(mode fs.FileMode) InputKind {
	switch {
	case mode.IsRegular():
		return InputFile
	case mode.IsDir():
		return InputDir
	}
	return InputOther
}
