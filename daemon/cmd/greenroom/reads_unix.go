//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// nobodyReads says whether the other end of a pipe that we write to is closed.
func nobodyReads(f *os.File) bool {
	at := []unix.PollFd{{Fd: int32(f.Fd())}}
	n, err := unix.Poll(at, 0)
	return err == nil && n == 1 && at[0].Revents&unix.POLLERR != 0
}
