package codex_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/providers/codex"
	"github.com/greenroom-agents/greenroom/sdk/preparertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	preparertest.Run(t, preparertest.Config{
		Preparer: codex.Adapter{},
		Binary:   preparertest.Build(t, "cmd/greenroom-codex"),
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	preparertest.Golden(t, codex.Adapter{}, "testdata")
}
