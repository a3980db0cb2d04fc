//go:build unix

package binding_test

import (
	"os"
	"testing"

	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
)

func TestMain(m *testing.M) {
	launchtest.Main()
	if at := os.Getenv(swapStep); at != "" {
		swap(os.Getenv(swapDir), at)
	}
	os.Exit(m.Run())
}
