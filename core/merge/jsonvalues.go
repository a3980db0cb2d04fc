package merge

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxRead bounds a JSON document that is only read. Some clients keep their history in their settings.
const maxRead = 64 << 20

// openJSONFor parses what lies at some paths of a JSON document and passes over the rest, which may be far larger. A
// key that stands twice has its last value, as JavaScript takes it: nothing is written back that could lose the other.
func openJSONFor(data []byte, paths []preparer.KeyPath, label string) (tree, error) {
	data = bytes.TrimPrefix(data, bom)
	if len(data) > maxRead {
		return nil, unparsable(label, "larger than %d MiB", maxRead>>20)
	}
	if !utf8.Valid(data) || len(data) > 0 && !json.Valid(data) {
		return open(preparer.JSON, data, label) // which says where
	}
	if bytes.TrimSpace(data) == nil {
		return openJSON(data, label, false)
	}
	r := jsonReader{data: data, label: label, partial: true, want: paths}
	v, err := r.document()
	if err != nil {
		return nil, err
	}
	t := &jsonTree{ordered{label: label, base: data, number: jsonNumber}}
	top, ok := v.(*table)
	if !ok {
		return nil, unparsable(label, "the document is %s, not an object", t.kind(v))
	}
	t.top = top
	return t, nil
}

// member reads the value of a key or, by its index, of an element. In a partial document ok is false for one that
// nobody wants, and that was passed over.
func (r *jsonReader) member(key string) (v any, ok bool, err error) {
	if r.want == nil {
		v, err = r.value()
		return v, true, err
	}
	above := r.want
	defer func() { r.want = above }()
	r.want = nil
	var below []preparer.KeyPath
	for _, path := range above {
		switch {
		case path[0] != "*" && path[0] != key:
		case len(path) == 1:
			v, err = r.value()
			return v, true, err
		default:
			below = append(below, path[1:])
		}
	}
	if below == nil {
		r.skip()
		return nil, false, nil
	}
	r.want = below
	v, err = r.value()
	return v, true, err
}

func (r *jsonReader) element(index int) (any, error) {
	if r.want == nil {
		return r.value()
	}
	v, _, err := r.member(strconv.Itoa(index))
	return v, err
}

// skip passes over a value of a document that is known to be valid.
func (r *jsonReader) skip() {
	depth := 0
	for r.pos < len(r.data) {
		switch c := r.data[r.pos]; c {
		case '"':
			for r.pos++; r.data[r.pos] != '"'; r.pos++ {
				if r.data[r.pos] == '\\' {
					r.pos++
				}
			}
		case '{', '[':
			depth++
		case '}', ']', ',':
			if depth == 0 {
				return // the end of what it stands in
			}
			if c != ',' {
				depth--
			}
		}
		r.pos++
	}
}
