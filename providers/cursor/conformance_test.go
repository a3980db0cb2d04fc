package cursor_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/providers/cursor"
	"github.com/greenroom-agents/greenroom/sdk/preparertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	preparertest.Run(t, preparertest.Config{
		Preparer: cursor.Adapter{},
		Binary:   preparertest.Build(t, "cmd/greenroom-cursor"),
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	preparertest.Golden(t, cursor.Adapter{}, "testdata")
}
