package chat

import (
	"encoding/json"
	"fmt"
	"slices"
)

type toolCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

type message struct {
	role    string
	content json.RawMessage
	calls   []toolCall
	callID  string
}

func validateMessages(raw json.RawMessage, ext Extensions) error {
	var list []map[string]json.RawMessage
	if err := strict(raw, &list); err != nil {
		return fmt.Errorf("messages: %w", err)
	}
	if len(list) == 0 {
		return fmt.Errorf("no messages")
	}
	var open []toolCall
	ids := make(map[string]bool)
	for i, fields := range list {
		m, err := decodeMessage(fields, ext)
		if err != nil {
			return fmt.Errorf("messages[%d]: %w", i, err)
		}
		if len(open) > 0 && (m.role != "tool" || m.callID != open[0].ID) {
			return fmt.Errorf("messages[%d]: the result of call %q does not follow", i, open[0].ID)
		}
		switch m.role {
		case "system":
			if i > 0 {
				return fmt.Errorf("messages[%d]: a system message behind others", i)
			}
		case "tool":
			if len(open) == 0 {
				return fmt.Errorf("messages[%d]: a result without a call", i)
			}
			open = open[1:]
		case "assistant":
			for _, c := range m.calls {
				if ids[c.ID] {
					return fmt.Errorf("messages[%d]: the call id %q again", i, c.ID)
				}
				ids[c.ID] = true
			}
			open = m.calls
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("the result of call %q is missing", open[0].ID)
	}
	return nil
}

func decodeMessage(fields map[string]json.RawMessage, ext Extensions) (message, error) {
	var m message
	for name, raw := range fields {
		var err error
		switch {
		case name == "role":
			err = strict(raw, &m.role)
		case name == "content":
			m.content = raw
		case name == "tool_calls":
			err = strict(raw, &m.calls)
			if err == nil && len(m.calls) == 0 {
				err = fmt.Errorf("empty tool_calls")
			}
		case name == "tool_call_id":
			err = strict(raw, &m.callID)
		case slices.Contains(ext.Message, name):
		default:
			err = fmt.Errorf("unknown field %q", name)
		}
		if err != nil {
			return m, fmt.Errorf("%s: %w", name, err)
		}
	}
	for _, c := range m.calls {
		var arguments map[string]any
		if c.ID == "" || c.Type != "function" || !toolName.MatchString(c.Function.Name) {
			return m, fmt.Errorf("the call %+v", c)
		}
		if err := json.Unmarshal([]byte(c.Function.Arguments), &arguments); err != nil || arguments == nil {
			return m, fmt.Errorf("arguments that are no object: %q", c.Function.Arguments)
		}
	}
	switch {
	case !slices.Contains([]string{"system", "user", "assistant", "tool"}, m.role):
		return m, fmt.Errorf("role %q", m.role)
	case m.role != "assistant" && m.calls != nil, (m.role == "tool") != (m.callID != ""):
		return m, fmt.Errorf("fields of another role in a message of %s", m.role)
	}
	return m, validateContent(m)
}

func validateContent(m message) error {
	var text string
	if string(m.content) == "null" || m.content == nil {
		if m.role == "assistant" && len(m.calls) > 0 {
			return nil
		}
		return fmt.Errorf("no content")
	}
	if err := json.Unmarshal(m.content, &text); err == nil {
		if text == "" && m.role != "tool" {
			return fmt.Errorf("empty content")
		}
		return nil
	}
	if m.role != "user" {
		return fmt.Errorf("content of %s is not a string", m.role)
	}
	var parts []struct {
		Type     string  `json:"type"`
		Text     *string `json:"text"`
		ImageURL *struct {
			URL    string  `json:"url"`
			Detail *string `json:"detail"`
		} `json:"image_url"`
		File       json.RawMessage `json:"file"`
		InputAudio json.RawMessage `json:"input_audio"`
	}
	if err := strict(m.content, &parts); err != nil {
		return fmt.Errorf("content: %w", err)
	}
	if len(parts) == 0 {
		return fmt.Errorf("empty content")
	}
	for i, p := range parts {
		ok := false
		switch p.Type {
		case "text":
			ok = p.Text != nil && *p.Text != ""
		case "image_url":
			ok = p.ImageURL != nil && p.ImageURL.URL != "" &&
				(p.ImageURL.Detail == nil || slices.Contains([]string{"low", "high", "auto"}, *p.ImageURL.Detail))
		case "file":
			ok = p.File != nil
		case "input_audio":
			ok = p.InputAudio != nil
		}
		if !ok {
			return fmt.Errorf("content[%d] of type %q", i, p.Type)
		}
	}
	return nil
}
