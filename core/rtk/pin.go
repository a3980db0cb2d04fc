package rtk

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/shelf"
)

// Pin is the artefact that a file is now, for a host whose user names the file by hand. What is no program is refused before it is
// read: what is no regular file, holds nothing, may not be executed where files say so, or is larger than any program of that name.
// Errors are [fault.Artefact].
func Pin(ctx context.Context, path string, windows bool) (Artefact, error) {
	if !filepath.IsAbs(path) {
		return Artefact{}, wrong("the file is not named by an absolute path")
	}
	file, info, err := fsroot.OpenInput(path)
	if err != nil {
		detail := "the file cannot be read"
		switch {
		case errors.Is(err, fs.ErrNotExist):
			detail = "there is no such file"
		case errors.Is(err, fault.NotRegular):
			detail = "that is no regular file"
		}
		return Artefact{}, fault.Wrap(err, fault.Artefact, op, subject, detail).WithHint("name the file of rtk itself")
	}
	defer file.Close()
	if err := sized(info); err != nil {
		return Artefact{}, err
	}
	if !windows && info.Mode()&0o111 == 0 {
		return Artefact{}, wrong("nobody may execute that file").WithHint("name the program itself and not its archive, or make it executable")
	}
	sum, err := shelf.Hash(ctx, file)
	if err != nil {
		return Artefact{}, fault.Wrap(err, fault.Artefact, op, subject, "the file cannot be read")
	}
	return Artefact{Path: path, SHA256: sum}, nil
}

// sized refuses what cannot be a program by its size. An empty file would run, and swallow what a command prints.
func sized(info fs.FileInfo) error {
	switch {
	case info.Size() == 0:
		return wrong("the file is empty").WithHint("install the program anew")
	case info.Size() > maxProgram:
		return wrong("the file is larger than any program of that name")
	}
	return nil
}
