package fsroot_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// childVar tells the test binary that it is a second process started by a test, and carries an argument.
const childVar = "GREENROOM_FSROOT_CHILD"

func open(t testing.TB, dir string, seam *fsroot.Seam) *fsroot.Tree {
	t.Helper()
	return openWith(t, dir, fsroot.Options{Seam: seam})
}

func openWith(t testing.TB, dir string, o fsroot.Options) *fsroot.Tree {
	t.Helper()
	tree, err := fsroot.OpenWith(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tree.Close() })
	return tree
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t testing.TB, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must(t, os.WriteFile(path, []byte(content), 0o644))
}

func content(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return string(data)
}

// wantCode fails unless err has the code, and its text no absolute path below dir.
func wantCode(t testing.TB, err error, code fault.Code, dir string) {
	t.Helper()
	if !errors.Is(err, code) || fault.CodeOf(err) != code {
		t.Errorf("error is %v, want %s", err, code)
	}
	wantNoPath(t, err, dir)
}

func wantNoPath(t testing.TB, err error, dir string) {
	t.Helper()
	if err != nil && strings.Contains(err.Error(), dir) {
		t.Errorf("message %q names an absolute path", err)
	}
}

// shape describes every name below dir: kind, mode, content or target, and time of change of files.
func shape(t testing.TB, dir string) map[string]string {
	t.Helper()
	names := map[string]string{}
	must(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			names[rel] = fmt.Sprint(info.Mode(), info.ModTime().UnixNano(), string(data))
		case info.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			if err != nil {
				return err
			}
			names[rel] = fmt.Sprint(info.Mode(), target)
		default:
			names[rel] = info.Mode().String()
		}
		return nil
	}))
	return names
}

// temps are the temporary names below dir.
func temps(t testing.TB, dir string) (found []string) {
	t.Helper()
	for name := range shape(t, dir) {
		if fsroot.IsTemp(filepath.Base(name)) {
			found = append(found, name)
		}
	}
	return found
}

// command runs this test alone in another process.
func command(t *testing.T, arg string, wrapper ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	args := append(wrapper, self, "-test.run=^"+t.Name()+"$", "-test.v", "-test.count=1")
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = append(os.Environ(), childVar+"="+arg)
	return cmd
}

// child runs this test alone in another process, where childArg gives the argument, and fails unless it passes there.
func child(t *testing.T, arg string) {
	t.Helper()
	out, err := command(t, arg).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("--- PASS: "+t.Name())) {
		t.Fatalf("child: %v\n%s", err, out)
	}
}

func childArg() (string, bool) { return os.LookupEnv(childVar) }
