package merge

import (
	"bytes"

	"github.com/pelletier/go-toml/v2/unstable"
)

// maxTOMLKeys bounds the number of keys and headers: the library looks for duplicates with a linear search.
const maxTOMLKeys = 10_000

// tomlScanner finds where statements of a TOML document end, which needs no more than telling strings, comments and
// brackets apart. Behind the first syntax error of a document its answers mean nothing.
type tomlScanner struct {
	data []byte
	pos  int
	// What was seen since the last call of next.
	comment  bool
	keys     int // headers, "=" and inline tables
	deepest  int
	dots     []int // dots at each open level
	dotsOpen int   // their sum
}

// next scans one statement: up to a line break outside of all brackets and strings. It tells whether there was one.
func (s *tomlScanner) next() bool {
	s.comment, s.keys, s.deepest = false, 0, 0
	if bytes.HasPrefix(bytes.TrimLeft(s.data[s.pos:], " \t"), []byte{'['}) {
		s.keys++
	}
	s.dots, s.dotsOpen = append(s.dots[:0], 0), 0
	if s.pos >= len(s.data) {
		return false
	}
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		s.pos++
		switch c {
		case '\n':
			if len(s.dots) == 1 {
				return true
			}
		case '#':
			s.comment = true
			if n := bytes.IndexByte(s.data[s.pos:], '\n'); n >= 0 {
				s.pos += n
			} else {
				s.pos = len(s.data)
			}
		case '"', '\'':
			s.str(c)
		case '=':
			s.keys++
		case '[', '{':
			if c == '{' {
				s.keys++
			}
			s.dots = append(s.dots, 0)
		case ']', '}':
			if n := len(s.dots) - 1; n > 0 {
				s.dotsOpen -= s.dots[n]
				s.dots = s.dots[:n]
			}
		case '.':
			s.dots[len(s.dots)-1]++
			s.dotsOpen++
		case ',':
			s.dotsOpen -= s.dots[len(s.dots)-1]
			s.dots[len(s.dots)-1] = 0
		}
		s.deepest = max(s.deepest, len(s.dots)+s.dotsOpen)
	}
	return true
}

// str skips a string whose first quote was read.
func (s *tomlScanner) str(quote byte) {
	triple := []byte{quote, quote, quote}
	rest := s.data[s.pos-1:]
	if bytes.HasPrefix(rest, triple) {
		s.pos += 2
		for s.pos < len(s.data) {
			if quote == '"' && s.data[s.pos] == '\\' {
				s.pos += 2
				continue
			}
			if bytes.HasPrefix(s.data[s.pos:], triple) {
				s.pos += 3
				// Up to two more quotes may belong to the string.
				for n := 0; n < 2 && s.pos < len(s.data) && s.data[s.pos] == quote; n++ {
					s.pos++
				}
				return
			}
			s.pos++
		}
		s.pos = len(s.data)
		return
	}
	for s.pos < len(s.data) && s.data[s.pos] != '\n' {
		c := s.data[s.pos]
		s.pos++
		if c == quote {
			return
		}
		if c == '\\' && quote == '"' && s.pos < len(s.data) && s.data[s.pos] != '\n' {
			s.pos++
		}
	}
}

// boundTOML refuses documents that would cost the library unreasonable time or stack.
func boundTOML(data []byte, label string) error {
	// No document with so few of these bytes can break a bound.
	few := 0
	for _, c := range []byte(".=[{") {
		few += bytes.Count(data, []byte{c})
	}
	if few < min(maxDepth, maxTOMLKeys) {
		return nil
	}
	s := tomlScanner{data: data}
	for keys := 0; s.next(); {
		keys += s.keys
		if s.deepest > maxDepth {
			return unparsable(label, "more than %d levels", maxDepth)
		}
		if keys > maxTOMLKeys {
			return unparsable(label, "more than %d keys", maxTOMLKeys)
		}
	}
	return nil
}

// statement is a header or a key with its value, as it stands in the file.
type statement struct {
	path      place // whole, from the root; an array of tables has no indexes
	line      int
	header    bool
	blank     bool // neither a header nor a key
	commented bool
}

// statements splits a document that is known to be valid.
func statements(data []byte) []statement {
	var (
		out   []statement
		table place
		scan  = tomlScanner{data: data}
		p     unstable.Parser
		line  = 1
	)
	for start := 0; scan.next(); start = scan.pos {
		text := data[start:scan.pos]
		st := statement{line: line, commented: scan.comment, blank: true}
		line += bytes.Count(text, []byte{'\n'})
		if p.Reset(text); p.NextExpression() {
			x := p.Expression()
			st.blank = false
			st.header = x.Kind != unstable.KeyValue
			if !st.header {
				st.path = table
			}
			for it := x.Key(); it.Next(); {
				st.path = st.path.then(step{key: string(it.Node().Data)})
			}
			if st.header {
				table = st.path
			}
		} else if !scan.comment {
			st.path = nil
		}
		out = append(out, st)
	}
	return out
}

// within says whether the path of a statement lies at or below the keys of p. Elements of lists are not told apart.
func (st *statement) within(p place) bool {
	i := 0
	for _, s := range p {
		if s.list {
			continue
		}
		if i >= len(st.path) || st.path[i].key != s.key {
			return false
		}
		i++
	}
	return true
}

// holds says whether the value of a statement, an inline table, has the keys of p inside.
func (st *statement) holds(p place) bool {
	if st.header || len(st.path) >= len(p) {
		return false
	}
	for i, s := range st.path {
		if s.key != p[i].key {
			return false
		}
	}
	return true
}

func (t *tomlTree) scanned() []statement {
	if t.stmts == nil {
		t.stmts = statements(t.base)
	}
	return t.stmts
}

func (t *tomlTree) line(p place) int {
	stmts := t.scanned()
	for i := range stmts {
		if !stmts[i].blank && stmts[i].within(p) {
			return stmts[i].line
		}
	}
	// It stands inside an inline table or a list.
	if len(p) > 1 {
		return t.line(p[:len(p)-1])
	}
	return 0
}

// commented counts comments beside and between the statements of the place, and the lines directly below the last: they
// may be keys that were commented out. What follows after an empty line belongs to the next table.
func (t *tomlTree) commented(p place) bool {
	var inside, gap, pending bool
	for _, st := range t.scanned() {
		switch {
		case !st.blank:
			was := inside
			inside = st.within(p) || st.holds(p)
			if inside && (st.commented || was && pending) {
				return true
			}
			gap, pending = false, false
		case !st.commented:
			gap = true
		case inside && !gap:
			return true
		default:
			pending = true
		}
	}
	return false
}
