package fsroot_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

var (
	small = make([]byte, 300)
	large = make([]byte, 4000)
)

// layout makes what a fresh session consists of: three directories, three files and four links.
func layout(tree *fsroot.Tree, id string, o fsroot.WriteOptions) error {
	for _, dir := range []string{id, id + "/home", id + "/home/skills"} {
		if err := tree.Mkdir(dir, 0o700); err != nil {
			return err
		}
	}
	for name, data := range map[string][]byte{"/home/config.toml": large, "/home/AGENTS.md": large, "/home/rules": small} {
		if err := tree.WriteFile(id+name, data, o); err != nil {
			return err
		}
	}
	for _, name := range []string{"/home/auth.json", "/home/skills/a", "/home/skills/b", "/home/cache"} {
		if err := tree.Symlink("/nowhere/at/all", id+name); err != nil {
			return err
		}
	}
	return nil
}

// floor does the same with plain calls on absolute paths.
func floor(base, id string) error {
	path := func(name string) string { return filepath.Join(base, id, name) }
	for _, dir := range []string{"", "home", "home/skills"} {
		if err := os.Mkdir(path(dir), 0o700); err != nil {
			return err
		}
	}
	for name, data := range map[string][]byte{"home/config.toml": large, "home/AGENTS.md": large, "home/rules": small} {
		if err := os.WriteFile(path(name), data, 0o600); err != nil {
			return err
		}
	}
	for _, name := range []string{"home/auth.json", "home/skills/a", "home/skills/b", "home/cache"} {
		if err := os.Symlink("/nowhere/at/all", path(name)); err != nil {
			return err
		}
	}
	return nil
}

// Run with TMPDIR on a tmpfs to leave the disk out.
func BenchmarkSession(b *testing.B) {
	for name, o := range map[string]fsroot.WriteOptions{"fresh": {Fresh: true}, "replace": {}, "replace and sync": {Sync: true}} {
		b.Run(name, func(b *testing.B) {
			base := b.TempDir()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				tree, err := fsroot.Open(base, nil)
				must(b, err)
				must(b, layout(tree, fmt.Sprint(i), o))
				must(b, tree.Close())
			}
		})
	}
	b.Run("floor", func(b *testing.B) {
		base := b.TempDir()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			must(b, floor(base, fmt.Sprint(i)))
		}
	})
}

func BenchmarkRemoveAll(b *testing.B) {
	for name, remove := range map[string]func(*fsroot.Tree, string, string) error{
		"tree":  func(tree *fsroot.Tree, _, id string) error { return tree.RemoveAll(id) },
		"floor": func(_ *fsroot.Tree, base, id string) error { return os.RemoveAll(filepath.Join(base, id)) },
	} {
		b.Run(name, func(b *testing.B) {
			base := b.TempDir()
			tree := open(b, base, nil)
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				must(b, floor(base, "s"))
				b.StartTimer()
				must(b, remove(tree, base, "s"))
			}
		})
	}
}

// compare reads what an unchanged session is compared by.
func compare(tree *fsroot.Tree, id string) error {
	for _, name := range []string{"/home/config.toml", "/home/AGENTS.md", "/home/rules"} {
		if _, _, err := tree.ReadFile(id+name, 1<<20); err != nil {
			return err
		}
	}
	for _, name := range []string{"/home/auth.json", "/home/skills/a", "/home/skills/b", "/home/cache"} {
		if _, err := tree.Readlink(id + name); err != nil {
			return err
		}
	}
	return nil
}

func BenchmarkCompare(b *testing.B) {
	base := b.TempDir()
	must(b, floor(base, "s"))
	b.Run("tree", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			tree, err := fsroot.Open(base, nil)
			must(b, err)
			must(b, compare(tree, "s"))
			must(b, tree.Close())
		}
	})
	b.Run("floor", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			for _, name := range []string{"config.toml", "AGENTS.md", "rules"} {
				_, err := os.ReadFile(filepath.Join(base, "s", "home", name))
				must(b, err)
			}
			for _, name := range []string{"auth.json", "skills/a", "skills/b", "cache"} {
				_, err := os.Readlink(filepath.Join(base, "s", "home", name))
				must(b, err)
			}
		}
	})
}

// Allocations do not depend on the machine, so they stand for speed here.
func TestAllocationsOfASession(t *testing.T) {
	base := t.TempDir()
	n := 0
	fresh := testing.AllocsPerRun(20, func() {
		n++
		tree, err := fsroot.Open(base, nil)
		must(t, err)
		must(t, layout(tree, fmt.Sprint(n), fsroot.WriteOptions{Fresh: true}))
		must(t, tree.Close())
	})
	again := testing.AllocsPerRun(20, func() {
		tree, err := fsroot.Open(base, nil)
		must(t, err)
		must(t, compare(tree, "1"))
		must(t, tree.Close())
	})
	t.Logf("%v allocations for a fresh session, %v to compare it", fresh, again)
	if fresh > 150 || again > 150 {
		t.Errorf("%v allocations for a fresh session, %v to compare it; allowed are 150 each", fresh, again)
	}
}
