package rig

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// Background are the processes but this one whose environment holds a text: what a client has put into the background, where
// it outlives the client and everybody who started it. It knows processes by /proc.
func Background(holds string) (list []*os.Process) {
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		environ, err := os.ReadFile(filepath.Join(dir, "environ"))
		if err != nil || !bytes.Contains(environ, []byte(holds)) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil || pid == os.Getpid() {
			continue
		}
		if p, err := os.FindProcess(pid); err == nil {
			list = append(list, p)
		}
	}
	return list
}
