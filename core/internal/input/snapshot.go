package input

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxFile bounds a file of the user's that is read.
const maxFile = 8 << 20

// maxState bounds one of which some values are learned: clients keep their history in such files, too.
const maxState = 64 << 20

// Roots are the absolute directories that locations are relative to.
type Roots struct {
	User      string
	Homes     map[string]string
	Workspace string
	// Authorities say of single files, by the name of the input, that they lie elsewhere or do not count.
	Authorities map[string]Authority
}

// Item is what was found of one input.
type Item struct {
	Input  preparer.Input
	Exists bool
	Index  int    // of the location of a file
	Path   string // absolute: of the file, or of the first directory that exists
	Label  string // for messages, e.g. "home:codex/config.toml"
	Source string // of a secret file that exists: its path with links resolved, which is what a refresh has to reach
	Data   []byte // of a file
	// Missing says that nothing stands at the path that an authority named. The item exists all the same.
	Missing  bool
	Withheld bool
	Names    []Child
	Values   map[string]any

	seen []stamp
}

// Child is one name that an InputNames lists.
type Child struct {
	Name  string // of the directory or file
	Title string // with FilterSkills: the name in the front matter
	Path  string // absolute
	Dir   string // label of the directory that it lies in

	index int // of the location
}

// Rejected is a child that was left out, and why.
type Rejected struct {
	Label  string
	Reason string
}

// Snapshot is what was found of all inputs of a descriptor.
type Snapshot struct {
	Items    map[string]*Item
	Rejected []Rejected

	order []string // names of the items, as they are declared
	memo  *Memo
	above []string          // the workspace and what lies above it, up to the git root; nil before it was asked for
	ids   map[string]string // what Identity answered
}

// stamp tells whether a file or directory is still the one that was looked at.
type stamp struct {
	path string
	info fs.FileInfo
}

// Take looks at all inputs of a descriptor. The memo, which may be nil, spares parsing a file whose content is known.
func Take(ctx context.Context, inputs []preparer.Input, roots Roots, memo *Memo) (*Snapshot, error) {
	s := &Snapshot{Items: make(map[string]*Item, len(inputs)), order: make([]string, 0, len(inputs)), memo: memo, ids: map[string]string{}}
	for _, in := range inputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		it := &Item{Input: in}
		var err error
		if a, ok := roots.Authorities[in.Name]; ok {
			err = it.authority(a)
		} else if in.Kind == preparer.InputNames {
			err = it.names(roots, s)
		} else {
			err = it.file(roots, s)
		}
		if err != nil {
			return nil, err
		}
		s.Items[in.Name] = it
		s.order = append(s.order, in.Name)
	}
	return s, nil
}

// limit is the longest file that is read.
func (it *Item) limit() int64 {
	if it.Input.Learn == preparer.LearnValues && it.Input.Format == preparer.JSON {
		return maxState
	}
	return maxFile
}

func (it *Item) file(roots Roots, s *Snapshot) error {
	for i, loc := range it.Input.At {
		for _, at := range s.locate(roots, loc) {
			p := at.path
			data, info, err := fsroot.ReadInput(p, it.limit())
			if missing(err) {
				it.seen = append(it.seen, stamp{path: p})
				continue
			}
			if err != nil && loc.Base == preparer.BaseWorkspace {
				// Whoever made the repository must not keep people from working in it.
				s.Rejected = append(s.Rejected, Rejected{at.label, detail(err)})
				continue
			}
			if err != nil {
				return fault.Wrap(err, codeOf(err), "read input", at.label, detail(err)).
					WithHint("make it a regular file that you can read, or move it away")
			}
			it.seen = append(it.seen, stamp{path: p, info: info})
			if err := it.inside(roots, loc, at); err != nil {
				return err
			}
			if it.Input.NotBlank && len(bytes.TrimSpace(data)) == 0 {
				continue
			}
			if it.Input.Secret {
				it.Source, err = fsroot.Resolve(p)
				if missing(err) {
					continue // it went away meanwhile
				}
				if err != nil {
					return fault.Wrap(err, fault.Unreadable, "read input", at.label, "cannot be read")
				}
			}
			it.Exists, it.Index, it.Path, it.Label, it.Data = true, i, p, at.label, data
			return it.values(s, loc.Base == preparer.BaseWorkspace)
		}
	}
	if len(it.Input.At) > 0 {
		// Where the file would be, so that a link to it can be made before it exists.
		if list := s.locate(roots, it.Input.At[0]); len(list) > 0 {
			it.Path, it.Label = list[0].path, list[0].label
		}
	}
	return nil
}

// missing says that nothing stands at a path: it does not exist, a parent is a file, or a link dangles.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

func codeOf(err error) fault.Code {
	if c := fault.CodeOf(err); c != fault.Internal {
		return c
	}
	return fault.Unreadable
}

func detail(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Detail
	}
	return "cannot be read"
}

// values reads the values that the adapter is to learn, and the keys of what the file carries. Nothing is learned of a file
// of the project's that does not parse.
func (it *Item) values(s *Snapshot, project bool) error {
	var keys []preparer.KeyPath
	if it.Input.Learn == preparer.LearnValues {
		keys = append(keys, it.Input.Values...)
	}
	for _, c := range it.Input.Carries {
		keys = append(keys, c.Keys...)
	}
	if len(keys) == 0 {
		return nil
	}
	values, err := s.memo.documents().Values(it.Input.Format, it.Data, keys, it.Label)
	if err != nil && project {
		s.Rejected = append(s.Rejected, Rejected{it.Label, "does not parse, so it is not looked into"})
		return nil
	}
	if err != nil && it.Input.Learn != preparer.LearnValues {
		// Only the report would have used it, and the client has its own way with such a file.
		s.Rejected = append(s.Rejected, Rejected{it.Label, "does not parse, so what it brings is not listed"})
		return nil
	}
	if err != nil {
		return err
	}
	it.Values = values
	return nil
}

func (it *Item) names(roots Roots, s *Snapshot) error {
	var real []fs.FileInfo
	taken := map[string]bool{}
	for i, loc := range it.Input.At {
		for _, at := range s.locate(roots, loc) {
			dir := at.path
			in, err := fsroot.StatInput(dir)
			info := in.Info
			if missing(err) || in.Kind == fsroot.InputDangling {
				it.seen = append(it.seen, stamp{path: dir})
				continue
			}
			if err != nil || in.Kind != fsroot.InputDir {
				s.Rejected = append(s.Rejected, Rejected{at.label, "is not a directory that can be read"})
				continue
			}
			it.seen = append(it.seen, stamp{path: dir, info: info})
			if slices.ContainsFunc(real, func(o fs.FileInfo) bool { return os.SameFile(o, info) }) {
				continue // the same directory by another path would list everything twice
			}
			real = append(real, info)
			if !it.Exists {
				it.Exists, it.Path, it.Label = true, dir, at.label
			}
			if err := it.children(i, at, taken, s); err != nil {
				return err
			}
		}
	}
	if it.Path == "" && len(it.Input.At) > 0 {
		if list := s.locate(roots, it.Input.At[0]); len(list) > 0 {
			it.Path, it.Label = list[0].path, list[0].label
		}
	}
	slices.SortFunc(it.Names, func(a, b Child) int { return strings.Compare(a.Name, b.Name) })
	return nil
}
