package matrix

import "strings"

// Section is a table of its own, of promises that cannot be shown everywhere.
type Section struct {
	Title   string
	intro   string // below the title, with an empty line at both ends
	Columns []Client
	Rows    []Row
	// Unreachable is what is said where none of it can be shown.
	Unreachable string
	// anywhere says that a build may lack it too; else it may be skipped on a person's machine only.
	anywhere bool
}

// Sections are the tables behind the first, for the clients of that and for [Hermes], whose versions are known.
func Sections(clients []Client, hermes Client) []Section {
	return []Section{managed(clients), described(hermes)}
}

// AllRows are the promises of every table.
func AllRows() []Row {
	rows := Rows()
	for _, section := range Sections(Clients(), Hermes()) {
		rows = append(rows, section.Rows...)
	}
	return rows
}

// Render writes the table. Its errors are those of the function [Render].
func (s Section) Render(run Run) (string, error) {
	var b strings.Builder
	b.WriteString("\n## " + s.Title + "\n" + s.intro)
	err := table(&b, s.Columns, s.Rows, run)
	return b.String(), err
}

// Lacking says whether every promise was skipped, where that may be.
func (s Section) Lacking(results Results, getenv func(string) string) bool {
	if !s.anywhere && getenv("CI") == "true" {
		return false
	}
	for _, row := range s.Rows {
		for _, cell := range row.Cells {
			if cell.Test != "" && results[cell.Test] != Skipped {
				return false
			}
		}
	}
	return true
}

// Part is that table in a written document, "" for none.
func (s Section) Part(document string) string {
	begin := "\n## " + s.Title + "\n"
	at := strings.Index(document, begin)
	if at < 0 {
		return ""
	}
	rest := document[at+len(begin):]
	if end := strings.Index(rest, "\n## "); end >= 0 {
		rest = rest[:end]
	}
	return begin + rest
}
