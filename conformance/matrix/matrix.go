package matrix

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Client is one column.
type Client struct {
	ID      string // as in the names of subtests
	Name    string
	Package string // in package-lock.json
	Version string
}

// Cell says how a promise is shown on one client. Exactly one of Test and None is set.
type Cell struct {
	Test string // full name of the test, subtests separated by slashes
	None string // why the promise has no meaning for the client
	// Known is the limit that the test shows to be there; such a test passes while it is there.
	Known Known
}

// Known is a limit of a client that no session takes away. Its zero value is none.
type Known struct {
	ID   string // by which docs/threat-model.md explains it
	Text string
	Seen string // the day on which it was first seen
}

// Row is one promise.
type Row struct {
	Title string
	Cells map[string]Cell // by client id
}

// Outcome is the result of a test.
type Outcome string

// The outcomes.
const (
	Passed  Outcome = "pass"
	Failed  Outcome = "fail"
	Skipped Outcome = "skip"
)

// Results are outcomes by the name of the test.
type Results map[string]Outcome

// Run is what one run of the tests came to.
type Run struct {
	Results Results
	Day     string // on which it ended, by UTC; "" when that is not known
}

// Read reads the output of go test -json, hands what the tests print to each, and collects the outcomes.
func Read(r io.Reader, each func(test, output string)) (Run, error) {
	run := Run{Results: Results{}}
	for decoder := json.NewDecoder(r); ; {
		var event struct {
			Time   time.Time
			Action Outcome
			Test   string
			Output string
		}
		err := decoder.Decode(&event)
		if errors.Is(err, io.EOF) {
			return run, nil
		}
		if err != nil {
			return Run{}, fmt.Errorf("read test results: %w", err)
		}
		if day := event.Time.UTC().Format(time.DateOnly); !event.Time.IsZero() && day > run.Day {
			run.Day = day
		}
		switch event.Action {
		case "output":
			each(event.Test, event.Output)
		case Passed, Failed, Skipped:
			if event.Test != "" {
				run.Results[event.Test] = event.Action
			}
		}
	}
}

// Pin sets the versions of clients by a package-lock.json.
func Pin(clients []Client, lock []byte) error {
	var file struct {
		Packages map[string]struct{ Version string }
	}
	if err := json.Unmarshal(lock, &file); err != nil {
		return fmt.Errorf("read the lock file: %w", err)
	}
	for i, c := range clients {
		entry, ok := file.Packages["node_modules/"+c.Package]
		if !ok {
			return fmt.Errorf("the lock file does not pin %s", c.Package)
		}
		clients[i].Version = entry.Version
	}
	return nil
}

// PinList sets the version of a client by a list of requirements as pip reads it, with one package a line.
func PinList(c Client, list []byte) (Client, error) {
	for line := range strings.Lines(string(list)) {
		name, version, ok := strings.Cut(line, "==")
		if name, _, _ = strings.Cut(name, "["); ok && name == c.Package {
			c.Version, _, _ = strings.Cut(strings.TrimSpace(version), " ")
			return c, nil
		}
	}
	return c, fmt.Errorf("the list does not pin %s", c.Package)
}

// ErrIncomplete says that a test did not pass, was skipped, or was not among the results.
var ErrIncomplete = errors.New("the results do not carry the whole table")

// Render writes the table. With an error that is ErrIncomplete it still gives a table, which says what is missing.
func Render(clients []Client, rows []Row, run Run) (string, error) {
	var b strings.Builder
	b.WriteString(head)
	err := table(&b, clients, rows, run)
	b.WriteString(foot)
	return b.String(), err
}

// dated is the line above a table that says when it was shown.
var dated = regexp.MustCompile(`(?m)^Run of \d{4}-\d{2}-\d{2}\.\n\n`)

// Undated is a table without the days of the runs, by which it is no other table.
func Undated(document string) string { return dated.ReplaceAllString(document, "") }

func table(b *strings.Builder, clients []Client, rows []Row, run Run) error {
	var missing []string
	if run.Day != "" {
		fmt.Fprintf(b, "Run of %s.\n\n", run.Day)
	}
	b.WriteString("| promise |")
	for _, c := range clients {
		fmt.Fprintf(b, " %s |", strings.TrimSpace(c.Name+" "+c.Version))
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(clients)) + "\n")
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |", row.Title)
		for _, c := range clients {
			text, ok := row.Cells[c.ID].render(run.Results)
			if !ok {
				missing = append(missing, fmt.Sprintf("%s on %s: %s", row.Title, c.Name, text))
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteString("\n")
	}
	if len(missing) > 0 {
		return fmt.Errorf("%w:\n  %s", ErrIncomplete, strings.Join(missing, "\n  "))
	}
	return nil
}

func (c Cell) render(results Results) (text string, complete bool) {
	switch outcome := results[c.Test]; {
	case c.Test == "" && c.None == "":
		return "not stated", false
	case c.Test == "":
		return "n/a: " + c.None, true
	case outcome == Passed && c.Known != Known{}:
		return "known: " + c.Known.ID + ", " + c.Known.Text + ", seen " + c.Known.Seen + ", `" + c.Test + "`", true
	case outcome == Passed:
		return "ok `" + c.Test + "`", true
	case outcome == "":
		return "not run `" + c.Test + "`", false
	default:
		return string(outcome) + " `" + c.Test + "`", false
	}
}

// caseID is how the name of a test begins that shows a promise.
var caseID = regexp.MustCompile(`^Test[CH][0-9]+_`)

// Unlisted are the tests with a case id in their name that no row mentions, sorted.
func Unlisted(rows []Row, results Results) []string {
	listed := map[string]bool{}
	for _, row := range rows {
		for _, cell := range row.Cells {
			listed[cell.Test] = true
		}
	}
	var names []string
	for name := range results {
		parent := slices.ContainsFunc(sortedKeys(results), func(other string) bool { return strings.HasPrefix(other, name+"/") })
		if caseID.MatchString(name) && !parent && !covered(name, listed) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func sortedKeys(results Results) []string {
	keys := make([]string, 0, len(results))
	for key := range results {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// covered says whether a test or one that it is part of is listed.
func covered(name string, listed map[string]bool) bool {
	for !listed[name] {
		i := strings.LastIndexByte(name, '/')
		if i < 0 {
			return false
		}
		name = name[:i]
	}
	return true
}
