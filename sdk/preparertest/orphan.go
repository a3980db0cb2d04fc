package preparertest

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/sdk/internal/process"
)

// hostEnv makes this test binary, started again, play a host for [Run]. It holds the path of the adapter's binary.
const hostEnv = "GREENROOM_PREPARERTEST_HOST"

// mark begins the line by which the playing host names the adapter's process.
const mark = "preparertest adapter "

// playHost starts the adapter, says which process it is, and waits to be killed. It says whether it did.
func playHost(c Config) bool {
	binary := os.Getenv(hostEnv)
	if binary == "" {
		return false
	}
	p, err := process.Start(process.Config{Path: binary, Args: c.Args})
	if err != nil {
		fmt.Println("preparertest error", err)
		return true
	}
	fmt.Println(mark + strconv.Itoa(p.Pid))
	time.Sleep(time.Minute) // nobody killed it
	p.Stop()
	return true
}

// endsWithHost kills a host by SIGKILL and looks whether the adapter is gone within two seconds.
func endsWithHost(t testing.TB, c Config) []error {
	self, err := os.Executable()
	if err != nil {
		return []error{err}
	}
	dir, err := os.MkdirTemp("", "gr-")
	if err != nil {
		return []error{err}
	}
	defer os.RemoveAll(dir)
	cmd := exec.CommandContext(t.Context(), self, "-test.run="+pattern(t.Name()), "-test.count=1")
	cmd.Env = append(os.Environ(), hostEnv+"="+c.Binary, "TMPDIR="+dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return []error{err}
	}
	if err := cmd.Start(); err != nil {
		return []error{err}
	}
	defer cmd.Process.Kill()
	pid := 0
	for lines := bufio.NewScanner(stdout); pid == 0 && lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), mark); ok {
			pid, _ = strconv.Atoi(rest)
		}
	}
	if pid == 0 || !process.Alive(pid) {
		cmd.Process.Kill()
		cmd.Wait()
		return []error{errors.New("the binary does not start below a child host")}
	}
	cmd.Process.Kill()
	cmd.Wait()
	for end := time.Now().Add(2 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if !process.Alive(pid) {
			return nil
		}
	}
	if p, err := os.FindProcess(pid); err == nil {
		p.Kill()
	}
	return []error{errors.New("two seconds after its host was killed, the adapter still runs")}
}

// pattern is the -test.run pattern of the test that called Run: the name without the subtest.
func pattern(name string) string {
	parts := strings.Split(name, "/")
	parts = parts[:max(1, len(parts)-1)]
	for i, p := range parts {
		parts[i] = "^" + regexp.QuoteMeta(p) + "$"
	}
	return strings.Join(parts, "/")
}
