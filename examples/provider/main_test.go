package main

import (
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparertest"
)

func TestConformance(t *testing.T) {
	preparertest.Run(t, preparertest.Config{Preparer: stagehand{}, Binary: preparertest.Build(t, ".")})
}

func TestGolden(t *testing.T) { preparertest.Golden(t, stagehand{}, "testdata") }
