package rig_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
)

// A process sees the files beside those of the machine, and the machine does not see them.
func TestEtcIsSeenByTheProcessAlone(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", `cat /etc/greenroom-51c2/a/file && grep -c . /etc/passwd && stat -c %d /etc`)
	rig.Etc(t, rig.Root(t, 2), cmd, map[string]string{"greenroom-51c2/a/file": "laid down\n"})
	result := rig.Run(cmd, time.Minute)
	if result.Err != nil || !strings.HasPrefix(result.Stdout, "laid down\n") {
		t.Fatalf("%v: %s %s", result.Err, result.Stdout, result.Stderr)
	}
	if _, err := os.Stat("/etc/greenroom-51c2"); !os.IsNotExist(err) {
		t.Errorf("the machine has it too: %v", err)
	}
	if mounts, err := os.ReadFile("/proc/self/mounts"); err != nil || strings.Contains(string(mounts), "/etc ") {
		t.Errorf("a mount is left: %v", err)
	}
}
