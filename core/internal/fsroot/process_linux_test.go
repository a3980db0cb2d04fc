package fsroot_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

func TestFullDiskIsFull(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("mounting a file system needs root")
	}
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("cannot mount here: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	put(t, filepath.Join(dir, "file"), "old")
	fullDisk(t, dir, make([]byte, 100<<10))
}

// The seam's own count against what the kernel was asked for.
func TestSeamCountsWhatTheKernelSees(t *testing.T) {
	t.Parallel()
	if dir, isChild := childArg(); isChild {
		seam := &fsroot.Seam{}
		tree := open(t, dir, seam)
		must(t, work(tree))
		fmt.Printf("count %d\n", seam.Count())
		return
	}
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("strace is not installed")
	}
	dir := workplace(t)
	log := filepath.Join(t.TempDir(), "trace")
	cmd := command(t, dir, strace, "-f", "-y", "-qq", "-o", log, "-e", "trace=file,desc")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Skipf("strace does not work here: %v\n%s", err, out)
	}
	counted := regexp.MustCompile(`count (\d+)`).FindSubmatch(out)
	if counted == nil {
		t.Fatalf("no count in\n%s", out)
	}
	count, err := strconv.Atoi(string(counted[1]))
	must(t, err)
	calls := changes(content(t, log), dir)
	if len(calls) != count || count < 20 {
		t.Errorf("seam counts %d, the kernel saw %d:\n%s", count, len(calls), strings.Join(calls, "\n"))
	}
}

var (
	traced   = regexp.MustCompile(`^(\d+) +(.*)$`)
	resumed  = regexp.MustCompile(`^<\.\.\. \w+ resumed>(.*)$`)
	changing = regexp.MustCompile(`^(mkdir(at)?|rename(at2?)?|(un)?link(at)?|symlink(at)?|f?chmod(at2?)?|f?chown(at)?|f?truncate|utimensat|mknod(at)?|p?write(v|64)?|f(data)?sync|creat|rmdir|fallocate|syscall_0x1c4|openat?2?\(.*O_(CREAT|TRUNC).*)\b`)
	success  = regexp.MustCompile(`\) += \d+(<.*>)?$`)
)

// changes are the successful calls of a trace that change something below dir.
func changes(trace, dir string) (calls []string) {
	open := map[string]string{}
	for line := range strings.Lines(trace) {
		m := traced.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		pid, call := m[1], m[2]
		if head, cut := strings.CutSuffix(call, " <unfinished ...>"); cut {
			open[pid] = head
			continue
		}
		if r := resumed.FindStringSubmatch(call); r != nil {
			call = open[pid] + r[1]
		}
		if changing.MatchString(call) && success.MatchString(call) && strings.Contains(call, dir) {
			calls = append(calls, call)
		}
	}
	return calls
}
