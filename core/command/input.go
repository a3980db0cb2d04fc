package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/outside"
)

// Input is one input of a command, as the schema says.
type Input struct {
	Name     string
	Type     string // JSON Schema type, "" for any
	Text     string // one line
	Default  string
	Values   []string // the only ones, or none for any
	Required bool
}

// timeout is the input that every command has which can wait.
const timeout = "timeout-ms"

// inputs reads the schema of a command. Everything about it that is not as it must be is an error.
func inputs(c Command) ([]Input, error) {
	schema := c.InputSchema
	properties, err := object(schema["properties"])
	if err != nil {
		return nil, refuse(c.ID, "the properties of its schema are no object")
	}
	if kind, ok := schema["type"]; ok && kind != "object" {
		return nil, refuse(c.ID, "its schema is not that of an object")
	}
	required, err := texts(schema["required"])
	if err != nil {
		return nil, refuse(c.ID, "the required inputs of its schema are no list of names")
	}
	order := slices.Clone(required)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	var list []Input
	for i, name := range order {
		if slices.Contains(order[:i], name) {
			return nil, refuse(c.ID, "required input "+shown(name)+" stands twice in its schema")
		}
		raw, ok := properties[name]
		if !ok {
			return nil, refuse(c.ID, "required input "+shown(name)+" is not among the properties of its schema")
		}
		in, err := input(name, raw)
		if err != nil {
			return nil, refuse(c.ID, "input "+shown(name)+" "+err.Error())
		}
		in.Required = i < len(required)
		list = append(list, in)
	}
	if c.Wait && !slices.ContainsFunc(list, func(in Input) bool { return in.Name == timeout }) {
		list = append(list, Input{Name: timeout, Type: "integer", Text: "how long to wait, in milliseconds"})
	}
	return list, nil
}

func input(name string, raw any) (Input, error) {
	in := Input{Name: name}
	if !isWord(name) {
		return in, fmt.Errorf("has a name that is not made of letters, digits, dots, dashes and underscores")
	}
	if raw == nil {
		return in, fmt.Errorf("is no object")
	}
	p, err := object(raw)
	if err != nil {
		return in, fmt.Errorf("is no object")
	}
	if kind, ok := p["type"]; ok {
		if in.Type, ok = kind.(string); !ok || !slices.Contains([]string{"string", "integer", "number", "boolean", "array", "object"}, in.Type) {
			return in, fmt.Errorf("has an unknown type")
		}
	}
	if text, ok := p["description"]; ok {
		s, ok := text.(string)
		if !ok {
			return in, fmt.Errorf("has a description that is no text")
		}
		in.Text = outside.Line(s, 240)
	}
	if values, ok := p["enum"]; ok {
		list, ok := values.([]any)
		if names, plain := values.([]string); plain {
			ok = true
			for _, n := range names {
				list = append(list, n)
			}
		}
		if !ok || len(list) == 0 {
			return in, fmt.Errorf("has values that are no list")
		}
		for _, v := range list {
			s, err := scalar(v)
			if err != nil {
				return in, err
			}
			in.Values = append(in.Values, s)
		}
	}
	if v, ok := p["default"]; ok && v != nil {
		if s, err := scalar(v); err == nil {
			in.Default = outside.Line(s, 80)
		}
	}
	return in, nil
}

func scalar(v any) (string, error) {
	switch v := v.(type) {
	case string:
		if v == "" || outside.Line(v, 81) != v {
			return "", fmt.Errorf("has a value that is blank, long or holds marks")
		}
		return v, nil
	case json.Number: // a text, which a catalog may have made itself
		if number.MatchString(v.String()) {
			return v.String(), nil
		}
		return scalar(v.String())
	case bool, int, int64, float64:
		return fmt.Sprint(v), nil
	}
	return "", fmt.Errorf("has a value that is neither text, number nor truth")
}

func object(v any) (map[string]any, error) {
	if v == nil {
		return nil, nil
	}
	m, ok := v.(map[string]any)
	if !ok {
		return nil, fmt.Errorf("no object")
	}
	return m, nil
}

func texts(v any) ([]string, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case []string:
		if slices.ContainsFunc(v, func(s string) bool { return strings.TrimSpace(s) == "" }) {
			return nil, fmt.Errorf("a blank name")
		}
		return v, nil
	case []any:
		list := make([]string, len(v))
		for i, item := range v {
			s, ok := item.(string)
			if !ok || strings.TrimSpace(s) == "" {
				return nil, fmt.Errorf("no name")
			}
			list[i] = s
		}
		return list, nil
	}
	return nil, fmt.Errorf("no list")
}
