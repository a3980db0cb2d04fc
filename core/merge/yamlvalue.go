package merge

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// plain gives keys that are no strings as they are written, and leaves out those that are tables or lists.
func (t *yamlTree) plain(node any) any {
	n := resolved(node.(*yaml.Node))
	switch t.kind(n) {
	case kindNull:
		return nil
	case kindBool, kindNumber:
		return yamlScalar(n)
	case kindList:
		out := make([]any, len(n.Content))
		for i, c := range n.Content {
			out[i] = t.plain(c)
		}
		return out
	case kindTable:
		keys := t.keys(n)
		out := make(map[string]any, len(keys))
		for _, key := range keys {
			out[key] = t.plain(lookup(n, key))
		}
		return out
	}
	return n.Value
}

// yamlScalar is the value of a boolean or number.
func yamlScalar(n *yaml.Node) any {
	var v any
	if n.Decode(&v) != nil {
		return n.Value
	}
	switch v := v.(type) {
	case int:
		return int64(v)
	case uint64:
		return float64(v)
	}
	return v
}

func (t *yamlTree) equal(node any, v any) bool {
	n := resolved(node.(*yaml.Node))
	k := t.kind(n)
	switch v := v.(type) {
	case nil:
		return k == kindNull
	case string:
		return k == kindString && n.Value == v
	case []any:
		return k == kindList && slices.EqualFunc(n.Content, v, func(c *yaml.Node, v any) bool { return t.equal(c, v) })
	case map[string]any:
		if k != kindTable {
			return false
		}
		keys := t.keys(n)
		if len(keys) != len(v) {
			return false
		}
		for _, key := range keys {
			if want, ok := v[key]; !ok || !t.equal(lookup(n, key), want) {
				return false
			}
		}
		return true
	}
	return (k == kindBool || k == kindNumber) && samePlain(yamlScalar(n), v)
}

func yamlFloat(f float64) string {
	switch {
	case math.IsNaN(f):
		return ".nan"
	case math.IsInf(f, 1):
		return ".inf"
	case math.IsInf(f, -1):
		return "-.inf"
	}
	s := strconv.FormatFloat(f, 'g', -1, 64)
	if mantissa, exp, ok := strings.Cut(s, "e"); ok {
		// YAML 1.1 wants a point in the mantissa.
		if !strings.Contains(mantissa, ".") {
			mantissa += ".0"
		}
		return mantissa + "e" + exp
	}
	if !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

// plainWord says whether a string means itself to every YAML reader when it is not quoted: a word that is no boolean or
// null, or an absolute path.
func plainWord(s string) bool {
	letter := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' || c == '_' }
	if s == "" || len(s) > 256 || !letter(s[0]) && (s[0] != '/' || len(s) == 1) {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !letter(c) && (c < '0' || c > '9') && c != '-' && c != '/' && c != '.' {
			return false
		}
	}
	switch strings.ToLower(s) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return false
	}
	return true
}
