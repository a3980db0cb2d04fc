package repo_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// root is the directory of the repository.
const root = "../.."

// prefix begins the import path of everything in the repository.
const prefix = "github.com/greenroom-agents/greenroom/"

// file is a file of the repository.
type file struct {
	path   string // from the root, with slashes
	text   string
	binary bool
}

func (f file) isTest() bool      { return strings.HasSuffix(f.path, "_test.go") || f.inTestdata() }
func (f file) isGo() bool        { return strings.HasSuffix(f.path, ".go") && !f.inTestdata() }
func (f file) inTestdata() bool  { return strings.Contains("/"+f.path, "/testdata/") }
func (f file) isGenerated() bool { return strings.Contains(f.head(), "// Code generated ") }
func (f file) lines() []string   { return strings.Split(strings.TrimSuffix(f.text, "\n"), "\n") }
func (f file) head() string      { return f.text[:min(len(f.text), 4096)] }
func (f file) below(dir string) bool {
	return f.path == dir || strings.HasPrefix(f.path, dir+"/")
}

// files are the text files of the repository.
func files(t *testing.T) []file {
	t.Helper()
	list, err := readFiles()
	if err != nil {
		t.Fatal(err)
	}
	list = slices.DeleteFunc(slices.Clone(list), func(f file) bool { return f.binary })
	if len(list) < 50 {
		t.Fatalf("only %d files were found", len(list))
	}
	return list
}

// readFiles reads everything, once.
var readFiles = sync.OnceValues(func() ([]file, error) {
	var list []file
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			switch base := path.Base(rel); {
			case base == "node_modules", rel == "bin", rel != "." && strings.HasPrefix(base, ".") && rel != ".ci":
				return fs.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || strings.HasSuffix(rel, ".sum") || strings.HasSuffix(rel, ".test") || strings.HasSuffix(rel, ".out") {
			return nil
		}
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // removed while the tests run
		}
		list = append(list, file{rel, string(data), bytes.IndexByte(data, 0) >= 0})
		return err
	})
	return list, err
})

// modules lists the directories that hold a go.mod.
func modules(t *testing.T) []string {
	t.Helper()
	var dirs []string
	for _, f := range files(t) {
		if path.Base(f.path) == "go.mod" && !f.inTestdata() {
			dirs = append(dirs, path.Dir(f.path))
		}
	}
	slices.Sort(dirs)
	if len(dirs) < 8 {
		t.Fatalf("only the modules %v were found", dirs)
	}
	return dirs
}

// pkg is what the go command says of a package.
type pkg struct {
	ImportPath                         string
	Name, Doc                          string
	ForTest                            string
	Standard                           bool
	GoFiles                            []string
	Imports, TestImports, XTestImports []string
	Module                             *struct{ Path string }
}

func (p pkg) ours() bool { return strings.HasPrefix(p.ImportPath, prefix) }

// list runs go list in a module, apart from the workspace.
func list(t *testing.T, dir string, args ...string) []pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", append([]string{"list", "-json=ImportPath,Name,Doc,ForTest,Standard,GoFiles,Imports,TestImports,XTestImports,Module"}, args...)...)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(dir))
	cmd.Env = append(os.Environ(), "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list in %s: %v\n%s", dir, err, stderr.String())
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); err == io.EOF {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
	}
}
