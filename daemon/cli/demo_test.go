package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/internal/demo"
)

func TestDemoWithoutARealClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.must("demo")
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if last := lines[len(lines)-1]; !strings.Contains(last, "No real client was found") {
		t.Errorf("the last line is %q", last)
	}
	for _, want := range []string{"A plain program reads it", "our instructions are there", "is as it was", "├─"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "✗") {
		t.Errorf("something fails in:\n%s", out)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("the demo used the state directory of the user: %q", left)
	}
	r := decode[demo.Result](t, w.must("demo", "--json"))
	if r.Failed() || len(r.Acts) != 1 || len(r.Acts[0].Tree) == 0 || len(r.Real) != 0 {
		t.Errorf("%+v", r)
	}
}

// The tool and the adapters as they are built, each a process of its own.
func TestDemoWithTheRealAdapters(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bin := filepath.Join(filepath.Dir(w.home), "built")
	for dir, pkg := range map[string]string{
		"../cmd/greenroom":       ".",
		"../../providers/claude": "./cmd/greenroom-claude",
		"../../providers/codex":  "./cmd/greenroom-codex",
	} {
		name := filepath.Base(dir)
		if pkg != "." {
			name = filepath.Base(pkg)
		}
		if runtime.GOOS == "windows" {
			name += ".exe"
		}
		cmd := exec.Command("go", "build", "-o", filepath.Join(bin, name), pkg)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", dir, err, out)
		}
	}
	tool := func(args ...string) string {
		cmd := exec.Command(filepath.Join(bin, "greenroom"), args...)
		cmd.Env, cmd.Dir = append(w.environ, "TMPDIR="+t.TempDir()), w.project
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	tool("adapters", "pin", bin)
	out := tool("demo")
	for _, want := range []string{"1/2  claude", "2/2  codex", "No real client was found"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "✗") {
		t.Errorf("something fails in:\n%s", out)
	}
	before, err := os.ReadDir(w.home)
	if err != nil {
		t.Fatal(err)
	}
	tool("prepare", "codex", "--session", "one")
	tool("prepare", "claude", "--session", "two", "--inherit", "automation")
	tool("cleanup", "--all")
	if after, err := os.ReadDir(w.home); err != nil || len(after) != len(before) {
		t.Errorf("home: %v, %v", after, err)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}
