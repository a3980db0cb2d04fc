package repo_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"testing"
)

// writers are the functions that can write, rename, link or remove files, by the path of their package. Handles that
// could do so (os.Root, files opened for writing) begin with one of them.
var writers = map[string][]string{
	"os": {
		"Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "Lchown", "Link", "Mkdir", "MkdirAll", "MkdirTemp",
		"OpenFile", "OpenInRoot", "OpenRoot", "Remove", "RemoveAll", "Rename", "Root", "Symlink", "Truncate", "WriteFile",
	},
	"io/ioutil": {"TempDir", "TempFile", "WriteFile"},
	"syscall": {
		"Chmod", "Chown", "Creat", "Fchmod", "Fchmodat", "Fchown", "Fchownat", "Ftruncate", "Lchown", "Link", "Mkdir",
		"Mkdirat", "Mkfifo", "Mknod", "Mknodat", "Open", "Openat", "Rename", "Renameat", "Rmdir", "Symlink", "Truncate",
		"Unlink", "Unlinkat", "Utimes", "CreateFile", "CreateSymbolicLink", "DeleteFile", "MoveFile", "RemoveDirectory",
	},
	"golang.org/x/sys/unix": {
		"Chmod", "Chown", "Creat", "Fchmod", "Fchmodat", "Fchown", "Fchownat", "Ftruncate", "Lchown", "Link", "Linkat",
		"Mkdir", "Mkdirat", "Mkfifo", "Mknod", "Open", "Openat", "Openat2", "Rename", "Renameat", "Renameat2", "Rmdir",
		"Symlink", "Symlinkat", "Truncate", "Unlink", "Unlinkat",
	},
	"golang.org/x/sys/windows": {
		"CreateDirectory", "CreateFile", "CreateHardLink", "CreateSymbolicLink", "DeleteFile", "MoveFile", "MoveFileEx",
		"RemoveDirectory", "Rename",
	},
}

// writeExceptions lists who else in core may call which writers. The socket of an adapter needs a short private
// directory of the system's, which is no part of any state and gone with the adapter.
var writeExceptions = map[string][]string{
	"core/adapter/rundir.go": {"os.Mkdir", "os.MkdirAll", "os.OpenFile", "os.Remove", "os.RemoveAll"},
}

// fakeAgent is a kit that only tests import. It writes into the directories of tests.
const fakeAgent = "core/launch/launchtest"

const writerPackage = "core/internal/fsroot"

func TestOnlyOnePackageOfCoreWrites(t *testing.T) {
	t.Parallel()
	inside := 0
	used := map[string]bool{}
	for _, f := range files(t) {
		if !f.isGo() || f.isTest() || !f.below("core") || f.below(fakeAgent) {
			continue
		}
		for _, call := range uses(t, f, writers) {
			if path.Dir(f.path) == writerPackage {
				inside++
				continue
			}
			if slices.Contains(writeExceptions[f.path], call.name) {
				used[f.path+" "+call.name] = true
				continue
			}
			t.Errorf("%s:%d uses %s; only %s may", f.path, call.line, call.name, writerPackage)
		}
	}
	if inside == 0 {
		t.Error("the package that writes was not found to write, so the test finds nothing")
	}
	for file, names := range writeExceptions {
		for _, name := range names {
			if !used[file+" "+name] {
				t.Errorf("%s does not use %s any more: take the exception away", file, name)
			}
		}
	}
}

type use struct {
	name string
	line int
}

// uses finds where a file names one of the functions, called or not.
func uses(t *testing.T, f file, named map[string][]string) []use {
	t.Helper()
	fset, tree, imported := parse(t, f, func(from string) bool { return named[from] != nil })
	if tree == nil {
		return nil
	}
	var found []use
	ast.Inspect(tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(named[imported[x.Name]], s.Sel.Name) {
				found = append(found, use{imported[x.Name] + "." + s.Sel.Name, fset.Position(s.Pos()).Line})
			}
		}
		return true
	})
	return found
}

// parse reads a file of Go, and which of the wanted packages it imports: their paths by the names that they have in it.
func parse(t *testing.T, f file, wanted func(from string) bool) (*token.FileSet, *ast.File, map[string]string) {
	t.Helper()
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, f.path, f.text, parser.SkipObjectResolution)
	if err != nil {
		t.Error(err)
		return nil, nil, nil
	}
	imported := map[string]string{}
	for _, spec := range tree.Imports {
		from, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if !wanted(from) {
			continue
		}
		name := path.Base(from)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		if name == "." {
			t.Errorf("%s imports %s without a name", f.path, from)
		}
		imported[name] = from
	}
	return fset, tree, imported
}

func TestWritersAreFound(t *testing.T) {
	t.Parallel()
	text := `package x
import ("os"; sys "syscall"; "fmt")
func f() { fmt.Println(os.Args); g := os.Remove; g("a"); sys.Unlink("a"); var r *os.Root; _ = r }`
	var names []string
	for _, u := range uses(t, file{path: "x.go", text: text}, writers) {
		names = append(names, u.name)
	}
	if want := []string{"os.Remove", "syscall.Unlink", "os.Root"}; !slices.Equal(names, want) {
		t.Errorf("found %v, want %v", names, want)
	}
}
