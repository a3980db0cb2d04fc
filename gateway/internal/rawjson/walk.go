package rawjson

import "bytes"

// Walker steps through the members of an object or the elements of an array.
type Walker struct {
	b      []byte
	pos    int
	object bool
	// Key is the member's name, escapes undone; nil in arrays.
	Key []byte
	// Value is the member's or element's text without space around it.
	Value []byte
}

// Walk starts at the object or array in raw. Any other value has no members.
func Walk(raw []byte) Walker {
	raw = Trim(raw)
	w := Walker{b: raw}
	if len(raw) > 0 && (raw[0] == '{' || raw[0] == '[') {
		w.object = raw[0] == '{'
		w.pos = 1
	} else {
		w.pos = len(raw)
	}
	return w
}

// Next moves to the next member and reports whether there is one.
func (w *Walker) Next() bool {
	i := skipSpace(w.b, w.pos)
	if i < len(w.b) && w.b[i] == ',' {
		i = skipSpace(w.b, i+1)
	}
	if i >= len(w.b) || w.b[i] == '}' || w.b[i] == ']' {
		w.pos = len(w.b)
		return false
	}
	if w.object {
		end := skipValue(w.b, i)
		w.Key = Bytes(w.b[i:end])
		i = skipSpace(w.b, end)
		if i < len(w.b) && w.b[i] == ':' {
			i = skipSpace(w.b, i+1)
		}
	}
	end := skipValue(w.b, i)
	if end == i {
		w.pos = len(w.b)
		return false
	}
	w.Value = w.b[i:end]
	w.pos = end
	return true
}

// Get is the value of a member of an object, nil if there is none. The last one counts, as in encoding/json.
func Get(raw []byte, key string) []byte {
	if Kind(raw) != '{' {
		return nil
	}
	var found []byte
	for w := Walk(raw); w.Next(); {
		if string(w.Key) == key {
			found = w.Value
		}
	}
	return found
}

// Len counts the members of an object or array.
func Len(raw []byte) int {
	n := 0
	for w := Walk(raw); w.Next(); {
		n++
	}
	return n
}

// Trim removes JSON space around a value.
func Trim(raw []byte) []byte {
	i := skipSpace(raw, 0)
	j := len(raw)
	for j > i && isSpace(raw[j-1]) {
		j--
	}
	return raw[i:j]
}

// Kind is the first byte of a value, which tells what it is: { [ " t f n, 0 for a number, and 'n' for no value at all.
func Kind(raw []byte) byte {
	i := skipSpace(raw, 0)
	if i >= len(raw) {
		return 'n'
	}
	switch c := raw[i]; c {
	case '{', '[', '"', 't', 'f', 'n':
		return c
	}
	return 0
}

// IsNull reports whether the value is null or not there.
func IsNull(raw []byte) bool { return Kind(raw) == 'n' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\r' || c == '\t' }

func skipSpace(b []byte, i int) int {
	for i < len(b) && isSpace(b[i]) {
		i++
	}
	return i
}

// skipString returns the index behind the string that begins at i.
func skipString(b []byte, i int) int {
	i++
	for i < len(b) {
		q := bytes.IndexByte(b[i:], '"')
		if q < 0 {
			return len(b)
		}
		end := i + q
		slashes := 0
		for j := end - 1; j >= i && b[j] == '\\'; j-- {
			slashes++
		}
		i = end + 1
		if slashes%2 == 0 {
			return i
		}
	}
	return len(b)
}

// skipValue returns the index behind the value that begins at i.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return i
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		depth := 0
		for i < len(b) {
			switch b[i] {
			case '"':
				i = skipString(b, i)
				continue
			case '{', '[':
				depth++
			case '}', ']':
				depth--
				if depth == 0 {
					return i + 1
				}
			}
			i++
		}
		return len(b)
	}
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ':', ' ', '\n', '\r', '\t':
			return i
		}
		i++
	}
	return i
}
