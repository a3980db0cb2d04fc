package opencode_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/providers/opencode"
	"github.com/greenroom-agents/greenroom/sdk/preparertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	preparertest.Run(t, preparertest.Config{
		Preparer: opencode.Adapter{},
		Binary:   preparertest.Build(t, "cmd/greenroom-opencode"),
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	preparertest.Golden(t, opencode.Adapter{}, "testdata")
}
