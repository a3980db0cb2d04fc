package preparertest

import (
	"strconv"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// value is a value on one line.
func value(v preparer.Value) string {
	switch v := v.(type) {
	case preparer.String:
		return strconv.Quote(string(v))
	case preparer.Bool:
		return strconv.FormatBool(bool(v))
	case preparer.Int:
		return strconv.FormatInt(int64(v), 10)
	case preparer.Float:
		return strconv.FormatFloat(float64(v), 'g', -1, 64)
	case preparer.List:
		return "[" + joined(v, ", ") + "]"
	case preparer.Object:
		parts := make([]string, 0, len(v))
		for _, k := range sortedKeys(v) {
			parts = append(parts, strconv.Quote(k)+": "+value(v[k]))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case preparer.Text:
		if v.Section != "" {
			return "<text " + v.Document + "#" + v.Section + ">"
		}
		return "<text " + v.Document + ">"
	case preparer.PathValue:
		return "<path " + v.Place.String() + ">"
	case preparer.InputPath:
		return "<input " + v.Input + ">"
	case preparer.SkillCatalog:
		return "<catalog of " + v.At.String() + ">"
	case preparer.Secret:
		return "<secret " + v.Name + ">"
	case preparer.Concat:
		return "<" + joined(v, " + ") + ">"
	case preparer.Quoted:
		return "<" + string(v.As) + " " + value(v.Value) + ">"
	case nil:
		return "<nothing>"
	}
	return "<unknown>"
}

func joined(items []preparer.Value, by string) string {
	parts := make([]string, len(items))
	for i, v := range items {
		parts[i] = value(v)
	}
	return strings.Join(parts, by)
}

func bases(all []preparer.Base) string {
	parts := make([]string, len(all))
	for i, b := range all {
		parts[i] = string(b.Kind) + when(b.Input, b.Input != "")
	}
	return strings.Join(parts, ", ")
}

func location(l preparer.Location) string {
	base := string(l.Base)
	if l.Home != "" {
		base += "(" + l.Home + ")"
	}
	return base + ":" + l.Path + when("up to the git root", l.ToGitRoot)
}

func keyTexts(keys []preparer.KeyPath) []string {
	out := make([]string, len(keys))
	for i, k := range keys {
		out[i] = k.String()
	}
	return out
}

// when is a blank and the words, if they hold.
func when(words string, holds bool) string {
	if !holds {
		return ""
	}
	return " " + words
}

// word is a name and a value that may be missing.
func word(name, v string) string { return when(name+" "+v, v != "") }

func names(name string, list []string) string {
	return when(name+" ["+strings.Join(list, ", ")+"]", len(list) > 0)
}

func placeIf(p preparer.Place) string { return when(p.String(), p != preparer.Place{}) }
