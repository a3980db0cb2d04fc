package adapter

import (
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// This file is the one place of the package that makes and removes anything on disk: private directories for the
// sockets of adapters, which are short-lived and belong to no session, so that package fsroot has no part in them.

const (
	runPrefix = "gr-"
	ownerFile = "owner"
	// socketRoom is what a process directory and go-plugin's names add to the path of a run base.
	socketRoom = len("/12345") + len("/plugin-dir1234567890") + len("/plugin1234567890")
	orphanAge  = time.Minute
)

// runBase is a pool's private directory. Its owner file is locked for as long as the pool lives, so that what a killed
// host left is told from what is in use, whatever became of its process id.
type runBase struct {
	path  string
	owner *os.File
	mu    sync.Mutex
	count int
}

// newRunBase makes a base below the first of the parents whose path leaves room for sockets, and sweeps away bases
// there that nobody owns any more.
func newRunBase(parents ...string) (*runBase, error) {
	var last error
	for _, parent := range parents {
		if parent == "" || len(parent)+len("/gr-123456")+socketRoom > maxSocketPath {
			continue
		}
		if last = os.MkdirAll(parent, 0o700); last != nil {
			continue
		}
		sweep(parent)
		var base *runBase
		if base, last = claim(parent); last == nil {
			return base, nil
		}
	}
	return nil, fault.Wrap(last, fault.StateWrite, "start", "adapters", "no directory for sockets can be made").
		WithHint("name a short, writable directory")
}

// claim makes a base and locks it. A sweep by another host may come between the two, and then another name is taken.
func claim(parent string) (*runBase, error) {
	var last error
	for range 10 {
		path := filepath.Join(parent, runPrefix+strings.ToLower(rand.Text()[:6]))
		if last = os.Mkdir(path, 0o700); last != nil {
			if errors.Is(last, os.ErrExist) {
				continue
			}
			return nil, last
		}
		var owner *os.File
		owner, last = os.OpenFile(filepath.Join(path, ownerFile), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if last != nil {
			continue
		}
		if tryLock(owner) && samePath(owner) {
			return &runBase{path: path, owner: owner}, nil
		}
		owner.Close()
		last = os.ErrExist
	}
	return nil, last
}

func samePath(f *os.File) bool {
	open, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(f.Name())
	return err == nil && os.SameFile(open, named)
}

// openOwner opens the owner file of what may be a base. One of ours is empty; anything else, a link too, is no sign of a
// base and is not opened.
func openOwner(base string) (*os.File, error) {
	path := filepath.Join(base, ownerFile)
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > 0) {
		err = os.ErrInvalid
	}
	if err != nil {
		return nil, err
	}
	owner, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil && !samePath(owner) {
		owner.Close()
		err = os.ErrInvalid
	}
	return owner, err
}

// sweep removes the bases below parent whose owner is dead. What is not ours cannot be opened or removed, and stays.
func sweep(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), runPrefix) {
			continue
		}
		info, err := e.Info()
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o700 {
			continue // we make them private; one that others can reach may be a trap
		}
		path := filepath.Join(parent, e.Name())
		owner, err := openOwner(path)
		switch {
		case errors.Is(err, os.ErrNotExist):
			// Another host may be between making the directory and the file. An empty old one is what is left when a
			// host died there, and nothing but an empty one is removed: the name alone does not make it ours.
			if time.Since(info.ModTime()) > orphanAge {
				os.Remove(path)
			}
		case err == nil:
			// Held while removing, so that a host that has just made it cannot take it for its own.
			dead := tryLock(owner)
			if dead {
				os.RemoveAll(path)
			}
			owner.Close()
			if dead && runtime.GOOS == "windows" { // where an open file cannot be removed
				os.RemoveAll(path)
			}
		}
	}
}

// process makes the directories of one process.
func (b *runBase) process() (runDir, error) {
	b.mu.Lock()
	b.count++
	dir := runDir{filepath.Join(b.path, strconv.Itoa(b.count))}
	b.mu.Unlock()
	for _, path := range []string{dir.path, dir.home(), dir.temp(), dir.work()} {
		if err := os.Mkdir(path, 0o700); err != nil {
			return dir, fault.Wrap(err, fault.StateWrite, "start", "adapters", "no directory for sockets can be made")
		}
	}
	return dir, nil
}

// remove takes the base away.
func (b *runBase) remove() error {
	b.owner.Close()
	return os.RemoveAll(b.path)
}

// runDir holds the private directories of one process.
type runDir struct{ path string }

func (d runDir) home() string { return filepath.Join(d.path, "h") }
func (d runDir) temp() string { return filepath.Join(d.path, "t") }
func (d runDir) work() string { return filepath.Join(d.path, "w") }

func (d runDir) remove() error { return os.RemoveAll(d.path) }
