//go:build unix

package core

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/sample"
)

// size is what lies below a directory: the lengths of its files and links, and the bytes of the blocks that hold it.
type size struct{ apparent, blocks int64 }

func sizeOf(t testing.TB, dir string) size {
	t.Helper()
	var s size
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if !d.IsDir() {
			s.apparent += info.Size()
		}
		s.blocks += info.Sys().(*syscall.Stat_t).Blocks * 512
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sharing prepares many sessions of one kind and says what each of them and what they share takes.
func sharing(t testing.TB, sessions int) (each, shared size) {
	t.Helper()
	s := newStage(t)
	list := sample.Catalog()
	h := withCommands(s, &list, nil)
	prepare := func(n int) {
		ses := s.session(fmt.Sprintf("session-%04d", n))
		ses.BrowserUse, ses.ComputerUse = true, true
		if _, err := h.Prepare(t.Context(), ses); err != nil {
			t.Fatal(err)
		}
	}
	prepare(0)
	store := filepath.Join(s.state, "store")
	shared = sizeOf(t, store)
	before := sizeOf(t, s.state)
	for n := range sessions {
		prepare(n + 1)
	}
	if grown := sizeOf(t, store); grown != shared {
		t.Errorf("the store grew from %v to %v", shared, grown)
	}
	after := sizeOf(t, s.state)
	grown := size{after.apparent - before.apparent, after.blocks - before.blocks}
	return size{grown.apparent / int64(sessions), grown.blocks / int64(sessions)}, shared
}

// Sessions of one kind share their skills: each adds its own files and nothing else.
func TestC180_SessionsAddTheirOwnFilesOnly(t *testing.T) {
	t.Parallel()
	each, shared := sharing(t, 40)
	t.Logf("a session takes %d bytes in %d bytes of blocks; the bundle takes %d bytes in %d once", each.apparent, each.blocks, shared.apparent, shared.blocks)
	// With a bundle of its own a session would take at least that much more.
	if each.apparent*2 > shared.apparent || each.blocks*3 > shared.blocks*2 {
		t.Errorf("a session takes %v, beside %v that are shared", each, shared)
	}
}

func BenchmarkSharedBundle(b *testing.B) {
	for b.Loop() {
		each, shared := sharing(b, 500)
		b.ReportMetric(float64(each.apparent), "bytes/session")
		b.ReportMetric(float64(each.blocks), "disk-bytes/session")
		b.ReportMetric(float64(shared.blocks), "disk-bytes/bundle")
	}
}
