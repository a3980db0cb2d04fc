package paint

import (
	"io"
	"strings"
	"unicode/utf8"
)

// Columns is a table without lines whose cells are aligned by their width without escapes.
type Columns struct {
	Indent string
	Gap    string // between cells; default two blanks
	rows   [][]string
}

// Row adds a row. Rows may differ in length.
func (c *Columns) Row(cells ...string) { c.rows = append(c.rows, cells) }

// Len is the number of rows.
func (c *Columns) Len() int { return len(c.rows) }

// WriteTo writes the table. The last cell of a row is never padded, and a row of blanks gives an empty line.
func (c *Columns) WriteTo(w io.Writer) (int64, error) {
	gap := c.Gap
	if gap == "" {
		gap = "  "
	}
	var widths []int
	for _, row := range c.rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			// The last cell of a row stands free, so a long one does not push the others out.
			if i < len(row)-1 {
				widths[i] = max(widths[i], Width(cell))
			}
		}
	}
	var b strings.Builder
	for _, row := range c.rows {
		var line strings.Builder
		line.WriteString(c.Indent)
		for i, cell := range row {
			line.WriteString(cell)
			if i < len(row)-1 {
				line.WriteString(strings.Repeat(" ", widths[i]-Width(cell)))
				line.WriteString(gap)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

// Width is the number of characters of a text without its colour escapes.
func Width(text string) int {
	n := 0
	for len(text) > 0 {
		if rest, ok := strings.CutPrefix(text, "\x1b["); ok {
			if end := strings.IndexByte(rest, 'm'); end >= 0 {
				text = rest[end+1:]
				continue
			}
		}
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
		n++
	}
	return n
}
