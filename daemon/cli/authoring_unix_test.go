//go:build unix

package cli_test

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The guide is a list of commands that work, in an empty home, with nothing but the binary: no toolchain, no client and no
// program of the system is found on the way.
func TestTheGuideToExtensionsIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/authoring-extensions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "<!-- run -->\n```sh\n")
	list, _, found := strings.Cut(list, "```\n")
	commands := strings.Split(strings.TrimSpace(list), "\n")
	if !found || len(commands) < 5 || len(commands) > 10 {
		t.Fatalf("the guide has %d commands", len(commands))
	}
	home, bin := t.TempDir(), t.TempDir()
	if err := copyFile(filepath.Join(stage, "greenroom"), filepath.Join(bin, "greenroom")); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", "-e")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + home, "PATH=" + bin}
	cmd.Stdin = strings.NewReader(list)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{"valid:", "signed", "installed", "acp:zeta session is ready", "session first is gone"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("it does not say %q:\n%s", want, out)
		}
	}
	err = filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err == nil && (d.Name() == "go" || strings.HasPrefix(d.Name(), "go-")) {
			t.Errorf("%s was made in the home", d.Name())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// The guide to adapters is true from an empty home to a session: with the tool alone, and with the files of the example as
// those that its author writes between the two lists of commands.
func TestTheGuideToAdaptersIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/authoring-adapters.md")
	if err != nil {
		t.Fatal(err)
	}
	var lists []string
	for _, part := range strings.Split(string(text), "<!-- run -->\n```sh\n")[1:] {
		list, _, _ := strings.Cut(part, "```\n")
		lists = append(lists, list)
	}
	if len(lists) != 2 || strings.Count(lists[0]+lists[1], "\n") > 20 {
		t.Fatalf("the guide has the lists %q", lists)
	}
	a := newAdapterAuthor(t)
	a.must(a.dir, lists[0])
	module := filepath.Join(a.dir, "stagehand")
	a.write(module)
	out := a.must(module, lists[1])
	for want, times := range map[string]int{
		"ok  \texample.com/stagehand": 1, "made SHA256:": 1, "signed stagehand 0.1.0": 1, "believed: Me (SHA256:": 1, "signs adapters (stagehand)": 1,
		"verified: stagehand 0.1.0": 1, "locked stagehand 0.1.0": 1, "installed stagehand 0.1.0": 1, "stagehand session is ready": 1,
		"session first is gone": 1, "instructions: 1": 1, `settings: {"welcome_shown":true}`: 1, "skill: greenroom-handoff": 1, "removed stagehand": 1,
	} {
		if strings.Count(out, want) != times {
			t.Errorf("it does not say %q %d times:\n%s", want, times, out)
		}
	}
	if _, err := os.Lstat(filepath.Join(module, "AGENTS.md")); !os.IsNotExist(err) {
		t.Errorf("AGENTS.md is left: %v", err)
	}
}

// adapterAuthor is somebody with an empty home, a checkout and no network.
type adapterAuthor struct {
	t             *testing.T
	dir, checkout string
	env           []string
}

func newAdapterAuthor(t *testing.T) adapterAuthor {
	t.Helper()
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	if err := copyFile(filepath.Join(stage, "greenroom"), filepath.Join(bin, "greenroom")); err != nil {
		t.Fatal(err)
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	places, err := exec.Command(tool, "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	caches := strings.Fields(string(places))
	if len(caches) != 2 {
		t.Fatalf("the caches of go are %q", places)
	}
	return adapterAuthor{t, t.TempDir(), checkout, []string{
		"HOME=" + t.TempDir(), "PATH=" + bin + ":" + filepath.Dir(tool) + ":/usr/bin:/bin", "CHECKOUT=" + checkout,
		"GOCACHE=" + caches[0], "GOMODCACHE=" + caches[1], "GOWORK=off", "GOPROXY=off", "GOSUMDB=off", "GOTOOLCHAIN=local",
	}}
}

// must runs lines of a shell that have to succeed.
func (a adapterAuthor) must(dir, lines string) string {
	a.t.Helper()
	cmd := exec.CommandContext(a.t.Context(), "/bin/sh", "-e")
	cmd.Dir, cmd.Env, cmd.Stdin = dir, a.env, strings.NewReader(lines)
	out, err := cmd.CombinedOutput()
	if err != nil {
		a.t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// write puts the files of the example into a module. What go would choose with a network may not be on this machine, so
// the module asks for the versions that this repository is built with.
func (a adapterAuthor) write(module string) {
	a.t.Helper()
	example := filepath.Join(a.checkout, "examples", "provider")
	for _, name := range []string{"main.go", "main_test.go"} {
		data, err := os.ReadFile(filepath.Join(example, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(module, name), data, 0o644)
		}
		if err != nil {
			a.t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(module, "testdata"), os.DirFS(filepath.Join(example, "testdata"))); err != nil {
		a.t.Fatal(err)
	}
	cmd := exec.Command("go", "list", "-deps", "-test", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}}{{end}}{{end}}", ".")
	cmd.Dir = example
	listed, err := cmd.Output()
	if err != nil {
		a.t.Fatal(err)
	}
	versions := map[string]bool{}
	for _, v := range strings.Fields(string(listed)) {
		versions[v] = true
	}
	var edit strings.Builder
	for _, v := range slices.Sorted(maps.Keys(versions)) {
		fmt.Fprintf(&edit, "go mod edit -require=%s\n", v)
	}
	a.must(module, edit.String())
}
