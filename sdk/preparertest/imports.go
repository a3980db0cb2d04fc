package preparertest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// impure are packages of the standard library by which an answer comes to depend on more than its request. Those that
// end in a slash stand for all below.
var impure = []string{
	"os", "os/", "net", "net/http", "net/http/", "syscall", "time", "runtime", "math/rand", "math/rand/", "crypto/rand",
	"path/filepath", "io/ioutil", "plugin", "C",
}

// imports looks at the code of the adapter in the directory of the test: what belongs to its module and is linked into it
// may import nothing by which a pure function becomes none. What others wrote is for the author to judge.
func imports(t testing.TB) []error {
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Imports,Module,Standard", "./...")
	var failed bytes.Buffer
	cmd.Stderr = &failed
	listed, err := cmd.Output()
	if err != nil {
		return []error{fmt.Errorf("list the packages of the adapter: %w: %s", err, clip(failed.String()))}
	}
	var out []error
	for dec := json.NewDecoder(bytes.NewReader(listed)); ; {
		var p struct {
			ImportPath string
			Imports    []string
			Standard   bool
			Module     *struct{ Main bool }
		}
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			return append(out, err)
		}
		if !p.Standard && p.Module != nil && p.Module.Main && !ofSDK(p.ImportPath) {
			out = append(out, pure(p.ImportPath, p.Imports)...)
		}
	}
}

// ofSDK says whether a package is the sdk's, which a workspace can have among its own.
func ofSDK(path string) bool {
	return strings.HasPrefix(path+"/", "github.com/greenroom-agents/greenroom/sdk/")
}

// pure judges what one package imports.
func pure(path string, imported []string) (out []error) {
	for _, i := range imported {
		if slices.ContainsFunc(impure, func(bad string) bool {
			return i == bad || strings.HasSuffix(bad, "/") && strings.HasPrefix(i, bad)
		}) {
			out = append(out, fmt.Errorf("%s imports %s: an adapter is a pure function of the request; it learns what is there by its inputs, and which machine it is by Request.Target", path, i))
		}
	}
	return out
}
