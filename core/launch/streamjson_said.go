package launch

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// streamSaid is what is read of a message of a stream about a turn.
type streamSaid struct {
	Subtype string `json:"subtype"`
	// Of the message that a turn begins with. The mode of permissions is told whenever it changes, too.
	Model   string   `json:"model"`
	Mode    string   `json:"permissionMode"`
	Tools   []string `json:"tools"`
	Servers []struct {
		Name   string `json:"name"`
		Status string `json:"status"`
	} `json:"mcp_servers"`
	// Parent is the call of the helper of the agent's that says this.
	Parent string `json:"parent_tool_use_id"`
	// Error is the class of a failure that is told in the place of an answer.
	Error   string        `json:"error"`
	Message streamMessage `json:"message"`
	Event   struct {
		Type    string        `json:"type"`
		Message streamMessage `json:"message"`
		Delta   struct {
			Text     string `json:"text"`
			Thinking string `json:"thinking"`
		} `json:"delta"`
		Usage streamUsage `json:"usage"`
	} `json:"event"`

	// Of the end of a turn.
	IsError bool     `json:"is_error"`
	Status  int      `json:"api_error_status"`
	Result  string   `json:"result"`
	Errors  []string `json:"errors"`
	Stop    string   `json:"stop_reason"`
	Origin  struct {
		Kind string `json:"kind"`
	} `json:"origin"`
	refused    bool        // an answer of the turn has said that the credential is
	Usage      streamUsage `json:"usage"`
	ModelUsage map[string]struct {
		Window int64 `json:"contextWindow"`
	} `json:"modelUsage"`
}

type streamMessage struct {
	ID      string        `json:"id"`
	Content streamContent `json:"content"`
	Usage   streamUsage   `json:"usage"`
}

type streamUsage struct {
	Input   int64 `json:"input_tokens"`
	Created int64 `json:"cache_creation_input_tokens"`
	Cached  int64 `json:"cache_read_input_tokens"`
	Output  int64 `json:"output_tokens"`
}

// streamContent is content that may also be a text alone.
type streamContent []streamBlock

func (c *streamContent) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		var text string
		err := json.Unmarshal(b, &text)
		*c = streamContent{{Type: "text", Text: text}}
		return err
	}
	return json.Unmarshal(b, (*[]streamBlock)(c))
}

func (c streamContent) text() string {
	var parts []string
	for _, b := range c {
		if b.Type == "text" {
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, "\n")
}

type streamBlock struct {
	Type     string          `json:"type"`
	Text     string          `json:"text"`
	Thinking string          `json:"thinking"`
	ID       string          `json:"id"`
	Name     string          `json:"name"`
	Input    json.RawMessage `json:"input"`
	Call     string          `json:"tool_use_id"`
	Content  streamContent   `json:"content"`
	IsError  bool            `json:"is_error"`
}

// streamKinds are the tools of the client, by what other clients call them.
var streamKinds = map[string]string{
	"Bash": "execute", "BashOutput": "read", "KillShell": "other", "Edit": "edit", "Write": "edit", "MultiEdit": "edit", "NotebookEdit": "edit",
	"Read": "read", "Skill": "read", "Glob": "search", "Grep": "search", "WebFetch": "fetch", "WebSearch": "fetch",
}

// streamTool is a tool call, with what of its input says best what it does.
func streamTool(id, name string, input json.RawMessage) Tool {
	t := Tool{ID: id, Kind: streamKinds[name], Title: name, Status: Running}
	if t.Kind == "" {
		t.Kind = "other"
	}
	var fields map[string]any
	if json.Unmarshal(input, &fields) != nil {
		return t
	}
	if name == streamQuestion {
		t.Title = "asks a question"
		return t
	}
	for _, key := range []string{"command", "file_path", "notebook_path", "pattern", "url", "query", "skill", "description"} {
		if text, ok := fields[key].(string); ok && text != "" {
			t.Title = text
			break
		}
	}
	return t
}

// Message implements control.Handler: it turns what the client tells of a turn into events.
func (s *streamClient) Message(kind string, raw json.RawMessage) {
	s.mu.Lock()
	t := s.now
	s.mu.Unlock()
	if t == nil && kind != "system" {
		return
	}
	var m streamSaid
	if err := json.Unmarshal(raw, &m); err != nil {
		s.log.Debug("a message is malformed", "error", err.Error())
		return
	}
	if kind == "system" {
		s.tell(m.setup())
	}
	if t == nil {
		return
	}
	if m.Parent != "" {
		return // of a helper of the agent's
	}
	switch kind {
	case "system":
		if m.Subtype == "init" && m.Model != "" {
			t.model = m.Model
			s.emit(Event{Kind: Model, Model: m.Model, Raw: raw})
		}
	case "stream_event":
		s.piece(t, m, raw)
	case "assistant":
		s.whole(t, m, raw)
	case "user":
		for _, b := range m.Message.Content {
			if b.Type != "tool_result" {
				continue
			}
			end := t.tools[b.Call]
			end.ID, end.Status, end.Output = b.Call, Completed, b.Content.text()
			if b.IsError {
				end.Status = Failed
			}
			s.emit(Event{Kind: ToolEnd, Tool: &end, Raw: raw})
		}
	case "result":
		s.result(t, m, raw)
	}
}

// setup is how the client says that it is set up.
func (m streamSaid) setup() (said setup) {
	if m.Mode != "" {
		said.options = map[string]string{streamMode: m.Mode}
	}
	if m.Subtype == "init" {
		said.tools, said.servers = m.Tools, map[string]string{}
		for _, server := range m.Servers {
			said.servers[server.Name] = server.Status
		}
	}
	return said
}

// piece tells of a message that comes in pieces.
func (s *streamClient) piece(t *streamTurn, m streamSaid, raw json.RawMessage) {
	switch m.Event.Type {
	case "message_start":
		t.streamed, t.fill = m.Event.Message.ID, m.Event.Message.Usage.tokens()
	case "message_delta":
		t.fill.Output = m.Event.Usage.Output
	case "content_block_delta":
		if text := m.Event.Delta.Text; text != "" {
			s.emit(Event{Kind: Text, Text: text, Raw: raw})
		}
		if text := m.Event.Delta.Thinking; text != "" {
			s.emit(Event{Kind: Reasoning, Text: text, Raw: raw})
		}
	}
}

// whole tells of a part of a message that is whole. Its text was told before, unless the client made it itself.
func (s *streamClient) whole(t *streamTurn, m streamSaid, raw json.RawMessage) {
	t.refused = t.refused || m.Error == "authentication_failed"
	for _, b := range m.Message.Content {
		switch {
		case b.Type == "tool_use":
			tool := streamTool(b.ID, b.Name, b.Input)
			t.tools[b.ID] = tool
			s.emit(Event{Kind: ToolStart, Tool: &tool, Raw: raw})
		case m.Message.ID == t.streamed || m.Error != "":
		case b.Type == "text" && b.Text != "":
			s.emit(Event{Kind: Text, Text: b.Text, Raw: raw})
		case b.Type == "thinking" && b.Thinking != "":
			s.emit(Event{Kind: Reasoning, Text: b.Thinking, Raw: raw})
		}
	}
}

func (u streamUsage) tokens() Tokens {
	return Tokens{Input: u.Input + u.Created + u.Cached, Cached: u.Cached, Output: u.Output}
}

// result tells of the end of a turn. One that the client began by itself, as when a command in the background has ended,
// is none of ours.
func (s *streamClient) result(t *streamTurn, m streamSaid, raw json.RawMessage) {
	if m.Origin.Kind != "" && m.Origin.Kind != "human" {
		return
	}
	if used := m.Usage.tokens(); used.Input+used.Output > 0 {
		used.Context, used.Window = t.fill.Input+t.fill.Output, m.ModelUsage[t.model].Window
		s.emit(Event{Kind: Usage, Usage: &used, Raw: raw})
	}
	m.refused = t.refused
	select {
	case t.ended <- m:
	default:
	}
}

// outcome is how a turn ended.
func (m streamSaid) outcome() (EndReason, error) {
	if !m.IsError && m.Subtype == "success" {
		switch m.Stop {
		case "refusal":
			return Refused, nil
		case "max_tokens", "model_context_window_exceeded":
			return Limit, nil
		}
		return Finished, nil
	}
	if m.Subtype == "error_max_turns" || m.Subtype == "error_max_budget_usd" {
		return Limit, nil
	}
	words := strings.Join(append(m.Errors, m.Result), "; ")
	if words = strings.Trim(words, "; "); words == "" {
		words = "the turn ended with " + m.Subtype
	}
	e := &jsonrpc.Error{Message: words}
	switch {
	case m.refused || m.Status == 401:
		e.Code = authRequired
	case m.Status == 403:
		e.Code = forbidden
	}
	return "", e
}
