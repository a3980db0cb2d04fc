package skill_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/skill"
)

var errKilled = errors.New("killed")

// At whatever call a process ends, a bundle that can be seen is whole, and the next process makes the one that is not.
func TestC111_KilledAtAnyCall(t *testing.T) {
	t.Parallel()
	set := []skill.Named{one("x/a", "alpha", "first"), one("x/b", "beta", "second")}
	whole := t.TempDir()
	b := put(t, open(t, whole, nil), set...)
	want := tree(t, filepath.Join(whole, b.Rel))

	for n, survived := int64(1), false; !survived; n++ {
		dir := t.TempDir()
		// Like a process that is gone, one that was killed makes no further call.
		dying := open(t, dir, &fsroot.Seam{Before: func(i int64, _, _ string) error {
			if i >= n {
				return errKilled
			}
			return nil
		}})
		_, err := dying.Put(t.Context(), set)
		survived = err == nil
		if err != nil && !errors.Is(err, errKilled) {
			t.Fatalf("call %d: %v", n, err)
		}
		path := filepath.Join(dir, b.Rel)
		if _, err := os.Lstat(path); err == nil {
			if diff := cmp.Diff(want, tree(t, path)); diff != "" {
				t.Errorf("call %d: a part of a bundle is seen: %s", n, diff)
			}
		}
		if again := put(t, open(t, dir, nil), set...); again.Repaired || again.Digest != b.Digest {
			t.Errorf("call %d: the next process gets %+v", n, again)
		}
		if diff := cmp.Diff(tree(t, whole), tree(t, dir)); diff != "" {
			t.Errorf("call %d: something is left: %s", n, diff)
		}
		if n > 1000 {
			t.Fatal("it never survives")
		}
	}
}

func TestC201_DurableBeforeItIsSeen(t *testing.T) {
	t.Parallel()
	var calls []string
	dir := t.TempDir()
	store := open(t, dir, &fsroot.Seam{Before: func(_ int64, op, name string) error {
		calls = append(calls, op+" "+name)
		return nil
	}})
	put(t, store, one("x/a", "alpha", "first"))
	synced, written := map[string]bool{}, map[string]bool{}
	renamed := false
	for _, call := range calls {
		op, name, _ := strings.Cut(call, " ")
		switch op {
		case fsroot.OpWrite, fsroot.OpMkdir:
			written[name] = true
			if renamed {
				t.Errorf("%s after the bundle can be seen", call)
			}
		case fsroot.OpSync:
			synced[name] = true
			if renamed && name == "skills" {
				return
			}
		case fsroot.OpRename:
			renamed = true
			for name := range written {
				if name != "skills" && !synced[name] {
					t.Errorf("%s is not durable when the bundle can be seen", name)
				}
			}
		}
	}
	t.Errorf("the name of the bundle is not made durable: %s", strings.Join(calls, "\n"))
}

const childVar = "GREENROOM_TEST_STORE"

// TestC183_WriterProcess is the body of the processes of the test below.
func TestC183_WriterProcess(t *testing.T) {
	dir := os.Getenv(childVar)
	if dir == "" {
		t.Skip("runs as a child of TestC183_ConcurrentProcesses")
	}
	treeOf, err := fsroot.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer treeOf.Close()
	for range 20 {
		store := skill.Open(treeOf)
		for _, text := range []string{"first", "second", "third"} {
			if b, err := store.Put(context.Background(), []skill.Named{one("x/a", "alpha", text)}); err != nil || b.Repaired {
				t.Fatalf("%+v, %v", b, err)
			}
		}
	}
}

func TestC183_ConcurrentProcesses(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	open(t, dir, nil)
	var children []*exec.Cmd
	for range 4 {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestC183_WriterProcess$")
		cmd.Env = append(os.Environ(), childVar+"="+dir)
		cmd.Stdout, cmd.Stderr = &strings.Builder{}, &strings.Builder{}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: %s", err, cmd.Stdout)
		}
	}
	if got := names(t, filepath.Join(dir, "skills")); len(got) != 3 {
		t.Errorf("the store holds %v", got)
	}
}

func BenchmarkPutAgain(b *testing.B) {
	dir := b.TempDir()
	store := open(b, dir, nil)
	set := []skill.Named{one("x/a", "alpha", strings.Repeat("text\n", 500)), one("x/b", "beta", "second")}
	put(b, store, set...)
	b.ReportAllocs()
	for b.Loop() {
		put(b, store, set...)
	}
}
