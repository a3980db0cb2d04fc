package rig

import (
	"strings"
	"unicode/utf8"
)

// Screen is what a terminal shows: letters in rows, without colours. It understands what clients use to move about and
// to wipe, and skips the rest.
type Screen struct {
	cells    [][]rune
	row, col int
	rest     []byte // the beginning of a sequence whose end has not come yet
}

// NewScreen is an empty one.
func NewScreen(rows, columns int) Screen {
	s := Screen{cells: make([][]rune, rows)}
	for i := range s.cells {
		s.cells[i] = blank(columns)
	}
	return s
}

func blank(columns int) []rune { return []rune(strings.Repeat(" ", columns)) }

// String are the rows without what is empty at their ends.
func (s *Screen) String() string {
	var b strings.Builder
	for _, row := range s.cells {
		b.WriteString(strings.TrimRight(string(row), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// Write draws what a process wrote.
func (s *Screen) Write(p []byte) {
	data := append(s.rest, p...)
	for len(data) > 0 {
		n := s.draw(data)
		if n == 0 {
			break
		}
		data = data[n:]
	}
	s.rest = append([]byte(nil), data...)
}

// draw draws the first thing of data and gives its length; 0 when its end is missing.
func (s *Screen) draw(data []byte) int {
	switch data[0] {
	case 0x1b:
		return s.escape(data)
	case '\r':
		s.col = 0
	case '\n':
		s.down()
	case '\b':
		s.col = max(0, s.col-1)
	case '\t':
		s.col = min(len(s.cells[0])-1, s.col/8*8+8)
	default:
		if data[0] < ' ' {
			return 1
		}
		if !utf8.FullRune(data) {
			return 0
		}
		r, n := utf8.DecodeRune(data)
		if s.col == len(s.cells[0]) {
			s.col = 0
			s.down()
		}
		s.cells[s.row][s.col] = r
		s.col++
		return n
	}
	return 1
}

// down goes to the next row, and moves everything up where there is none.
func (s *Screen) down() {
	if s.row+1 < len(s.cells) {
		s.row++
		return
	}
	s.cells = append(s.cells[1:], blank(len(s.cells[0])))
}

// escape follows a sequence that begins with the escape character.
func (s *Screen) escape(data []byte) int {
	if len(data) < 2 {
		return 0
	}
	switch data[1] {
	case '[':
		for i, b := range data[2:] {
			if b >= 0x40 && b <= 0x7e {
				s.control(b, string(data[2:2+i]))
				return i + 3
			}
		}
		return 0
	case ']', 'P', '_', '^', 'X': // a title and the like, up to its end
		for i := 2; i < len(data); i++ {
			if data[i] == 0x07 {
				return i + 1
			}
			if data[i] == 0x1b && i+1 < len(data) && data[i+1] == '\\' {
				return i + 2
			}
		}
		return 0
	case '(', ')':
		if len(data) < 3 {
			return 0
		}
		return 3
	}
	return 2
}

// control follows a control sequence.
func (s *Screen) control(final byte, params string) {
	var n [2]int
	given := strings.SplitN(params, ";", 3)
	for i := 0; i < len(given) && i < 2; i++ {
		for _, r := range given[i] {
			if r < '0' || r > '9' {
				return // private
			}
			n[i] = min(n[i]*10+int(r-'0'), 1<<16)
		}
	}
	rows, columns, steps := len(s.cells), len(s.cells[0]), max(1, n[0])
	switch final {
	case 'A':
		s.row -= steps
	case 'B':
		s.row += steps
	case 'C':
		s.col += steps
	case 'D':
		s.col -= steps
	case 'E':
		s.row, s.col = s.row+steps, 0
	case 'F':
		s.row, s.col = s.row-steps, 0
	case 'G':
		s.col = steps - 1
	case 'd':
		s.row = steps - 1
	case 'H', 'f':
		s.row, s.col = steps-1, max(1, n[1])-1
	case 'K':
		s.wipe(s.row, n[0])
	case 'J':
		for row := range s.cells {
			if n[0] >= 2 || n[0] == 0 && row > s.row || n[0] == 1 && row < s.row {
				s.cells[row] = blank(columns)
			}
		}
		s.wipe(s.row, n[0])
	}
	s.row, s.col = min(max(0, s.row), rows-1), min(max(0, s.col), columns-1)
}

// wipe empties a row behind the cursor, before it, or whole.
func (s *Screen) wipe(row, how int) {
	from, to := s.col, len(s.cells[row])
	switch how {
	case 1:
		from, to = 0, min(s.col+1, to)
	case 2, 3:
		from = 0
	}
	for i := from; i < to; i++ {
		s.cells[row][i] = ' '
	}
}
