package tuttiagent_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/providers/tuttiagent"
	"github.com/greenroom-agents/greenroom/sdk/preparertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	preparertest.Run(t, preparertest.Config{Preparer: tuttiagent.Adapter{}, Binary: preparertest.Build(t, "cmd/greenroom-tutti-agent")})
}

func TestGolden(t *testing.T) {
	t.Parallel()
	preparertest.Golden(t, tuttiagent.Adapter{}, "testdata")
}
