package matrix_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/matrix"
)

func TestDescribedAgentsHaveATableOfTheirOwn(t *testing.T) {
	t.Parallel()
	passed, skipped := matrix.Results{}, matrix.Results{}
	for _, row := range matrix.Described() {
		passed[row.Cells["hermes"].Test], skipped[row.Cells["hermes"].Test] = matrix.Passed, matrix.Skipped
	}
	text, err := matrix.RenderDescribed(passed)
	if err != nil || strings.Count(text, "| ok `") != len(matrix.Described()) || matrix.WasSkipped(passed) {
		t.Errorf("%v\n%s", err, text)
	}
	if got := matrix.DescribedPart("# Table\n| a |\n" + text); got != text {
		t.Errorf("found again: %q", got)
	}
	if _, err := matrix.RenderDescribed(skipped); !errors.Is(err, matrix.ErrIncomplete) || !matrix.WasSkipped(skipped) {
		t.Errorf("skipped: %v", err)
	}
	if missing := matrix.Unlisted(append(matrix.Rows(), matrix.Described()...), passed); len(missing) > 0 {
		t.Errorf("in no row: %v", missing)
	}
}
