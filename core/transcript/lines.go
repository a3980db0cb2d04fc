package transcript

import (
	"bytes"
	"encoding/json"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// whole is the length of the beginning of data that is made of whole records: lines that are JSON objects. The last one
// needs no line break, since an object says itself where it ends.
func whole(data []byte) int {
	at := 0
	for at < len(data) {
		line, rest, more := bytes.Cut(data[at:], []byte("\n"))
		if !isObject(line) {
			return at
		}
		if !more {
			return len(data)
		}
		at = len(data) - len(rest)
	}
	return at
}

func isObject(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 0 && line[0] == '{' && json.Valid(line)
}

// idOf is what the first line says of the conversation's id, "" for nothing.
func idOf(data []byte, key preparer.KeyPath) string {
	line, _, _ := bytes.Cut(data, []byte("\n"))
	var value any
	if json.Unmarshal(line, &value) != nil {
		return ""
	}
	for _, segment := range key {
		object, ok := value.(map[string]any)
		if !ok {
			return ""
		}
		value = object[segment]
	}
	id, _ := value.(string)
	return id
}

// begins says whether data begins with the records of prefix, at the border of a record.
func begins(data, prefix []byte) bool {
	if !bytes.HasPrefix(data, prefix) {
		return false
	}
	return len(data) == len(prefix) || len(prefix) == 0 || prefix[len(prefix)-1] == '\n' || data[len(prefix)] == '\n'
}
