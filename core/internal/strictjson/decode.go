package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep values may lie in each other.
const maxDepth = 64

// Error is a document that is not what it has to be.
type Error struct {
	Field  string // such as "runtime.launch.args[1]", "" for the document
	Line   int    // counted from 1
	Detail string // what is wrong, lower case
}

func (e *Error) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Detail)
	}
	return fmt.Sprintf("line %d: %s: %s", e.Line, e.Field, e.Detail)
}

// maxFound bounds how much is listed of what is wrong.
const maxFound = 100

// Decode reads the one document that data is into what v points to. The error is the first of [DecodeAll].
func Decode(data []byte, v any) error { return first(DecodeAll(data, v)) }

// DecodeAll is Decode, and lists all that is wrong: every field that is not known, is null or stands twice, and of fields of
// another kind the first. Nothing comes after what is no JSON.
func DecodeAll(data []byte, v any) []*Error {
	w := walker{data: data}
	if err := w.document(reflect.TypeOf(v).Elem()); err != nil {
		return append(w.found, err)
	}
	err := json.Unmarshal(data, v)
	var kind *json.UnmarshalTypeError
	switch {
	case err == nil:
	case errors.As(err, &kind):
		w.found = append(w.found, &Error{Field: kind.Field, Line: line(data, kind.Offset), Detail: "is a " + kind.Value + ", and has to be " + wanted(kind.Type)})
	default:
		w.found = append(w.found, &Error{Line: 1, Detail: "holds a value that cannot be read"})
	}
	return w.found
}

// Check reads the one document that data is, of whatever shape, and says what is wrong with its form.
func Check(data []byte) error {
	w := walker{data: data}
	if err := w.document(nil); err != nil {
		w.found = append(w.found, err)
	}
	return first(w.found)
}

func first(found []*Error) error {
	if len(found) == 0 {
		return nil
	}
	return found[0]
}

// walker reads a document. What is wrong with a field is found, and the rest read; an error is what nothing can be read after.
type walker struct {
	data  []byte
	dec   *json.Decoder
	found []*Error
}

func (w *walker) document(t reflect.Type) *Error {
	if i := invalid(w.data); i >= 0 {
		return &Error{Line: line(w.data, int64(i)), Detail: "is not in UTF-8"}
	}
	w.dec = json.NewDecoder(bytes.NewReader(w.data))
	w.dec.UseNumber()
	if err := w.value(t, "", 0); err != nil {
		return err
	}
	if _, err := w.dec.Token(); err != io.EOF {
		return w.bad("", "more follows the document")
	}
	return nil
}

func (w *walker) bad(field, detail string) *Error {
	return &Error{Field: field, Line: line(w.data, w.dec.InputOffset()), Detail: detail}
}

// note finds something, and gives an error when it is enough.
func (w *walker) note(field, detail string) *Error {
	if len(w.found) == maxFound-1 {
		return w.bad(field, detail)
	}
	w.found = append(w.found, w.bad(field, detail))
	return nil
}

// value walks one value. The type is nil where anything may stand.
func (w *walker) value(t reflect.Type, field string, depth int) *Error {
	token, err := w.dec.Token()
	if err != nil {
		return w.bad(field, "is not valid JSON")
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t != nil && (open(t) || t.Kind() == reflect.Interface) {
		t = nil
	}
	switch token := token.(type) {
	case json.Delim:
		if depth == maxDepth {
			return w.bad(field, "lies deeper than the limit")
		}
		if token == '{' {
			return w.object(t, field, depth+1)
		}
		return w.array(t, field, depth+1)
	case nil:
		if t != nil {
			return w.note(field, "is null; leave it out instead")
		}
	}
	return nil
}

func (w *walker) array(t reflect.Type, field string, depth int) *Error {
	var of reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		of = t.Elem()
	}
	for i := 0; w.dec.More(); i++ {
		if err := w.value(of, fmt.Sprintf("%s[%d]", field, i), depth); err != nil {
			return err
		}
	}
	if _, err := w.dec.Token(); err != nil {
		return w.bad(field, "is not valid JSON")
	}
	return nil
}

func (w *walker) object(t reflect.Type, field string, depth int) *Error {
	seen := map[string]bool{}
	for w.dec.More() {
		token, err := w.dec.Token()
		if err != nil {
			return w.bad(field, "is not valid JSON")
		}
		name := token.(string) // the decoder takes nothing else here
		at := name
		if field != "" {
			at = field + "." + name
		}
		if len(at) > 200 {
			at = at[:200]
		}
		of, known := member(t, name)
		var enough *Error
		switch {
		case seen[name]:
			enough = w.note(at, "stands twice")
		case !known:
			enough = w.note(at, "is a field that is not known here")
		}
		if enough != nil {
			return enough
		}
		seen[name] = true
		if err := w.value(of, at, depth); err != nil {
			return err
		}
	}
	if _, err := w.dec.Token(); err != nil {
		return w.bad(field, "is not valid JSON")
	}
	return nil
}

// member is the type of a field of that name, nil for any, and whether there may be one.
func member(t reflect.Type, name string) (reflect.Type, bool) {
	switch {
	case t == nil:
		return nil, true
	case t.Kind() == reflect.Map:
		return t.Elem(), true
	case t.Kind() != reflect.Struct:
		return nil, true // the wrong kind, which unmarshalling says better
	}
	for _, f := range reflect.VisibleFields(t) {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && tag != "-" && (tag == name || tag == "" && f.Name == name) {
			return f.Type, true
		}
	}
	return nil, false
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// open says whether a type reads its own JSON.
func open(t reflect.Type) bool { return reflect.PointerTo(t).Implements(unmarshaler) }

func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return "a list"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text"
	}
	return "a whole number that is not negative"
}

// invalid is where the first byte stands that is no UTF-8, or -1.
func invalid(data []byte) int {
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return -1
}

func line(data []byte, offset int64) int {
	return 1 + bytes.Count(data[:min(max(offset, 0), int64(len(data)))], []byte("\n"))
}
