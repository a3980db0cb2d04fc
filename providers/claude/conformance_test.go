package claude_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/providers/claude"
	"github.com/greenroom-agents/greenroom/sdk/preparertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	preparertest.Run(t, preparertest.Config{
		Preparer: claude.Adapter{},
		Binary:   preparertest.Build(t, "cmd/greenroom-claude"),
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	preparertest.Golden(t, claude.Adapter{}, "testdata")
}
