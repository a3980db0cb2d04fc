package matrix_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/matrix"
)

func columns() []matrix.Client {
	return []matrix.Client{{ID: "a", Name: "A", Version: "1.0"}, {ID: "b", Name: "B", Version: "2.0"}}
}

func TestRenderSaysHowEachPromiseIsShown(t *testing.T) {
	t.Parallel()
	rows := []matrix.Row{{Title: "works", Cells: map[string]matrix.Cell{
		"a": {Test: "TestC1/a"}, "b": {None: "no such thing"},
	}}, {Title: "fails", Cells: map[string]matrix.Cell{
		"a": {Test: "TestC2", Known: "bug-7, 2026-01-02"}, "b": {Test: "TestC2"},
	}}}
	got, err := matrix.Render(columns(), rows, matrix.Results{"TestC1/a": matrix.Passed, "TestC2": matrix.Passed})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"| promise | A 1.0 | B 2.0 |\n",
		"| works | ok `TestC1/a` | n/a: no such thing |\n",
		"| fails | known: bug-7, 2026-01-02, `TestC2` | ok `TestC2` |\n",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("%q is missing in:\n%s", line, got)
		}
	}
}

func TestRenderClaimsNothingUntested(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		cell    matrix.Cell
		results matrix.Results
	}{
		"failed":     {matrix.Cell{Test: "TestC1"}, matrix.Results{"TestC1": matrix.Failed}},
		"skipped":    {matrix.Cell{Test: "TestC1"}, matrix.Results{"TestC1": matrix.Skipped}},
		"not there":  {matrix.Cell{Test: "TestC1"}, matrix.Results{"TestC2": matrix.Passed}},
		"not stated": {matrix.Cell{}, matrix.Results{"TestC1": matrix.Passed}},
	} {
		rows := []matrix.Row{{Title: "row", Cells: map[string]matrix.Cell{"a": test.cell}}}
		got, err := matrix.Render(columns()[:1], rows, test.results)
		if !errors.Is(err, matrix.ErrIncomplete) || strings.Contains(got, "| ok") {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

func TestReadCollectsOutcomes(t *testing.T) {
	t.Parallel()
	const stream = `{"Action":"run","Test":"TestC1"}
{"Action":"output","Test":"TestC1","Output":"hello\n"}
{"Action":"pass","Test":"TestC1/a"}
{"Action":"fail","Test":"TestC1"}
{"Action":"skip","Test":"TestC2"}
{"Action":"fail"}
`
	var printed string
	got, err := matrix.Read(strings.NewReader(stream), func(_, output string) { printed += output })
	if err != nil {
		t.Fatal(err)
	}
	want := matrix.Results{"TestC1/a": matrix.Passed, "TestC1": matrix.Failed, "TestC2": matrix.Skipped}
	if diff := cmp.Diff(want, got); diff != "" || printed != "hello\n" {
		t.Errorf("%s%q", diff, printed)
	}
	if _, err := matrix.Read(strings.NewReader("no json"), func(string, string) {}); err == nil {
		t.Error("other output is no error")
	}
}

func TestEveryRowStatesEveryClient(t *testing.T) {
	t.Parallel()
	results := matrix.Results{}
	for _, row := range matrix.Rows() {
		for _, cell := range row.Cells {
			results[cell.Test] = matrix.Passed
		}
	}
	if _, err := matrix.Render(matrix.Clients(), matrix.Rows(), results); err != nil {
		t.Error(err)
	}
	results["TestC999_New/codex"], results["TestC999_New"] = matrix.Passed, matrix.Passed
	if diff := cmp.Diff([]string{"TestC999_New/codex"}, matrix.Unlisted(matrix.Rows(), results)); diff != "" {
		t.Error(diff)
	}
}

func TestPinTakesVersionsFromTheLockFile(t *testing.T) {
	t.Parallel()
	clients := []matrix.Client{{Package: "@x/y"}}
	if err := matrix.Pin(clients, []byte(`{"packages":{"node_modules/@x/y":{"version":"3.2.1"}}}`)); err != nil || clients[0].Version != "3.2.1" {
		t.Errorf("got %v, %v", clients, err)
	}
	for _, lock := range []string{"{", `{"packages":{}}`} {
		if err := matrix.Pin(clients, []byte(lock)); err == nil {
			t.Errorf("%s is no error", lock)
		}
	}
}
