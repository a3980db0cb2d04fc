package fsroot_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

func TestLockOfOneProcess(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tree, other := open(t, dir, nil), open(t, dir, nil)
	lock, err := tree.Lock(t.Context(), fsroot.Exclusive, false)
	must(t, err)
	must(t, tree.Close()) // the lock stays
	if _, err := other.Lock(t.Context(), fsroot.Shared, false); !errors.Is(err, fsroot.ErrLocked) {
		t.Errorf("second lock: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err = other.Lock(ctx, fsroot.Exclusive, true)
	if !errors.Is(err, fsroot.ErrLocked) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting ended with %v", err)
	}
	wantCode(t, err, fault.Busy, dir)
	if _, err = other.Lock(ctx, fsroot.Exclusive, false); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("lock with an ended context: %v", err)
	}
	go func() {
		time.Sleep(5 * time.Millisecond)
		lock.Unlock()
	}()
	second, err := other.Lock(t.Context(), fsroot.Exclusive, true)
	must(t, err)
	must(t, lock.Unlock())
	if _, err = other.Lock(t.Context(), fsroot.Shared, false); !errors.Is(err, fsroot.ErrLocked) {
		t.Errorf("unlocking the first twice gave up the second: %v", err)
	}
	must(t, second.Unlock())
	shared, err := other.Lock(t.Context(), fsroot.Shared, false)
	must(t, err)
	defer shared.Unlock()
	again, err := other.Lock(t.Context(), fsroot.Shared, false)
	must(t, err)
	defer again.Unlock()
}

func TestLockOnARemovedOrReplacedDirectoryIsGone(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, path string){
		"removed": func(t *testing.T, path string) { must(t, os.Remove(path)) },
		"replaced": func(t *testing.T, path string) {
			must(t, os.Remove(path))
			must(t, os.Mkdir(path, 0o700))
		},
		"moved away": func(t *testing.T, path string) { must(t, os.Rename(path, path+"2")) },
		"parent is a file": func(t *testing.T, path string) {
			must(t, os.RemoveAll(filepath.Dir(path)))
			put(t, filepath.Dir(path), "")
		},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "s", "id")
		must(t, os.MkdirAll(path, 0o700))
		state := open(t, dir, nil)
		sub, err := state.Sub("s/id")
		must(t, err)
		defer sub.Close()
		direct := open(t, path, nil)
		change(t, path)
		for _, tree := range []*fsroot.Tree{sub, direct} {
			_, err := tree.Lock(t.Context(), fsroot.Exclusive, true)
			if !errors.Is(err, fsroot.ErrGone) {
				t.Errorf("%s: %v", name, err)
			}
			wantNoPath(t, err, dir)
		}
		if name == "replaced" { // the way on
			again, err := state.Sub("s/id")
			must(t, err)
			defer again.Close()
			lock, err := again.Lock(t.Context(), fsroot.Exclusive, false)
			must(t, err)
			must(t, lock.Unlock())
		}
	}
}
