//go:build unix

package foreground_test

import (
	"bufio"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/internal/foreground"
)

func TestRunKeepsTheExitStatus(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]int{
		"exit 0":        0,
		"exit 7":        7,
		"kill -TERM $$": 128 + int(syscall.SIGTERM),
		"kill -KILL $$": 128 + int(syscall.SIGKILL),
	} {
		got, err := foreground.Run(exec.Command("/bin/sh", "-c", script), false, nil)
		if err != nil || got != want {
			t.Errorf("%s: got %d, %v, want %d", script, got, err, want)
		}
	}
}

func TestRunSaysWhatCannotStart(t *testing.T) {
	t.Parallel()
	if _, err := foreground.Run(exec.Command(t.TempDir()+"/none"), false, nil); err == nil {
		t.Error("a missing program was started")
	}
}

func TestWhatIsIgnoredStaysIgnored(t *testing.T) {
	signal.Ignore(syscall.SIGUSR2)
	defer signal.Reset(syscall.SIGUSR2)
	cmd := exec.Command("/bin/sh", "-c", `kill -USR2 $PPID; kill -USR2 $$; exit 5`)
	if got, err := foreground.Run(cmd, false, nil); err != nil || got != 5 {
		t.Errorf("got %d, %v, want 5", got, err)
	}
	if !signal.Ignored(syscall.SIGUSR2) {
		t.Error("it is not ignored any more")
	}
}

// It is not parallel: signals go to the whole test process.
func TestRunPassesSignalsToTheWholeGroup(t *testing.T) {
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	// The inner shell would live on if only the outer one got the signal.
	cmd := exec.Command("/bin/sh", "-c",
		`trap 'echo outer; exit 9' USR1; /bin/sh -c 'trap "echo inner; exit 0" USR1; echo ready; while :; do sleep 0.05; done'; exit 1`)
	cmd.Stdout = write
	go func() {
		lines := bufio.NewReader(read)
		if line, err := lines.ReadString('\n'); err != nil || strings.TrimSpace(line) != "ready" {
			t.Errorf("got %q, %v", line, err)
		}
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			t.Error(err)
		}
	}()
	got, err := foreground.Run(cmd, false, nil)
	write.Close()
	if err != nil || got != 9 {
		t.Errorf("got %d, %v, want 9", got, err)
	}
}
