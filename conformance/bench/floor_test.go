package bench

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// floor is what a session consists of on the disk, what it is made from, and the least that can be done about both: plain
// calls with full paths, without a lock, a check, or a way back after a crash.
type floor struct {
	t        testing.TB
	base     string
	inputs   []lookup
	dirs     []string
	files    []file
	links    []file // data is the target
	manifest []byte
	// whole is the same session with the skills as files of its own, in the place of the link to the store.
	whole *floor
}

// lookup is an input of the adapter: the paths at which it may be, the nearest first.
type lookup struct {
	paths        []string
	list, skills bool // it is a list of names, or of skills
}

type file struct {
	path string
	data []byte
}

// floorOf learns the tree of a session. The floor makes its copies below base.
func (s *stage) floorOf(p *core.Prepared, base string) *floor {
	s.t.Helper()
	f := &floor{t: s.t, base: s.path(base), inputs: s.lookups(p.Provider)}
	for _, dir := range []string{f.base, filepath.Join(f.base, "m")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			s.t.Fatal(err)
		}
	}
	err := filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(p.Dir, path)
		switch {
		case d.IsDir():
			f.dirs = append(f.dirs, rel)
		case d.Type()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			f.links = append(f.links, file{rel, []byte(to)})
			return err
		default:
			data, err := os.ReadFile(path)
			f.files = append(f.files, file{rel, data})
			return err
		}
		return nil
	})
	if err == nil {
		f.manifest, err = os.ReadFile(filepath.Join(s.path("state/m"), filepath.Base(p.Dir)+".json"))
	}
	if err != nil {
		s.t.Fatal(err)
	}
	f.whole = f.unlinked(s.path("state/store"))
	return f
}

// unlinked is the floor of a session that holds the skills as files, and not as a link into the store.
func (f *floor) unlinked(store string) *floor {
	w := &floor{t: f.t, base: f.base, inputs: f.inputs, dirs: slices.Clone(f.dirs), files: slices.Clone(f.files), manifest: f.manifest}
	for _, link := range f.links {
		to := string(link.data)
		if !strings.HasPrefix(to, store) {
			w.links = append(w.links, link)
			continue
		}
		f.must(filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel := filepath.Join(link.path, strings.TrimPrefix(path, to))
			if d.IsDir() {
				w.dirs = append(w.dirs, rel)
				return nil
			}
			data, err := os.ReadFile(path)
			w.files = append(w.files, file{rel, data})
			return err
		}))
	}
	return w
}

// bytes is how much the files hold.
func (f *floor) bytes() (n int) {
	for i := range f.files {
		n += len(f.files[i].data)
	}
	return n
}

// lookups says where the adapter has the host look.
func (s *stage) lookups(provider string) []lookup {
	d := adapters[provider].Describe()
	var list []lookup
	for _, in := range d.Inputs {
		l := lookup{list: in.Kind == preparer.InputNames, skills: in.Filter == preparer.FilterSkills || in.Filter == preparer.FilterSkillTrees}
		for _, at := range in.At {
			dir := "home"
			switch at.Base {
			case preparer.BaseHome:
				dir += "/" + homeOf(d, at.Home)
			case preparer.BaseWorkspace:
				dir = "work"
			}
			l.paths = append(l.paths, s.path(dir+"/"+at.Path))
		}
		list = append(list, l)
	}
	return list
}

func homeOf(d preparer.Descriptor, id string) string {
	for _, h := range d.Homes {
		if h.ID == id {
			return h.Default
		}
	}
	return ""
}

// look reads what of the user's a session is made from.
func (f *floor) look() {
	for i := range f.inputs {
		l := &f.inputs[i]
		for _, path := range l.paths {
			if !l.list {
				if _, err := os.ReadFile(path); err == nil {
					break
				}
				continue
			}
			entries, _ := os.ReadDir(path)
			for _, e := range entries {
				if l.skills && e.IsDir() {
					_, err := os.ReadFile(filepath.Join(path, e.Name(), "SKILL.md"))
					f.must(err)
				}
			}
		}
	}
}

// inodes is how many files, directories and links a session has, its record included.
func (f *floor) inodes() int { return len(f.dirs) + len(f.files) + len(f.links) + 1 }

func (f *floor) record(id string) string { return filepath.Join(f.base, "m", id+".json") }

// make makes the tree.
func (f *floor) make(id string) {
	root := filepath.Join(f.base, id)
	for _, rel := range f.dirs {
		f.must(os.Mkdir(filepath.Join(root, rel), 0o700))
	}
	for i := range f.files {
		f.must(os.WriteFile(filepath.Join(root, f.files[i].path), f.files[i].data, 0o600))
	}
	for i := range f.links {
		f.must(os.Symlink(string(f.links[i].data), filepath.Join(root, f.links[i].path)))
	}
	f.must(os.WriteFile(f.record(id), f.manifest, 0o600))
}

// compare reads the tree whole and compares every byte.
func (f *floor) compare(id string) {
	root := filepath.Join(f.base, id)
	for _, rel := range f.dirs {
		fi, err := os.Lstat(filepath.Join(root, rel))
		f.must(err)
		f.hold(fi.IsDir())
	}
	for i := range f.files {
		path := filepath.Join(root, f.files[i].path)
		fi, err := os.Lstat(path)
		f.must(err)
		data, err := os.ReadFile(path)
		f.must(err)
		f.hold(fi.Mode().IsRegular() && bytes.Equal(data, f.files[i].data))
	}
	for i := range f.links {
		to, err := os.Readlink(filepath.Join(root, f.links[i].path))
		f.must(err)
		f.hold(to == string(f.links[i].data))
	}
	data, err := os.ReadFile(f.record(id))
	f.must(err)
	f.hold(bytes.Equal(data, f.manifest))
}

// remove takes the tree away.
func (f *floor) remove(id string) {
	f.must(os.RemoveAll(filepath.Join(f.base, id)))
	f.must(os.Remove(f.record(id)))
}

func (f *floor) must(err error) {
	if err != nil {
		f.t.Fatal(err)
	}
}

func (f *floor) hold(ok bool) {
	if !ok {
		f.t.Fatal("the floor's own tree is not what it made")
	}
}
