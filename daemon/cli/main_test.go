package cli_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/daemon/cli"
	"github.com/greenroom-agents/greenroom/daemon/internal/roster"
)

// stage is the directory that holds the tool and an adapter for a made-up client, built once and without the race
// detector, which would make each of their many starts slow. Adapters are pinned in it as a build does.
var stage string

const fakeProvider = "fake"

func TestMain(m *testing.M) {
	launchtest.Main()
	dir, err := os.MkdirTemp("", "greenroom-cli-test-")
	if err == nil {
		stage, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		err = build(stage)
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

func build(dir string) error {
	for name, pkg := range map[string]string{
		"greenroom": "../cmd/greenroom", "greenroom-" + fakeProvider: "./testdata/fakeadapter",
		"agents/greenroom-" + launchtest.Provider: "./testdata/agentadapter", // in a place of its own, for the tests that ask for it
	} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(dir, exeName(name)), pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", pkg, err, out)
		}
	}
	if _, err := roster.Pin(filepath.Join(dir, "agents")); err != nil {
		return err
	}
	_, err := roster.Pin(dir)
	return err
}

func exeName(name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	return name
}

// copyFile makes a file under another name: a link where that can be, since a test binary is large.
func copyFile(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

// world is a person with a home, a project and a state directory of their own.
type world struct {
	t                    *testing.T
	ctx                  context.Context
	home, project, state string
	bin                  string // first on PATH
	environ              []string
	stdin                io.Reader
	exe, hostname        string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		t: t, ctx: t.Context(), home: filepath.Join(root, "home"), project: filepath.Join(root, "home", "project"),
		state: filepath.Join(root, "state"), bin: filepath.Join(root, "bin"), exe: filepath.Join(stage, exeName("greenroom")),
		stdin: strings.NewReader(""),
	}
	w.environ = []string{
		"HOME=" + w.home, "PATH=" + w.bin + string(filepath.ListSeparator) + "/usr/bin:/bin", "GREENROOM_STATE=" + w.state,
	}
	w.write(filepath.Join(w.home, ".fake", "RULES.md"), "Be brief.\n", 0o600)
	w.write(filepath.Join(w.project, "README.md"), "# Project\n", 0o600)
	if err := os.MkdirAll(w.bin, 0o755); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *world) write(path, body string, mode os.FileMode) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), mode); err != nil {
		w.t.Fatal(err)
	}
}

// client installs a client for the fake provider: a shell script, after the answer to --version.
func (w *world) client(script string) {
	w.t.Helper()
	w.clientOf("1.2.3", script)
}

func (w *world) clientOf(version, script string) {
	w.t.Helper()
	if runtime.GOOS == "windows" {
		w.t.Skip("the client of this test is a shell script")
	}
	w.write(filepath.Join(w.bin, "fakeclient"), "#!/bin/sh\n[ \"$1\" = --version ] && { echo fakeclient "+version+"; exit; }\n"+script+"\n", 0o755)
}

// answer is what an invocation gave.
type answer struct {
	status      int
	out, errors string
}

// run does one invocation in this process.
func (w *world) run(args ...string) answer {
	w.t.Helper()
	var out, errs bytes.Buffer
	status := cli.Run(w.ctx, cli.System{
		Args: args, Stdin: w.stdin, Stdout: &out, Stderr: &errs, Environ: w.environ, Home: w.home, Hostname: w.hostname, Cwd: w.project,
		Executable: w.exe, TempDir: w.t.TempDir(), GOOS: runtime.GOOS, Now: time.Now, Rand: rand.Reader,
	})
	return answer{status, out.String(), errs.String()}
}

// must does one invocation that has to succeed.
func (w *world) must(args ...string) string {
	w.t.Helper()
	a := w.run(args...)
	if a.status != 0 {
		w.t.Fatalf("greenroom %s: status %d\n%s%s", strings.Join(args, " "), a.status, a.out, a.errors)
	}
	return a.out
}

// sessionDirs lists what is left of sessions in the state directory.
func (w *world) sessionDirs() []string {
	w.t.Helper()
	var names []string
	for _, dir := range []string{"s", "m", "w"} {
		entries, err := os.ReadDir(filepath.Join(w.state, dir))
		if err != nil && !os.IsNotExist(err) {
			w.t.Fatal(err)
		}
		for _, e := range entries {
			names = append(names, dir+"/"+e.Name())
		}
	}
	return names
}
