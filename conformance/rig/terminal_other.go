//go:build !linux

package rig

import (
	"errors"
	"os/exec"
	"time"
)

// Terminal is a process on a terminal of its own. It needs Linux.
type Terminal struct{}

// Sit needs Linux.
func Sit(*exec.Cmd, time.Duration) (*Terminal, error) {
	return nil, errors.New("only Linux has the terminals of these tests")
}

// Text is what stands on the screen.
func (*Terminal) Text() string { return "" }

// Type sends keys.
func (*Terminal) Type(string) error { return nil }

// Shows waits until one of some words stands on the screen.
func (*Terminal) Shows(...string) (string, error) { return "", nil }

// Close ends the process.
func (*Terminal) Close() {}
