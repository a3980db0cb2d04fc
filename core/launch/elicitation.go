package launch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
)

// elicitation is a question of an MCP server, as the clients pass it on: the same under several names.
// https://modelcontextprotocol.io/specification/2025-11-25/client/elicitation
type elicitation struct {
	Server  string          `json:"serverName"`
	Server2 string          `json:"mcp_server_name"`
	Message string          `json:"message"`
	URL     string          `json:"url"`
	Schema  json.RawMessage `json:"requestedSchema"`
	Schema2 json.RawMessage `json:"requested_schema"`
}

// elicit puts the question of an MCP server, and gives the answer that goes back to it.
func (s *side) elicit(ctx context.Context, raw json.RawMessage) any {
	var e elicitation
	declined := map[string]any{"action": "decline"}
	if json.Unmarshal(raw, &e) != nil {
		return declined
	}
	q := Question{From: cmp.Or(e.Server, e.Server2), Text: e.Message, URL: e.URL, Raw: raw}
	schema := e.Schema
	if len(schema) == 0 {
		schema = e.Schema2
	}
	if e.URL == "" {
		fields, ok := fieldsOf(schema)
		if !ok {
			// A form that cannot be shown cannot be answered, but the host should see that it was asked for.
			s.emit(Event{Kind: Asked, Question: &q, Raw: raw})
			return declined
		}
		q.Fields = fields
	}
	reply, ok := s.ask(ctx, q)
	switch {
	case !ok:
		return declined
	case e.URL != "":
		return map[string]any{"action": "accept"}
	}
	return map[string]any{"action": "accept", "content": q.content(reply)}
}

// property is one of a form, which is flat.
type property struct {
	Type        string   `json:"type"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Enum        []string `json:"enum"`
	OneOf       []choice `json:"oneOf"`
	Items       struct {
		Enum  []string `json:"enum"`
		AnyOf []choice `json:"anyOf"`
	} `json:"items"`
}

type choice struct {
	Const string `json:"const"`
}

// fieldsOf reads a form, in the order in which it stands.
func fieldsOf(schema json.RawMessage) (fields []Field, ok bool) {
	var form struct {
		Properties json.RawMessage `json:"properties"`
		Required   []string        `json:"required"`
	}
	if len(schema) == 0 || string(schema) == "null" {
		return nil, true
	}
	if json.Unmarshal(schema, &form) != nil {
		return nil, false
	}
	if len(form.Properties) == 0 {
		return nil, true
	}
	d := json.NewDecoder(bytes.NewReader(form.Properties))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for d.More() {
		key, err := d.Token()
		name, isText := key.(string)
		var p property
		if err != nil || !isText || d.Decode(&p) != nil {
			return nil, false
		}
		f, known := p.field(name)
		if !known {
			return nil, false
		}
		f.Required = slices.Contains(form.Required, name)
		fields = append(fields, f)
	}
	return fields, true
}

func (p property) field(name string) (Field, bool) {
	f := Field{ID: name, Text: cmp.Or(p.Description, p.Title, name), Options: p.Enum}
	for _, c := range p.OneOf {
		f.Options = append(f.Options, c.Const)
	}
	switch p.Type {
	case "string", "":
	case "number":
		f.Kind = Number
	case "integer":
		f.Kind = Integer
	case "boolean":
		f.Kind = Boolean
	case "array":
		f.Many, f.Options = true, p.Items.Enum
		for _, c := range p.Items.AnyOf {
			f.Options = append(f.Options, c.Const)
		}
		return f, len(f.Options) > 0
	default:
		return Field{}, false
	}
	return f, true
}
