package merge_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"
)

// jsonTokens is a document as the standard library reads it, token by token, so that the order of keys and the digits
// of numbers count.
func jsonTokens(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return out.Bytes()
		}
		if err != nil {
			t.Fatalf("%v in:\n%s", err, data)
		}
		line, err := json.Marshal(tok)
		if d, ok := tok.(json.Delim); ok {
			line = []byte(d.String())
		}
		if err != nil {
			t.Fatal(err)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
}

// compactJSON is a document in plain JSON, when it is one.
func compactJSON(data []byte) ([]byte, bool) {
	var out bytes.Buffer
	if json.Compact(&out, data) != nil {
		return nil, false
	}
	return out.Bytes(), true
}

// roundTrips says whether the library, left alone, writes a document back so that it reads the same.
func roundTrips(data []byte) (ok bool) {
	defer func() { ok = recover() == nil && ok }()
	var before, after yaml.Node
	if yaml.Unmarshal(data, &before) != nil {
		return true
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if enc.Encode(&before) != nil || enc.Close() != nil || yaml.Unmarshal(out.Bytes(), &after) != nil {
		return false
	}
	return outline(&before) == outline(&after)
}

// outline is what a node says, without comments, styles and lines.
func outline(n *yaml.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s %q %q(", n.Kind, n.ShortTag(), n.Anchor, n.Value)
	for _, c := range n.Content {
		b.WriteString(outline(c))
	}
	b.WriteByte(')')
	return b.String()
}
