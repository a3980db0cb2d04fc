package socket_test

import (
	"errors"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/internal/socket"
)

// On every system one has the lock, and the next one when it is given up.
func TestOneHoldsTheLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 3 {
		held, err := socket.Lock(dir)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := socket.Lock(dir); !errors.Is(err, socket.ErrBusy) {
			t.Errorf("a second one: %v", err)
		}
		if other, err := socket.Lock(t.TempDir()); err != nil {
			t.Errorf("another directory: %v", err)
		} else if err := other.Close(); err != nil {
			t.Error(err)
		}
		for range 2 {
			if err := held.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
