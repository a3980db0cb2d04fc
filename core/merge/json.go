package merge

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"
)

// rawString is the token of a JSON string that no Go string can hold: one with half a surrogate pair.
type rawString string

func (r rawString) text() string {
	var s string
	_ = json.Unmarshal([]byte(r), &s) // was parsed when it was read
	return s
}

type jsonTree struct{ ordered }

func openJSON(data []byte, label string, comments bool) (tree, error) {
	t := &jsonTree{ordered{label: label, base: data, number: jsonNumber}}
	if len(bytes.TrimSpace(data)) == 0 {
		t.top = &table{}
		return t, nil
	}
	r := jsonReader{data: data, label: label, comments: comments}
	v, err := r.document()
	if err != nil {
		return nil, err
	}
	top, ok := v.(*table)
	if !ok {
		return nil, unparsable(label, "the document is %s, not an object", t.kind(v))
	}
	t.top = top
	return t, nil
}

func jsonNumber(v any) any {
	if i, ok := v.(int64); ok {
		return json.Number(strconv.FormatInt(i, 10))
	}
	b, _ := json.Marshal(v) // finite: checkValue
	return json.Number(b)
}

func (t *jsonTree) line(p place) int {
	if len(p) == 0 {
		return 1
	}
	parent, ok := find(t, p[:len(p)-1])
	if !ok {
		return 0
	}
	if tab, ok := parent.(*table); ok {
		if i := tab.find(p[len(p)-1].key); i >= 0 && tab.members[i].at > 0 {
			line, _ := position(t.base, tab.members[i].at)
			return line
		}
		return 0
	}
	return t.line(p[:len(p)-1])
}

func (t *jsonTree) commented(place) bool { return false }

func (t *jsonTree) encode() ([]byte, error) {
	var w jsonWriter
	w.value(t.top, 0)
	w.buf = append(w.buf, '\n')
	if len(w.buf) > maxBytes {
		return nil, unparsable(t.label, "larger than %d MiB after the edits", maxBytes>>20)
	}
	r := jsonReader{data: w.buf, label: t.label}
	back, err := r.document()
	if err != nil || !same(t.top, back, true) {
		return nil, misread(t.label)
	}
	return w.buf, nil
}

// jsonWriter writes with two spaces of indentation, and empty tables and lists on one line.
type jsonWriter struct{ buf []byte }

func (w *jsonWriter) value(v any, depth int) {
	switch v := v.(type) {
	case nil:
		w.buf = append(w.buf, "null"...)
	case bool:
		w.buf = strconv.AppendBool(w.buf, v)
	case json.Number:
		w.buf = append(w.buf, v...)
	case rawString:
		w.buf = append(w.buf, v...)
	case string:
		w.buf = appendQuoted(w.buf, v)
	case *list:
		if len(v.items) == 0 {
			w.buf = append(w.buf, "[]"...)
			return
		}
		for i, item := range v.items {
			w.open(i, '[', depth+1)
			w.value(item, depth+1)
		}
		w.close(']', depth)
	case *table:
		if len(v.members) == 0 {
			w.buf = append(w.buf, "{}"...)
			return
		}
		for i := range v.members {
			w.open(i, '{', depth+1)
			w.buf = appendQuoted(w.buf, v.members[i].key)
			w.buf = append(w.buf, ": "...)
			w.value(v.members[i].val, depth+1)
		}
		w.close('}', depth)
	}
}

func (w *jsonWriter) open(i int, bracket byte, depth int) {
	if i > 0 {
		bracket = ','
	}
	w.buf = append(w.buf, bracket)
	w.newLine(depth)
}

func (w *jsonWriter) close(bracket byte, depth int) {
	w.newLine(depth)
	w.buf = append(w.buf, bracket)
}

func (w *jsonWriter) newLine(depth int) {
	w.buf = append(w.buf, '\n')
	// Very deep documents would grow with the square of their depth.
	for range min(depth, 64) {
		w.buf = append(w.buf, "  "...)
	}
}

// appendQuoted writes a string in double quotes that JSON, TOML and YAML all read back as s.
func appendQuoted(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '"' || c == '\\':
				b = append(b, '\\', c)
			case c == '\n':
				b = append(b, '\\', 'n')
			case c == '\t':
				b = append(b, '\\', 't')
			case c == '\r':
				b = append(b, '\\', 'r')
			case c < ' ' || c == 0x7f:
				b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			default:
				b = append(b, c)
			}
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		// Not printable in YAML, or a line break there, or taken for a byte order mark.
		case r < 0xa0, r == 0x2028, r == 0x2029, r == 0xfeff, r == 0xfffe, r == 0xffff:
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return append(b, '"')
}
