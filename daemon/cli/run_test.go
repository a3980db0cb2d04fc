//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
)

func TestRunIsTheClientAndLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.stdin = strings.NewReader("from stdin\n")
	w.client(`
read line
echo "$line|$PWD|$3 $4"
grep -c '# Greenroom session' "$FAKE_HOME/RULES.md"
echo "in its way" > "$FAKE_HOME/own.txt"
echo complaint >&2
exit 7`)
	got := w.run("run", "fake", "--", "extra", "args")
	if got.status != 7 {
		t.Errorf("status %d", got.status)
	}
	if want := "from stdin|" + w.project + "|extra args\n1\n"; got.out != want {
		t.Errorf("stdout %q, want %q", got.out, want)
	}
	if got.errors != "complaint\n" {
		t.Errorf("stderr %q", got.errors)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

func TestRunKeepsASessionThatIsToBeKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client(`echo run >> "$FAKE_HOME/own.txt"; cat "$FAKE_HOME/own.txt"`)
	w.must("run", "fake", "--session", "one", "--keep", "all")
	if out := w.must("run", "fake", "--session", "one", "--keep", "all"); out != "run\nrun\n" {
		t.Errorf("got %q", out)
	}
	w.must("cleanup", "one")
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

func TestRunPassesTheSignalThatEndsTheClient(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client(`kill -TERM $$`)
	if got := w.run("run", "fake"); got.status != 128+int(syscall.SIGTERM) {
		t.Errorf("%+v", got)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

// tool starts greenroom as a process of its own.
func (w *world) tool(args ...string) (*exec.Cmd, *bufio.Reader, *bytes.Buffer) {
	w.t.Helper()
	cmd := exec.Command(w.exe, args...)
	cmd.Env, cmd.Dir = w.environ, w.project
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		w.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return cmd, bufio.NewReader(out), &errs
}

func TestSignalsReachTheClientAndTheSessionIsTakenAway(t *testing.T) {
	t.Parallel()
	for sig, name := range map[syscall.Signal]string{syscall.SIGINT: "INT", syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if signal.Ignored(sig) {
				t.Skip("our caller has us ignore it, as nohup does, and so does the client")
			}
			w := newWorld(t)
			w.client(`trap 'echo got ` + name + `; exit 9' ` + name + `; echo ready; while :; do sleep 0.05; done`)
			cmd, out, errs := w.tool("run", "fake", "--session", "one")
			if line, err := out.ReadString('\n'); line != "ready\n" {
				t.Fatalf("%q, %v, %s", line, err, errs)
			}
			// While the client runs nobody can take its session away.
			if got := w.run("cleanup", "one"); got.status != 3 || !strings.Contains(got.errors, "[running]") {
				t.Errorf("%+v", got)
			}
			if all := decode[[]core.Info](t, w.must("sessions", "--json")); len(all) != 1 || !all[0].Running {
				t.Errorf("%+v", all)
			}
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			rest, _ := io.ReadAll(out)
			_ = cmd.Wait()
			if got := cmd.ProcessState.ExitCode(); got != 9 || string(rest) != "got "+name+"\n" {
				t.Errorf("status %d, said %q, stderr %s", got, rest, errs)
			}
			if left := w.sessionDirs(); len(left) != 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

func TestRunWithAClientThatCannotStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(filepath.Join(w.bin, "fakeclient"), "\x7fELF and nothing more", 0o755)
	got := w.run("run", "fake")
	if got.status != 1 || !strings.Contains(got.errors, "greenroom: ") {
		t.Errorf("%+v", got)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	if _, err := os.Stat(filepath.Join(w.home, ".fake", "RULES.md")); err != nil {
		t.Error(err)
	}
}
