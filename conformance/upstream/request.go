package upstream

import (
	"encoding/json"
	"fmt"
	"net/http"
	"sort"
	"strings"
)

// Request is one recorded request.
type Request struct {
	Method string
	Path   string
	Query  string
	Header http.Header
	Body   []byte
}

// Items are the entries of the conversation, in order and decoded: "input" of Responses, "messages" of Messages and Chat.
// Marks for the provider's prompt cache, which move from turn to turn, are left out.
func (r Request) Items() ([]any, error) {
	body, err := r.decode()
	if err != nil {
		return nil, err
	}
	for _, key := range []string{"input", "messages"} {
		if list, ok := body[key].([]any); ok {
			return withoutCacheMarks(list).([]any), nil
		}
	}
	return nil, fmt.Errorf("%s %s: the body holds no conversation", r.Method, r.Path)
}

// Text is every string of the conversation and of the system prompt, in order, joined by newlines. The descriptions of
// tools are not part of it.
func (r Request) Text() (string, error) {
	body, err := r.decode()
	if err != nil {
		return "", err
	}
	var parts []string
	for _, key := range []string{"instructions", "system", "input", "messages"} {
		parts = appendStrings(parts, body[key])
	}
	return strings.Join(parts, "\n"), nil
}

// System is the text of the system prompt: the system blocks of Messages, the leading developer messages of Responses,
// or the leading system messages of Chat.
func (r Request) System() (string, error) {
	body, err := r.decode()
	if err != nil {
		return "", err
	}
	parts := appendStrings(nil, body["system"])
	for key, role := range map[string]string{"input": "developer", "messages": "system"} {
		list, _ := body[key].([]any)
		for _, item := range list {
			message, _ := item.(map[string]any)
			if message["role"] != role {
				break
			}
			parts = appendStrings(parts, message["content"])
		}
	}
	return strings.Join(parts, "\n"), nil
}

// ToolResults are the outputs of tools that the client sent back, oldest first.
func (r Request) ToolResults() ([]string, error) {
	items, err := r.Items()
	if err != nil {
		return nil, err
	}
	var results []string
	for _, item := range items {
		message, _ := item.(map[string]any)
		switch {
		case message["type"] == "function_call_output":
			results = append(results, strings.Join(appendStrings(nil, message["output"]), "\n"))
			continue
		case message["role"] == "tool":
			results = append(results, strings.Join(appendStrings(nil, message["content"]), "\n"))
			continue
		}
		content, _ := message["content"].([]any)
		for _, part := range content {
			if block, _ := part.(map[string]any); block["type"] == "tool_result" {
				results = append(results, strings.Join(appendStrings(nil, block["content"]), "\n"))
			}
		}
	}
	return results, nil
}

func (r Request) decode() (map[string]any, error) {
	var body map[string]any
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return nil, fmt.Errorf("%s %s: %w", r.Method, r.Path, err)
	}
	return body, nil
}

// appendStrings appends the strings of a decoded value, but for names and marks of the protocol.
func appendStrings(parts []string, v any) []string {
	switch v := v.(type) {
	case string:
		return append(parts, v)
	case []any:
		for _, item := range v {
			parts = appendStrings(parts, item)
		}
	case map[string]any:
		keys := make([]string, 0, len(v))
		for key := range v {
			switch key {
			case "id", "type", "role", "call_id", "tool_call_id", "tool_use_id", "cache_control":
			default:
				keys = append(keys, key)
			}
		}
		sort.Strings(keys)
		for _, key := range keys {
			parts = appendStrings(parts, v[key])
		}
	}
	return parts
}

func withoutCacheMarks(v any) any {
	switch v := v.(type) {
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = withoutCacheMarks(item)
		}
		return list
	case map[string]any:
		m := make(map[string]any, len(v))
		for key, item := range v {
			if key != "cache_control" {
				m[key] = withoutCacheMarks(item)
			}
		}
		return m
	default:
		return v
	}
}
