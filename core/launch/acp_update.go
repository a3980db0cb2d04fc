package launch

import (
	"encoding/json"
	"strings"

	"github.com/coder/acp-go-sdk"
)

// Notify implements jsonrpc.Handler: it turns what the client tells of a turn into events.
func (a *agentClient) Notify(method string, params json.RawMessage) {
	if method != acp.ClientMethodSessionUpdate {
		return
	}
	var n acp.SessionNotification
	if err := json.Unmarshal(params, &n); err != nil {
		a.log.Debug("an update is malformed", "error", err.Error())
		return
	}
	u := n.Update
	switch {
	case u.AgentMessageChunk != nil:
		a.text(Text, u.AgentMessageChunk.Content, params)
	case u.AgentThoughtChunk != nil:
		a.text(Reasoning, u.AgentThoughtChunk.Content, params)
	case u.ToolCall != nil:
		t := u.ToolCall
		a.tool(Tool{ID: string(t.ToolCallId), Title: t.Title, Kind: string(t.Kind), Status: statusOf(t.Status), Output: output(t.Content)}, params)
	case u.ToolCallUpdate != nil:
		t := u.ToolCallUpdate
		a.tool(toolOf(acp.ToolCallUpdate{ToolCallId: t.ToolCallId, Title: t.Title, Kind: t.Kind, Status: t.Status, Content: t.Content}), params)
	case u.Plan != nil:
		e := Event{Kind: Plan, Raw: params}
		for _, s := range u.Plan.Entries {
			e.Steps = append(e.Steps, Step{Text: s.Content, Status: stepStatus(s.Status)})
		}
		a.emit(e)
	case u.ConfigOptionUpdate != nil:
		talk := a.configured(u.ConfigOptionUpdate.ConfigOptions)
		a.tell(setup{options: talk.Options})
		if talk.Model != "" {
			a.emit(Event{Kind: Model, Model: talk.Model, Raw: params})
		}
	case u.CurrentModeUpdate != nil:
		a.tell(setup{options: map[string]string{acpMode: string(u.CurrentModeUpdate.CurrentModeId)}})
	case u.UsageUpdate != nil:
		a.emit(Event{Kind: Usage, Usage: &Tokens{Context: int64(u.UsageUpdate.Used), Window: int64(u.UsageUpdate.Size)}, Raw: params})
	}
}

func (a *agentClient) text(kind EventKind, c acp.ContentBlock, raw json.RawMessage) {
	if c.Text != nil && c.Text.Text != "" {
		a.emit(Event{Kind: kind, Text: c.Text.Text, Raw: raw})
	}
}

// tool tells of a tool call. The first mention of it is its start, whatever the client calls it, and nothing comes behind
// its end.
func (a *agentClient) tool(t Tool, raw json.RawMessage) {
	a.mu.Lock()
	before, known := a.tools[t.ID]
	a.mu.Unlock()
	over := func(s Status) bool { return s == Completed || s == Failed }
	if known && over(before.Status) {
		return
	}
	t = a.merge(t)
	kind := ToolUpdate
	if !known {
		kind = ToolStart
		if over(t.Status) {
			begun := t
			begun.Status, begun.Output = Pending, ""
			a.emit(Event{Kind: ToolStart, Tool: &begun, Raw: raw})
		}
	}
	if over(t.Status) {
		kind = ToolEnd
	}
	a.emit(Event{Kind: kind, Tool: &t, Raw: raw})
}

// merge adds what is told of a tool call to what is known of it.
func (a *agentClient) merge(t Tool) Tool {
	t = a.with(t)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.tools[t.ID] = t
	return t
}

// with is what is told of a tool call, and what else is known of it.
func (a *agentClient) with(t Tool) Tool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.tools[t.ID]; ok {
		for _, f := range []struct{ now, before *string }{{&t.Title, &known.Title}, {&t.Kind, &known.Kind}, {&t.Output, &known.Output}} {
			if *f.now == "" {
				*f.now = *f.before
			}
		}
		if t.Status == "" {
			t.Status = known.Status
		}
	}
	if t.Status == "" {
		t.Status = Pending
	}
	return t
}

func toolOf(t acp.ToolCallUpdate) Tool {
	tool := Tool{ID: string(t.ToolCallId), Output: output(t.Content)}
	if t.Title != nil {
		tool.Title = *t.Title
	}
	if t.Kind != nil {
		tool.Kind = string(*t.Kind)
	}
	if t.Status != nil {
		tool.Status = statusOf(*t.Status)
	}
	return tool
}

// output is the text of a result, of which the client sends the whole each time.
func output(content []acp.ToolCallContent) string {
	var parts []string
	for _, c := range content {
		if c.Content != nil && c.Content.Content.Text != nil {
			parts = append(parts, c.Content.Content.Text.Text)
		}
	}
	return strings.Join(parts, "\n")
}

func statusOf(s acp.ToolCallStatus) Status {
	switch s {
	case acp.ToolCallStatusInProgress:
		return Running
	case acp.ToolCallStatusCompleted:
		return Completed
	case acp.ToolCallStatusFailed:
		return Failed
	}
	return Pending
}

func stepStatus(s acp.PlanEntryStatus) Status {
	switch s {
	case acp.PlanEntryStatusInProgress:
		return Running
	case acp.PlanEntryStatusCompleted:
		return Completed
	}
	return Pending
}
