package matrix

import (
	"fmt"
	"regexp"
	"strings"
)

// Hermes is the column of the agent that the package in extensions/hermes describes.
func Hermes() Client { return Client{ID: "hermes", Name: "Hermes Agent", Package: "hermes-agent"} }

// Described are the promises on agents that are described by a signed package, and not by an adapter.
func Described() []Row {
	row := func(title, test string) Row { return Row{title, map[string]Cell{Hermes().ID: {Test: test}}} }
	return []Row{
		row("Prepared from its signed package it starts in the session's home, lists our skills and the user's, and reads our instructions; the user's home stays as it was",
			"TestC320_C328_HermesFromItsSignedPackage"),
		row("Two sessions in one workspace have each their own files of skills", "TestC322_HermesSessionsShareNoSkills"),
	}
}

const describedHead = `
## Agents that a signed package describes

The agent is pinned by ` + "`conformance/clients/hermes.txt`" + `, and no adapter knows of it. Where its package registry cannot be reached
it is not installed, and these promises are known to be unreachable there.

`

// RenderDescribed writes the table of agents that packages describe. Its errors are those of [Render].
func RenderDescribed(results Results) (string, error) {
	c := Hermes()
	var b strings.Builder
	fmt.Fprintf(&b, "%s| promise | %s |\n| --- | --- |\n", describedHead, c.Name)
	var missing []string
	for _, row := range Described() {
		text, ok := row.Cells[c.ID].render(results)
		if !ok {
			missing = append(missing, row.Title+": "+text)
		}
		fmt.Fprintf(&b, "| %s | %s |\n", row.Title, text)
	}
	if len(missing) > 0 {
		return b.String(), fmt.Errorf("%w:\n  %s", ErrIncomplete, strings.Join(missing, "\n  "))
	}
	return b.String(), nil
}

// WasSkipped says whether every promise on such agents was skipped, since none is installed.
func WasSkipped(results Results) bool {
	for _, row := range Described() {
		if results[row.Cells[Hermes().ID].Test] != Skipped {
			return false
		}
	}
	return true
}

var describedPart = regexp.MustCompile(`(?s)\n## Agents that a signed package describes\n.*`)

// DescribedPart is that table in a written document, "" for none.
func DescribedPart(document string) string { return describedPart.FindString(document) }
