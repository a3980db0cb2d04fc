package kimi_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/providers/kimi"
	"github.com/greenroom-agents/greenroom/sdk/preparertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	preparertest.Run(t, preparertest.Config{
		Preparer: kimi.Adapter{},
		Binary:   preparertest.Build(t, "cmd/greenroom-kimi"),
	})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	preparertest.Golden(t, kimi.Adapter{}, "testdata")
}
