package matrix_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/matrix"
)

func TestWhatIsNotShownEverywhereHasATableOfItsOwn(t *testing.T) {
	t.Parallel()
	passed, skipped := matrix.Results{}, matrix.Results{}
	for _, row := range matrix.AllRows() {
		for _, cell := range row.Cells {
			passed[cell.Test], skipped[cell.Test] = matrix.Passed, matrix.Skipped
		}
	}
	document := "# Table\n| a |\n"
	parts := map[string]string{}
	for _, section := range matrix.Sections(matrix.Clients(), matrix.Hermes()) {
		text, err := section.Render(matrix.Run{Results: passed, Day: "2026-02-03"})
		if err != nil || !strings.Contains(text, "`Test") {
			t.Errorf("%v\n%s", err, text)
		}
		parts[section.Title] = text
		document += text
		if _, err := section.Render(matrix.Run{Results: skipped}); !errors.Is(err, matrix.ErrIncomplete) {
			t.Errorf("%s skipped: %v", section.Title, err)
		}
	}
	for _, section := range matrix.Sections(matrix.Clients(), matrix.Hermes()) {
		if got := section.Part(document); got != parts[section.Title] {
			t.Errorf("found again: %q", got)
		}
	}
	if missing := matrix.Unlisted(matrix.AllRows(), passed); len(missing) > 0 {
		t.Errorf("in no row: %v", missing)
	}
}

func TestATableIsLackingWhereAllOfItIsSkipped(t *testing.T) {
	t.Parallel()
	build := func(string) string { return "true" }
	person := func(string) string { return "" }
	for _, section := range matrix.Sections(matrix.Clients(), matrix.Hermes()) {
		results := matrix.Results{}
		for _, row := range section.Rows {
			for _, cell := range row.Cells {
				if cell.Test != "" {
					results[cell.Test] = matrix.Skipped
				}
			}
		}
		inBuilds := section.Title == "Settings of the machine" // the others are installed for a build
		if !section.Lacking(results, person) || section.Lacking(results, build) != inBuilds {
			t.Errorf("%s is lacking for a person %v, in a build %v", section.Title, section.Lacking(results, person), section.Lacking(results, build))
		}
		for test := range results {
			results[test] = matrix.Passed
			break
		}
		if section.Lacking(results, person) {
			t.Errorf("%s is lacking, and a part of it was shown", section.Title)
		}
	}
}
