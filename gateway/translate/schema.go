package translate

import (
	"bytes"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

const emptySchema = `{"type":"object","properties":{}}`

// wraps reports whether parameters have to be put into a property "value", because the host takes plain objects only.
func wraps(raw responses.Raw, mode dialect.SchemaMode) bool {
	if mode == dialect.SchemaOpen || rawjson.Kind(raw) != '{' {
		return false
	}
	typ, union := rawjson.Get(raw, "type"), false
	for w := rawjson.Walk(raw); w.Next(); {
		switch string(w.Key) {
		case "anyOf", "oneOf", "allOf":
			union = true
		}
	}
	if rawjson.IsNull(typ) {
		return typ == nil && union
	}
	return rawjson.String(typ) != "object"
}

// appendParameters appends the parameters of a function, in a property "value" if wrapped is set. It reports whether they
// had to be changed. Bytes that need no change are copied.
func appendParameters(dst []byte, raw responses.Raw, mode dialect.SchemaMode, wrapped bool) (_ []byte, changed bool) {
	if rawjson.Kind(raw) != '{' || rawjson.Len(raw) == 0 {
		return append(dst, emptySchema...), true
	}
	var typ responses.Raw
	objects := true
	for w := rawjson.Walk(raw); w.Next(); {
		switch string(w.Key) {
		case "type":
			typ = w.Value
		case "anyOf", "oneOf", "allOf":
			objects = objects && allObjects(w.Value)
		}
	}
	if typ != nil && rawjson.IsNull(typ) {
		return append(dst, emptySchema...), true
	}
	if wrapped {
		dst = append(dst, `{"type":"object","properties":{"value":`...)
		dst = appendSchema(dst, raw, mode)
		return append(dst, `},"required":["value"]}`...), true
	}
	mark := len(dst)
	dst = appendSchema(dst, raw, mode)
	if typ == nil && objects {
		const head = `{"type":"object",`
		dst = append(dst, head[1:]...)
		copy(dst[mark+len(head):], dst[mark+1:len(dst)-len(head)+1])
		copy(dst[mark:], head)
		return dst, true
	}
	return dst, !bytes.Equal(dst[mark:], raw)
}

// allObjects reports whether every branch of a union can only be an object.
func allObjects(branches responses.Raw) bool {
	for w := rawjson.Walk(branches); w.Next(); {
		if rawjson.String(rawjson.Get(w.Value, "type")) != "object" {
			return false
		}
	}
	return true
}

// appendSchema copies a schema without the private keyword "encrypted", and for Moonshot without siblings of $ref.
func appendSchema(dst []byte, raw responses.Raw, mode dialect.SchemaMode) []byte {
	refs := mode == dialect.SchemaMoonshot && bytes.Contains(raw, []byte(`"$ref"`))
	if !refs && !bytes.Contains(raw, []byte(`"encrypted"`)) {
		return append(dst, raw...)
	}
	s := schemaCopy{refs: refs}
	return s.schema(dst, raw)
}

type schemaCopy struct{ refs bool }

func (s schemaCopy) schema(dst []byte, raw []byte) []byte {
	if rawjson.Kind(raw) != '{' {
		return append(dst, raw...)
	}
	var ref, allOf []byte
	if s.refs && rawjson.Len(raw) > 1 {
		if ref = rawjson.Get(raw, "$ref"); rawjson.Kind(ref) != '"' {
			ref = nil
		}
		allOf = rawjson.Get(raw, "allOf")
	}
	dst = append(dst, '{')
	first := true
	member := func(key []byte) {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = rawjson.AppendString(dst, key)
		dst = append(dst, ':')
	}
	if ref != nil {
		member([]byte("allOf"))
		dst = append(dst, `[{"$ref":`...)
		dst = append(dst, ref...)
		dst = append(dst, '}')
		for w := rawjson.Walk(allOf); w.Next(); {
			dst = append(dst, ',')
			dst = s.schema(dst, w.Value)
		}
		dst = append(dst, ']')
	}
	for w := rawjson.Walk(raw); w.Next(); {
		k := rawjson.Kind(w.Value)
		if string(w.Key) == "encrypted" && (k == 't' || k == 'f') {
			continue
		}
		if ref != nil && (string(w.Key) == "$ref" || string(w.Key) == "allOf") {
			continue
		}
		member(w.Key)
		switch string(w.Key) {
		case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
			dst = s.named(dst, w.Value)
		case "items", "additionalProperties", "contains", "not", "if", "then", "else", "propertyNames", "anyOf", "oneOf",
			"allOf", "prefixItems":
			dst = s.oneOrMany(dst, w.Value)
		default:
			dst = append(dst, w.Value...)
		}
	}
	return append(dst, '}')
}

// named copies an object whose members are schemas: a property may be called "encrypted".
func (s schemaCopy) named(dst []byte, raw []byte) []byte {
	if rawjson.Kind(raw) != '{' {
		return append(dst, raw...)
	}
	dst = append(dst, '{')
	for w, i := rawjson.Walk(raw), 0; w.Next(); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = rawjson.AppendString(dst, w.Key)
		dst = append(dst, ':')
		dst = s.schema(dst, w.Value)
	}
	return append(dst, '}')
}

func (s schemaCopy) oneOrMany(dst []byte, raw []byte) []byte {
	if rawjson.Kind(raw) != '[' {
		return s.schema(dst, raw)
	}
	dst = append(dst, '[')
	for w, i := rawjson.Walk(raw), 0; w.Next(); i++ {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = s.schema(dst, w.Value)
	}
	return append(dst, ']')
}
