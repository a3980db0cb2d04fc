package merge

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// jsonReader parses one JSON document (RFC 8259) into an ordered tree. With comments, it also takes line and block
// comments and trailing commas. encoding/json would lose the order of keys and take a key twice.
type jsonReader struct {
	data     []byte
	pos      int
	label    string
	comments bool
	depth    int
	entries  int
	// partial reads a valid document only as far as somebody wants it, see openJSONFor; a nil want is everything.
	partial bool
	want    []preparer.KeyPath
}

func (r *jsonReader) fail(at int, format string, args ...any) error {
	line, col := position(r.data, at)
	args = append(args, line, col)
	return unparsable(r.label, format+" at line %d, column %d", args...)
}

func (r *jsonReader) document() (any, error) {
	if err := r.space(); err != nil {
		return nil, err
	}
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	if err := r.space(); err != nil {
		return nil, err
	}
	if r.pos < len(r.data) {
		return nil, r.fail(r.pos, "something behind the end of the document")
	}
	return v, nil
}

// space skips white space and comments.
func (r *jsonReader) space() error {
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.pos++
		case c == '/' && r.comments:
			rest := r.data[r.pos:]
			switch {
			case bytes.HasPrefix(rest, []byte("//")):
				n := bytes.IndexByte(rest, '\n')
				if n < 0 {
					n = len(rest)
				}
				r.pos += n
			case bytes.HasPrefix(rest, []byte("/*")):
				n := bytes.Index(rest[2:], []byte("*/"))
				if n < 0 {
					return r.fail(r.pos, "a comment without end")
				}
				r.pos += n + 4
			default:
				return r.fail(r.pos, "a stray slash")
			}
		default:
			return nil
		}
	}
	return nil
}

func (r *jsonReader) peek() byte {
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

func (r *jsonReader) value() (any, error) {
	switch c := r.peek(); {
	case r.pos >= len(r.data):
		return nil, r.fail(r.pos, "unexpected end of the document")
	case c == '{':
		return r.object()
	case c == '[':
		return r.array()
	case c == '"':
		return r.str()
	case c == '-' || '0' <= c && c <= '9':
		return r.number()
	case c == 't':
		return true, r.word("true")
	case c == 'f':
		return false, r.word("false")
	case c == 'n':
		return nil, r.word("null")
	}
	return nil, r.fail(r.pos, "not a value")
}

func (r *jsonReader) word(w string) error {
	if !bytes.HasPrefix(r.data[r.pos:], []byte(w)) {
		return r.fail(r.pos, "not a value")
	}
	r.pos += len(w)
	return nil
}

// each reads the elements up to the closing bracket, at the opening one.
func (r *jsonReader) each(closing byte, element func() error) error {
	start := r.pos
	if r.depth++; r.depth > maxDepth {
		return r.fail(start, "more than %d levels", maxDepth)
	}
	r.pos++
	for first := true; ; first = false {
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() == closing && first {
			break
		}
		if !first {
			if r.peek() == closing {
				break
			}
			if r.peek() != ',' {
				if r.pos >= len(r.data) {
					return r.fail(start, "an opening bracket without end")
				}
				return r.fail(r.pos, "a comma or closing bracket is missing")
			}
			r.pos++
			if err := r.space(); err != nil {
				return err
			}
			if r.comments && r.peek() == closing {
				break
			}
		}
		if err := element(); err != nil {
			return err
		}
	}
	r.pos++
	r.depth--
	return nil
}

func (r *jsonReader) object() (any, error) {
	t := &table{}
	return t, r.each('}', func() error {
		at := r.pos
		if r.peek() != '"' {
			return r.fail(at, "a key in double quotes is missing")
		}
		k, err := r.str()
		if err != nil {
			return err
		}
		key, ok := k.(string)
		if raw, half := k.(rawString); half && r.partial {
			key, ok = raw.text(), true
		}
		if !ok {
			return r.fail(at, "a key with half a surrogate pair")
		}
		i := t.find(key)
		if i >= 0 && !r.partial {
			first, _ := position(r.data, t.members[i].at)
			second, _ := position(r.data, at)
			return unparsable(r.label, "key %q stands twice, at lines %d and %d", key, first, second)
		}
		if err := r.space(); err != nil {
			return err
		}
		if r.peek() != ':' {
			return r.fail(r.pos, "a colon is missing")
		}
		r.pos++
		if err := r.space(); err != nil {
			return err
		}
		v, wanted, err := r.member(key)
		switch {
		case !wanted || err != nil:
		case i >= 0:
			t.members[i].val = v
		default:
			t.add(member{key: key, val: v, at: at})
			err = r.kept(at)
		}
		return err
	})
}

func (r *jsonReader) array() (any, error) {
	l := &list{}
	return l, r.each(']', func() error {
		at := r.pos
		v, err := r.element(len(l.items))
		l.items = append(l.items, v)
		if err != nil {
			return err
		}
		return r.kept(at)
	})
}

// kept counts an entry of the tree. A document that is read whole is counted before it is parsed.
func (r *jsonReader) kept(at int) error {
	if r.entries++; r.entries > maxMarks {
		return r.fail(at, "more than %d entries", maxMarks)
	}
	return nil
}

// str reads a string: as a Go string, or as a rawString when that would change it.
func (r *jsonReader) str() (any, error) {
	start := r.pos
	plain := true
	for i := start + 1; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '"':
			r.pos = i + 1
			token := r.data[start:r.pos]
			if plain {
				return string(token[1 : len(token)-1]), nil
			}
			var s string
			if json.Unmarshal(token, &s) != nil {
				return nil, r.fail(start, "a string with a bad escape")
			}
			if bytes.Contains(token, []byte(`\u`)) && hasReplacement(s) {
				return rawString(token), nil
			}
			return s, nil
		case c == '\\':
			plain = false
			i++
		case c < ' ':
			return nil, r.fail(i, "a control character in a string")
		}
	}
	return nil, r.fail(start, "a string without end")
}

// hasReplacement tells of U+FFFD, which the decoder puts for half a surrogate pair. One that was meant may be taken for
// such; it is then kept as its token, too.
func hasReplacement(s string) bool {
	for _, c := range s {
		if c == utf8.RuneError {
			return true
		}
	}
	return false
}

func (r *jsonReader) number() (any, error) {
	start := r.pos
	for r.pos < len(r.data) {
		c := r.data[r.pos]
		if ('0' > c || c > '9') && c != '-' && c != '+' && c != '.' && c != 'e' && c != 'E' {
			break
		}
		r.pos++
	}
	token := r.data[start:r.pos]
	if !json.Valid(token) {
		return nil, r.fail(start, "not a number")
	}
	return json.Number(token), nil
}
