//go:build unix

package cli_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// An adapter that a debugger started prepares a session by the command that it prints, and it is said wherever somebody
// looks: in the preparation, in the record and by doctor.
func TestAttachToAnAdapterUnderADebugger(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client("exit 0")
	w.exe = filepath.Join(w.bin, "greenroom") // beside no adapters
	cmd := exec.Command(filepath.Join(stage, "greenroom-"+fakeProvider), "--debug")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var command []string
	for lines := bufio.NewScanner(out); command == nil && lines.Scan(); {
		if strings.Contains(lines.Text(), "--unsafe-attach") {
			command = strings.Fields(lines.Text())[1:]
		}
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, out)
		_ = cmd.Wait()
	}()
	if len(command) != 4 {
		t.Fatalf("it prints the command %q", command)
	}
	if got := w.must(command...); !strings.Contains(got, "adapter_attached") {
		t.Errorf("explain does not say so:\n%s", got)
	}
	attach := command[2:]
	w.must(append([]string{"prepare", fakeProvider, "--session", "one"}, attach...)...)
	records, err := filepath.Glob(filepath.Join(w.state, "m", "one-*.json"))
	if err != nil || len(records) != 1 {
		t.Fatalf("%v, %v", records, err)
	}
	if data, err := os.ReadFile(records[0]); err != nil || !strings.Contains(string(data), `"digest":"attached","unsafe":true`) {
		t.Errorf("the record does not say so: %s, %v", data, err)
	}
	if a := w.run(append([]string{"doctor"}, attach...)...); !strings.Contains(a.out, "a debugger started") || !strings.Contains(a.out, "--unsafe-attach") {
		t.Errorf("doctor does not say so:\n%s%s", a.out, a.errors)
	}
	if got := w.must(append([]string{"adapters", "show", fakeProvider}, attach...)...); !strings.Contains(got, "a debugger started it") {
		t.Errorf("adapters show does not say so:\n%s", got)
	}
	w.must("cleanup", "one")
	// It is another one's when it is named wrongly, and what it prints has to be given whole.
	_, address, _ := strings.Cut(attach[1], "=")
	w.refused("plugin_fault", []string{fakeProvider}, "explain", "other", "--unsafe-attach", "other="+address)
	if a := w.run("explain", fakeProvider, "--unsafe-attach", address); a.status != 2 {
		t.Errorf("without a provider: %+v", a)
	}
}
