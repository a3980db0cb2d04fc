package matrix_test

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

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
		"a": {Test: "TestC2", Known: matrix.Known{ID: "K7", Text: "a limit", Seen: "2026-01-02"}}, "b": {Test: "TestC2"},
	}}}
	got, err := matrix.Render(columns(), rows, matrix.Run{
		Results: matrix.Results{"TestC1/a": matrix.Passed, "TestC2": matrix.Passed}, Day: "2026-02-03",
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{
		"\n\nRun of 2026-02-03.\n\n| promise | A 1.0 | B 2.0 |\n",
		"| works | ok `TestC1/a` | n/a: no such thing |\n",
		"| fails | known: K7, a limit, seen 2026-01-02, `TestC2` | ok `TestC2` |\n",
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
		got, err := matrix.Render(columns()[:1], rows, matrix.Run{Results: test.results})
		if !errors.Is(err, matrix.ErrIncomplete) || strings.Contains(got, "| ok") {
			t.Errorf("%s: %v\n%s", name, err, got)
		}
	}
}

func TestReadCollectsOutcomes(t *testing.T) {
	t.Parallel()
	const stream = `{"Action":"run","Test":"TestC1"}
{"Action":"output","Test":"TestC1","Output":"hello\n"}
{"Time":"2026-12-01T23:59:59.5-02:00","Action":"pass","Test":"TestC1/a"}
{"Time":"2026-12-01T10:00:00Z","Action":"fail","Test":"TestC1"}
{"Action":"skip","Test":"TestC2"}
{"Action":"fail"}
`
	var printed string
	got, err := matrix.Read(strings.NewReader(stream), func(_, output string) { printed += output })
	if err != nil {
		t.Fatal(err)
	}
	want := matrix.Run{Day: "2026-12-02", Results: matrix.Results{"TestC1/a": matrix.Passed, "TestC1": matrix.Failed, "TestC2": matrix.Skipped}}
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
	if _, err := matrix.Render(matrix.Clients(), matrix.Rows(), matrix.Run{Results: results}); err != nil {
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

func TestPinListTakesTheVersionFromAList(t *testing.T) {
	t.Parallel()
	const list = "# of agent==9\nmy-agent==1.0 \\\n    --hash=sha256:00\nagent[acp]==0.18.2 \\\n    --hash=sha256:01\n"
	if c, err := matrix.PinList(matrix.Client{Package: "agent"}, []byte(list)); err != nil || c.Version != "0.18.2" {
		t.Errorf("got %v, %v", c, err)
	}
	if _, err := matrix.PinList(matrix.Client{Package: "other"}, []byte(list)); err == nil {
		t.Error("a package that is not in the list is no error")
	}
	pinned, err := os.ReadFile("../clients/hermes.txt")
	if err != nil {
		t.Fatal(err)
	}
	if c, err := matrix.PinList(matrix.Hermes(), pinned); err != nil || c.Version == "" {
		t.Errorf("got %v, %v", c, err)
	}
}

// A table of another day is up to date, and one that says something else is not.
func TestUndatedLeavesOutTheDaysOnly(t *testing.T) {
	t.Parallel()
	rows := []matrix.Row{{Title: "works", Cells: map[string]matrix.Cell{"a": {Test: "TestC1"}, "b": {None: "no such thing"}}}}
	render := func(day string, rows []matrix.Row) string {
		text, err := matrix.Render(columns(), rows, matrix.Run{Results: matrix.Results{"TestC1": matrix.Passed}, Day: day})
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	one, other := render("2026-02-03", rows), render("2026-02-04", rows)
	if one == other || matrix.Undated(one) != matrix.Undated(other) || matrix.Undated(one) != render("", rows) {
		t.Error("two days do not differ by the day alone")
	}
	rows[0].Title = "works well"
	if matrix.Undated(render("2026-02-03", rows)) == matrix.Undated(one) {
		t.Error("another promise is not seen")
	}
}

// Each limit has an id of its own, and the threat model explains it.
func TestEveryKnownLimitIsExplained(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("../../docs/threat-model.md")
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, row := range matrix.AllRows() {
		for client, cell := range row.Cells {
			if cell.Known == (matrix.Known{}) {
				continue
			}
			at := row.Title + " on " + client
			if was := ids[cell.Known.ID]; was != "" {
				t.Errorf("%s and %s have the id %s", was, at, cell.Known.ID)
			}
			ids[cell.Known.ID] = at
			if !strings.Contains(string(data), "["+cell.Known.ID+"]") {
				t.Errorf("%s: the threat model says nothing of %s", at, cell.Known.ID)
			}
			if _, err := time.Parse(time.DateOnly, cell.Known.Seen); err != nil || cell.Known.Text == "" {
				t.Errorf("%s: %q, seen %q", at, cell.Known.Text, cell.Known.Seen)
			}
		}
	}
	for _, m := range regexp.MustCompile(`\[(K[0-9]+)\]`).FindAllStringSubmatch(string(data), -1) {
		if ids[m[1]] == "" {
			t.Errorf("the threat model names %s, which no cell of the table has", m[1])
		}
	}
}
