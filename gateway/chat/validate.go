package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

var toolName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)

// Extensions are the fields outside of plain Chat Completions that Validate lets pass.
type Extensions struct {
	Request, Message []string
}

// requestFields are those every endpoint takes.
var requestFields = []string{
	"model", "messages", "tools", "tool_choice", "parallel_tool_calls", "max_tokens", "max_completion_tokens",
	"temperature", "top_p", "stop", "seed", "frequency_penalty", "presence_penalty", "logit_bias", "response_format",
	"stream", "stream_options",
}

// Validate checks a request as the strictest endpoint does: no unknown field, known roles, the system message first and
// alone, no empty message, every call followed at once by exactly one result in order, ids not repeated, arguments that
// are JSON objects, valid tool names, and parameters that are object schemas.
func Validate(body []byte, ext Extensions) error {
	var fields map[string]json.RawMessage
	if err := strict(body, &fields); err != nil {
		return err
	}
	for name := range fields {
		if !slices.Contains(requestFields, name) && !slices.Contains(ext.Request, name) {
			return fmt.Errorf("unknown field %q", name)
		}
	}
	var model string
	if err := strict(fields["model"], &model); err != nil || model == "" {
		return fmt.Errorf("model is not a name: %s", fields["model"])
	}
	if fields["max_tokens"] != nil && fields["max_completion_tokens"] != nil {
		return fmt.Errorf("both max_tokens and max_completion_tokens")
	}
	if fields["stream_options"] != nil && string(fields["stream"]) != "true" {
		return fmt.Errorf("stream_options without stream")
	}
	names, err := validateTools(fields["tools"])
	if err != nil {
		return err
	}
	if len(names) == 0 && (fields["tool_choice"] != nil || fields["parallel_tool_calls"] != nil || fields["tools"] != nil) {
		return fmt.Errorf("tool fields without tools")
	}
	if err := validateChoice(fields["tool_choice"], names); err != nil {
		return err
	}
	return validateMessages(fields["messages"], ext)
}

func validateTools(raw json.RawMessage) (map[string]bool, error) {
	if raw == nil {
		return nil, nil
	}
	var tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name        string          `json:"name"`
			Description *string         `json:"description"`
			Parameters  json.RawMessage `json:"parameters"`
			Strict      *bool           `json:"strict"`
		} `json:"function"`
	}
	if err := strict(raw, &tools); err != nil {
		return nil, fmt.Errorf("tools: %w", err)
	}
	names := make(map[string]bool)
	for i, t := range tools {
		switch {
		case t.Type != "function":
			return nil, fmt.Errorf("tools[%d] has type %q", i, t.Type)
		case !toolName.MatchString(t.Function.Name):
			return nil, fmt.Errorf("tools[%d] has the name %q", i, t.Function.Name)
		case names[t.Function.Name]:
			return nil, fmt.Errorf("tools[%d] repeats the name %q", i, t.Function.Name)
		}
		names[t.Function.Name] = true
		var schema map[string]any
		if err := json.Unmarshal(t.Function.Parameters, &schema); err != nil || schema == nil {
			return nil, fmt.Errorf("tools[%d] has parameters that are no object: %s", i, t.Function.Parameters)
		}
	}
	return names, nil
}

func validateChoice(raw json.RawMessage, names map[string]bool) error {
	if raw == nil || slices.Contains([]string{`"auto"`, `"none"`, `"required"`}, string(raw)) {
		return nil
	}
	var choice struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	}
	if err := strict(raw, &choice); err != nil || choice.Type != "function" || !names[choice.Function.Name] {
		return fmt.Errorf("tool_choice %s", raw)
	}
	return nil
}

// strict decodes one value and refuses fields that the target does not have.
func strict(raw []byte, target any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(target); err != nil {
		return err
	}
	if d.More() {
		return fmt.Errorf("data behind the value")
	}
	return nil
}
