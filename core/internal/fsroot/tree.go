package fsroot

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// maxOpen bounds the directories that a tree holds open. It is more than a session has.
const maxOpen = 96

// seedLen is how many random bytes tell the temporary names of one tree from those of others.
const seedLen = 6

// Options are the rare settings of a tree.
type Options struct {
	// Seam sees every change. Default: none.
	Seam *Seam
	// Linker makes links. Default: the seam's, and else the system's.
	Linker Linker
	// Label names the tree in messages, as in "label:a/b". Default: "directory", and paths are named as they are.
	Label string
	// Rand gives the 6 bytes that tell the temporary names of this tree from those of others. Default: crypto/rand.
	Rand io.Reader
}

// Tree is a directory that is held open, and what lies below it. Paths are clean, relative and slash separated; "." is
// the tree itself. A Tree is not safe for concurrent use, Close included; several trees on one directory are, and so
// are a tree and a tree made by [Tree.Sub] from it.
type Tree struct {
	root   *os.Root
	info   fs.FileInfo // of the directory, at the time it was opened
	path   string      // absolute
	follow bool        // path may end in a link
	label  string      // what messages put in front of a relative path
	prefix string      // what the seam puts in front of a relative path
	shared *shared
	dirs   map[string]dir
	chunk  []byte // of a file that is compared
}

type dir struct {
	root *os.Root
	info fs.FileInfo
}

// shared is common to a tree and its subtrees.
type shared struct {
	seam   *Seam
	linker Linker
	temp   string
	temps  atomic.Uint64
}

// Open opens the directory at an absolute path. The path itself may lead through links: it was chosen by the host or the
// user. The seam may be nil.
func Open(path string, seam *Seam) (*Tree, error) {
	return OpenWith(path, Options{Seam: seam})
}

// OpenWith is [Open] with all options.
func OpenWith(path string, o Options) (*Tree, error) {
	label, subject := "", "directory"
	if o.Label != "" {
		label, subject = o.Label+":", o.Label
	}
	// Opening comes second, since opening a FIFO would block.
	info, err := os.Stat(path)
	if err != nil {
		return nil, reading(err, "open", subject)
	}
	if !info.IsDir() {
		return nil, fault.New(fault.NotRegular, "open", subject, "not a directory")
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, reading(err, "open", subject)
	}
	if info, err = root.Lstat("."); err != nil {
		root.Close()
		return nil, reading(err, "open", subject)
	}
	if o.Rand == nil {
		o.Rand = rand.Reader
	}
	if o.Linker == nil && o.Seam != nil {
		o.Linker = o.Seam.Linker
	}
	if o.Linker == nil {
		o.Linker = systemLinker{}
	}
	var seed [seedLen]byte
	if _, err := io.ReadFull(o.Rand, seed[:]); err != nil {
		root.Close()
		return nil, &failure{"open", subject, err}
	}
	return &Tree{
		root: root, info: info, path: path, follow: true, label: label,
		shared: &shared{seam: o.Seam, linker: o.Linker, temp: TempPrefix + hex.EncodeToString(seed[:]) + "-"},
		dirs:   make(map[string]dir, 8),
	}, nil
}

// Sub opens a directory of the tree as a tree of its own, which must be closed apart. Each component must be a real
// directory, and is looked at again even where the tree has it open, so Sub finds a directory that another process
// put in the place of an old one.
func (t *Tree) Sub(rel string) (*Tree, error) {
	if err := t.check("open", rel); err != nil {
		return nil, err
	}
	before := t.dirs[rel]
	d, err := t.again(rel)
	if err != nil {
		return nil, err
	}
	root := d.root
	if rel != "." && root != before.root {
		delete(t.dirs, rel) // opened for the new tree, and so its own
	} else if root, err = d.root.OpenRoot("."); err != nil { // a second one, since either tree may be closed first
		return nil, reading(err, "open", t.subject(rel))
	}
	sub := &Tree{root: root, info: d.info, path: t.path, follow: t.follow, label: t.label, prefix: t.prefix, shared: t.shared, dirs: make(map[string]dir, 4)}
	if rel != "." {
		sub.path, sub.follow = filepath.Join(t.path, filepath.FromSlash(rel)), false
		sub.label, sub.prefix = t.label+rel+"/", t.prefix+rel+"/"
	}
	return sub, nil
}

// again is the directory at rel, each component of it looked at again.
func (t *Tree) again(rel string) (dir, error) {
	d := dir{t.root, t.info}
	for end := 0; rel != "." && end < len(rel); end++ {
		start := end
		if i := strings.IndexByte(rel[start:], '/'); i >= 0 {
			end += i
		} else {
			end = len(rel)
		}
		prefix, name := rel[:end], rel[start:end]
		info, err := t.look(d.root, prefix, name)
		if err != nil {
			t.forget(prefix)
			return dir{}, err
		}
		known, ok := t.dirs[prefix]
		if !ok || !os.SameFile(known.info, info) {
			t.forget(prefix)
			if known, err = t.enter(d.root, prefix, name, info); err != nil {
				return dir{}, err
			}
		}
		d = known
	}
	return d, nil
}

// Path is the absolute path that the tree was opened by.
func (t *Tree) Path() string { return t.path }

// Identity is device and inode of the directory, or zeros where the system does not tell.
func (t *Tree) Identity() (dev, ino uint64) { return identity(t.info) }

// Close closes the tree and every directory it holds open. Locks stay. Closing twice does nothing.
func (t *Tree) Close() error {
	t.forget(".")
	return bare(t.root.Close())
}

// Lstat describes what stands at a path, without following a link.
func (t *Tree) Lstat(rel string) (fs.FileInfo, error) {
	parent, name, err := t.at("stat", rel)
	if err != nil {
		return nil, err
	}
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, reading(err, "stat", t.subject(rel))
	}
	return info, nil
}

// Enter is [Tree.Lstat] for a path at which most likely a directory stands that will be used: one is opened on the way.
func (t *Tree) Enter(rel string) (fs.FileInfo, error) {
	parent, name, err := t.named("stat", rel)
	if err != nil {
		return nil, err
	}
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, reading(err, "stat", t.subject(rel))
	}
	if known, ok := t.dirs[rel]; info.IsDir() && (!ok || !os.SameFile(known.info, info)) {
		t.forget(rel)
		if _, err := t.enter(parent, rel, name, info); err != nil && !errors.Is(err, fs.ErrPermission) {
			return nil, err
		}
	}
	return info, nil
}

// Readlink is the target of a link, as it stands there.
func (t *Tree) Readlink(rel string) (string, error) {
	parent, name, err := t.at("read link", rel)
	if err != nil {
		return "", err
	}
	target, err := parent.Readlink(name)
	if err != nil {
		return "", reading(err, "read link", t.subject(rel))
	}
	return target, nil
}

// List is what a directory holds, sorted by name. Take no more than name and type from the entries.
func (t *Tree) List(rel string) ([]fs.DirEntry, error) {
	if err := t.check("list", rel); err != nil {
		return nil, err
	}
	d, err := t.dir(rel)
	if err != nil {
		return nil, err
	}
	entries, err := list(d)
	if err != nil {
		return nil, reading(err, "list", t.subject(rel))
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, nil
}

// openDir opens the directory itself. Without the flag, which makes no difference to a directory, Go asks the system
// some more about it.
func openDir(d *os.Root) (*os.File, error) { return d.OpenFile(".", os.O_RDONLY|openNonblock, 0) }

func list(d *os.Root) ([]fs.DirEntry, error) {
	f, err := openDir(d)
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	return entries, first(err, f.Close())
}

// check refuses what is not a clean relative path. It is the entry of every call, so directories are let go here and
// never under a call's feet.
func (t *Tree) check(op, rel string) error {
	if !fs.ValidPath(rel) || strings.IndexByte(rel, 0) >= 0 || !validOnSystem(rel) {
		return fault.New(fault.Invalid, op, t.subject("."), "not a clean relative path")
	}
	if len(t.dirs) > maxOpen {
		t.forget(".")
	}
	return nil
}

// at is the open parent of a path and the name in it.
func (t *Tree) at(op, rel string) (*os.Root, string, error) {
	if err := t.check(op, rel); err != nil {
		return nil, "", err
	}
	above, name := split(rel)
	d, err := t.dir(above)
	return d, name, err
}

// named is at for calls that cannot be made on the tree itself.
func (t *Tree) named(op, rel string) (*os.Root, string, error) {
	if rel == "." {
		return nil, "", fault.New(fault.Invalid, op, t.subject(rel), "is the tree itself")
	}
	return t.at(op, rel)
}

func split(rel string) (above, name string) {
	if i := strings.LastIndexByte(rel, '/'); i >= 0 {
		return rel[:i], rel[i+1:]
	}
	return ".", rel
}

// dir is the open directory at rel, which may be ".".
func (t *Tree) dir(rel string) (*os.Root, error) {
	if rel == "." {
		return t.root, nil
	}
	if d, ok := t.dirs[rel]; ok {
		return d.root, nil
	}
	above, name := split(rel)
	parent, err := t.dir(above)
	if err != nil {
		return nil, err
	}
	info, err := t.look(parent, rel, name)
	if err != nil {
		return nil, err
	}
	d, err := t.enter(parent, rel, name, info)
	return d.root, err
}

// look says what stands at name, and fails unless it is a real directory.
func (t *Tree) look(parent *os.Root, rel, name string) (fs.FileInfo, error) {
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, reading(err, "open", t.subject(rel))
	}
	if IsLink(info.Mode()) {
		return nil, fault.New(fault.LinkRefused, "open", t.subject(rel), "a link stands where a directory must be")
	}
	if !info.IsDir() {
		return nil, fault.New(fault.NotRegular, "open", t.subject(rel), "not a directory")
	}
	return info, nil
}

// enter opens and remembers the directory that look saw.
func (t *Tree) enter(parent *os.Root, rel, name string, info fs.FileInfo) (dir, error) {
	root, err := sameDir(parent, name, info)
	if err != nil {
		if errors.Is(err, errSwapped) {
			return dir{}, fault.Wrap(err, fault.LinkRefused, "open", t.subject(rel), "replaced while it was being opened")
		}
		return dir{}, reading(err, "open", t.subject(rel))
	}
	d := dir{root, info}
	t.dirs[rel] = d
	return d, nil
}

// sameDir opens a directory and makes sure that it is the one that was looked at, since OpenRoot follows a link that
// stays inside of the root.
func sameDir(parent *os.Root, name string, info fs.FileInfo) (*os.Root, error) {
	root, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	now, err := root.Lstat(".")
	if err == nil && !os.SameFile(info, now) {
		err = errSwapped
	}
	if err != nil {
		root.Close()
		return nil, err
	}
	return root, nil
}

// forget closes the directory at rel and all below it.
func (t *Tree) forget(rel string) {
	for key, d := range t.dirs {
		if rel == "." || key == rel || (len(key) > len(rel) && key[len(rel)] == '/' && key[:len(rel)] == rel) {
			d.root.Close()
			delete(t.dirs, key)
		}
	}
}
