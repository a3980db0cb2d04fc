package merge

import (
	"maps"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func sortedKeys(m map[string]any) []string {
	keys := slices.AppendSeq(make([]string, 0, len(m)), maps.Keys(m))
	slices.Sort(keys)
	return keys
}

// checkValue refuses values that no file of the format could hold.
func checkValue(label string, format preparer.Format, v any, depth int) error {
	if depth > maxDepth {
		return badEdit(label, "a value of more than %d levels", maxDepth)
	}
	switch v := v.(type) {
	case nil:
		if format == preparer.TOML {
			return badEdit(label, "toml has no null")
		}
	case string:
		if !utf8.ValidString(v) {
			return badEdit(label, "a string that is not utf-8")
		}
	case float64:
		if (math.IsNaN(v) || math.IsInf(v, 0)) && (format == preparer.JSON || format == preparer.JSONC) {
			return badEdit(label, "json has no infinite numbers")
		}
	case bool, int64:
	case []any:
		for _, item := range v {
			if err := checkValue(label, format, item, depth+1); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range v {
			if !utf8.ValidString(key) {
				return badEdit(label, "a key that is not utf-8")
			}
			if err := checkValue(label, format, item, depth+1); err != nil {
				return err
			}
		}
	default:
		return badEdit(label, "a value of type %T", v)
	}
	return nil
}

// samePlain compares plain values; an integer is never a float.
func samePlain(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, samePlain)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, samePlain)
	case float64:
		b, ok := b.(float64)
		return ok && (a == b || math.IsNaN(a) && math.IsNaN(b))
	}
	switch b.(type) {
	case []any, map[string]any:
		return false
	}
	return a == b
}
