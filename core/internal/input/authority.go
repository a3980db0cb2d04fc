package input

import (
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// Authority says of an input where it lies, in the place of what its descriptor says. The zero value withholds it.
type Authority struct {
	// Path is absolute. Nothing need stand there yet.
	Path string
}

// authority looks at a file that somebody else than the descriptor names.
func (it *Item) authority(a Authority) error {
	it.Label = "login of the host"
	if a.Path == "" {
		it.Withheld = true
		return nil
	}
	it.Path = a.Path
	data, info, err := fsroot.ReadInput(a.Path, it.limit())
	switch {
	case missing(err):
		it.seen = append(it.seen, stamp{path: a.Path})
		it.Exists, it.Missing, it.Source = true, true, reach(a.Path)
		return nil
	case err != nil:
		return fault.Wrap(err, codeOf(err), "read input", it.Label, detail(err)).WithHint("name a regular file that you can read")
	}
	it.seen = append(it.seen, stamp{path: a.Path, info: info})
	if it.Source, err = filepath.EvalSymlinks(a.Path); err != nil {
		return fault.Wrap(err, fault.Unreadable, "read input", it.Label, "cannot be read")
	}
	it.Exists, it.Data = true, data
	return nil
}

// reach is a path with the links in its directory resolved, as far as that exists.
func reach(path string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return path
	}
	return filepath.Join(dir, filepath.Base(path))
}
