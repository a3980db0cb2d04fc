package rig

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// KillChildren kills those processes that this one has started whose environment holds a text, and demands that there is
// one. It knows processes by /proc.
func KillChildren(t testing.TB, holds string) {
	t.Helper()
	self, killed := strconv.Itoa(os.Getpid()), 0
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		stat, err := os.ReadFile(filepath.Join(dir, "stat"))
		if err != nil {
			continue // has ended meanwhile
		}
		// The name, in parentheses, may hold anything.
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || len(fields) < 2 || fields[1] != self || !strings.Contains(string(environ), holds) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil && p.Kill() == nil {
			killed++
		}
	}
	if killed == 0 {
		t.Error("there is no such process to kill")
	}
}
