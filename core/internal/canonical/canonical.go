package canonical

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf16"

	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
)

// Form is the canonical form of the one document that data is, without some of its own fields. Errors are of type
// [strictjson.Error].
func Form(data []byte, without ...string) ([]byte, error) {
	if err := strictjson.Check(data); err != nil {
		return nil, err
	}
	if at := halfPair(data); at >= 0 {
		return nil, &strictjson.Error{Line: 1 + bytes.Count(data[:at], []byte("\n")), Detail: "holds half of a surrogate pair"}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, &strictjson.Error{Line: 1, Detail: "is not valid JSON"}
	}
	if top, ok := v.(map[string]any); ok {
		for _, name := range without {
			delete(top, name)
		}
	}
	w := writer{}
	w.value("", v)
	if w.err != nil {
		return nil, w.err
	}
	return w.out, nil
}

type writer struct {
	out []byte
	err error
}

func (w *writer) value(field string, v any) {
	switch v := v.(type) {
	case nil:
		w.out = append(w.out, "null"...)
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case string:
		w.text(v)
	case json.Number:
		w.number(field, string(v))
	case []any:
		w.out = append(w.out, '[')
		for i, one := range v {
			w.comma(i)
			w.value(fmt.Sprintf("%s[%d]", field, i), one)
		}
		w.out = append(w.out, ']')
	case map[string]any:
		w.out = append(w.out, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			w.comma(i)
			w.text(name)
			w.out = append(w.out, ':')
			at := name
			if field != "" {
				at = field + "." + name
			}
			w.value(at[:min(len(at), 200)], v[name])
		}
		w.out = append(w.out, '}')
	}
}

func (w *writer) comma(i int) {
	if i > 0 {
		w.out = append(w.out, ',')
	}
}

const short = "\b\f\n\r\t\"\\"

func (w *writer) text(s string) {
	w.out = append(w.out, '"')
	for _, r := range s {
		switch i := bytes.IndexRune([]byte(short), r); {
		case i >= 0:
			w.out = append(w.out, '\\', `bfnrt"\`[i])
		case r < ' ' || r == '<' || r == '>' || r == '&' || r == '\u2028' || r == '\u2029':
			w.out = fmt.Appendf(w.out, `\u%04x`, r)
		default:
			w.out = append(w.out, string(r)...)
		}
	}
	w.out = append(w.out, '"')
}

func (w *writer) number(field, s string) {
	f, err := strconv.ParseFloat(s, 64)
	form := float(f)
	given, ok := decimalOf(s)
	if written, _ := decimalOf(form); err != nil || !ok || written != given {
		if w.err == nil {
			w.err = &strictjson.Error{Field: field, Line: 1, Detail: "is a number that a double cannot hold without rounding it"}
		}
		return
	}
	w.out = append(w.out, form...)
}

// float is a number as ECMAScript writes it, but that it knows a negative zero.
func float(f float64) string {
	size := f
	if size < 0 {
		size = -size
	}
	if size == 0 || size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	if n := len(s); n >= 4 && s[n-4] == 'e' && s[n-3] == '-' && s[n-2] == '0' {
		s = s[:n-2] + s[n-1:]
	}
	return s
}

// decimal is a number in JSON, whatever way it is written: ±0.digits times ten to the power of exp.
type decimal struct {
	negative bool
	digits   string // without zeros at either end; "" is zero
	exp      int
}

func decimalOf(s string) (decimal, bool) {
	var d decimal
	var digits []byte
	point, seen := 0, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; c {
		case '-':
			d.negative = true
		case '.':
			seen = true
		case 'e', 'E':
			exp, err := strconv.Atoi(s[i+1:])
			if err != nil || exp > 1<<20 || exp < -1<<20 {
				return d, false
			}
			d.exp, i = exp, len(s)
		default:
			digits = append(digits, c)
			if !seen {
				point++
			}
		}
	}
	d.exp += point
	all := len(digits)
	digits = bytes.TrimLeft(digits, "0")
	d.exp -= all - len(digits)
	if d.digits = string(bytes.TrimRight(digits, "0")); d.digits == "" {
		d.exp = 0
	}
	return d, true
}

// halfPair is where a document, which is valid JSON, escapes half of a surrogate pair, or -1. A decoder would put the same
// character in the place of each.
func halfPair(data []byte) int {
	for i := 0; i < len(data); i++ {
		if data[i] != '\\' {
			continue
		}
		i++
		if data[i] != 'u' {
			continue
		}
		first := unit(data, i+1)
		i += 4
		if !utf16.IsSurrogate(first) {
			continue
		}
		if len(data) < i+7 || data[i+1] != '\\' || data[i+2] != 'u' || utf16.DecodeRune(first, unit(data, i+3)) == '\ufffd' {
			return i
		}
		i += 6
	}
	return -1
}

func unit(data []byte, at int) rune {
	n, _ := strconv.ParseUint(string(data[at:at+4]), 16, 16)
	return rune(n)
}
