package skill

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/shelf"
)

// Where bundles lie below the store, and what stands beside them for a while. The names of bundles are hexadecimal, so
// none of them begins with a dot.
const (
	bundlesDir = "skills"
	making     = ".making"  // being made by whoever holds the lock on the directory
	damaged    = ".damaged" // the last bundle that was found damaged, for people to look at
)

// maxKnown bounds how many bundles a Store remembers to have checked.
const maxKnown = 256

// Store keeps bundles. It is safe for concurrent use, and several processes may have one store open.
type Store struct {
	tree  *fsroot.Tree
	shelf *shelf.Shelf
	known map[string]known // by inputDigest
}

// known is a bundle that was checked by this process, and the directory that it was found in.
type known struct {
	bundle Bundle
	info   fs.FileInfo
}

// Open is the store in a tree, which must stay open and be used by nobody else.
func Open(tree *fsroot.Tree) *Store {
	return open(tree, bundlesDir)
}

func open(tree *fsroot.Tree, dir string) *Store {
	return &Store{tree: tree, shelf: shelf.New(tree, dir, "skills"), known: make(map[string]known)}
}

// at is a path in the directory that the bundles lie in.
func (s *Store) at(name string) string { return s.shelf.At(name) }

// Put makes sure that a set of skills lies in the store, each in a directory of its name, and says where. The front
// matter of a skill that got another name is changed to it. The order of the set does not matter, and an empty set is a
// bundle as well.
//
// Files are 0444 and directories 0555. A bundle appears whole, after it was made durable. One that stands there already
// is compared with the set by every byte, once in a process and again when its directory was replaced; where it
// differs, it is put aside and made again.
func (s *Store) Put(ctx context.Context, set []Named) (Bundle, error) {
	return s.PutSet(ctx, NewSet(set))
}

// Set is a set of skills that is put more than once. Its skills must not be changed.
type Set struct {
	list []Named // sorted by id
	key  string  // its inputDigest
}

// NewSet is a set of skills, in any order.
func NewSet(list []Named) *Set {
	list = slices.Clone(list)
	slices.SortFunc(list, func(a, b Named) int { return bytes.Compare([]byte(a.Skill.ID), []byte(b.Skill.ID)) })
	return &Set{list: list, key: inputDigest(list)}
}

// Named are the skills of the set, sorted by id.
func (s *Set) Named() []Named { return s.list }

// PutSet is Put, which spares taking the digest of a set that was put before.
func (s *Store) PutSet(ctx context.Context, set *Set) (Bundle, error) {
	leave, err := s.shelf.Enter(ctx, "store")
	if err != nil {
		return Bundle{}, err
	}
	defer leave()

	if k, ok := s.known[set.key]; ok {
		if info, err := s.tree.Lstat(k.bundle.Rel); err == nil && sameDir(info, k.info) {
			return k.bundle.clone(), nil
		}
		delete(s.known, set.key)
	}
	c, err := assemble(set.list)
	if err != nil {
		return Bundle{}, err
	}
	b := Bundle{Digest: c.digest, Rel: s.at(c.digest), Names: c.names}
	if _, err := s.tree.MkdirAll(s.shelf.Dir(), 0o700); err != nil {
		return Bundle{}, err
	}
	info, err := s.checked(ctx, b.Rel, c)
	if err != nil {
		if b.Repaired, err = s.make(ctx, b.Rel, c); err != nil {
			return Bundle{}, err
		}
		if info, err = s.tree.Lstat(b.Rel); err != nil {
			return Bundle{}, err
		}
	}
	if len(s.known) >= maxKnown {
		clear(s.known)
	}
	k := known{bundle: b.clone(), info: info}
	k.bundle.Repaired = false
	s.known[set.key] = k
	return b, nil
}

// sameDir says whether a directory is the one that was checked. A directory whose entries changed has another time.
func sameDir(a, b fs.FileInfo) bool {
	return a.IsDir() && os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Mode() == b.Mode()
}

func (b Bundle) clone() Bundle {
	names := make(map[string]string, len(b.Names))
	for id, name := range b.Names {
		names[id] = name
	}
	b.Names = names
	return b
}

// errDamaged is anything that is not the bundle.
var errDamaged = errors.New("it differs from what was put there")

// checked compares what stands at rel with the bundle, and describes the directory.
func (s *Store) checked(ctx context.Context, rel string, c content) (fs.FileInfo, error) {
	info, err := s.tree.Lstat(rel)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errDamaged
	}
	for _, dir := range slices.Concat([]string{"."}, c.dirs) {
		if ctx.Err() != nil {
			return nil, s.shelf.Late(ctx, "check")
		}
		if err := s.checkedDir(rel, dir, c); err != nil {
			return nil, err
		}
	}
	return info, nil
}

func (s *Store) checkedDir(rel, dir string, c content) error {
	entries, err := s.tree.List(join(rel, dir))
	if err != nil {
		return err
	}
	want := c.list[dir]
	if len(entries) != len(want) {
		return errDamaged
	}
	for i, e := range entries {
		if e.Name() != want[i] {
			return errDamaged
		}
		name := join(dir, e.Name())
		if _, isDir := c.list[name]; isDir {
			if !e.IsDir() {
				return errDamaged
			}
			continue
		}
		data, _, err := s.tree.ReadFile(join(rel, name), int64(len(c.files[name])))
		if err != nil {
			return err
		}
		if !bytes.Equal(data, c.files[name]) {
			return errDamaged
		}
	}
	return nil
}

func join(dir, name string) string {
	switch {
	case dir == ".":
		return name
	case name == ".":
		return dir
	}
	return dir + "/" + name
}
