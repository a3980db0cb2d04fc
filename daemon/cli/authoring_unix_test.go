//go:build unix

package cli_test

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
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
