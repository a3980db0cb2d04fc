package launch

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// decisions are the client's words for our answers. What is allowed for ever stands in no file: it holds for the session.
var decisions = map[Answer]string{Deny: "decline", AllowOnce: "accept", AllowAlways: "acceptForSession", CancelTurn: "cancel"}

// Request implements jsonrpc.Handler. What we did not offer is not there, and the client takes that for a refusal.
func (a *appClient) Request(ctx context.Context, method string, params json.RawMessage) (any, error) {
	var q appAsks
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "malformed"}
	}
	a.mu.Lock()
	ours := q.ThreadID == a.thread
	a.mu.Unlock()
	switch method {
	case "item/commandExecution/requestApproval", "item/fileChange/requestApproval":
		kind := appKinds[strings.Split(method, "/")[1]]
		return map[string]any{"decision": decisions[a.decide(ctx, q, kind, q.Command, params)]}, nil
	case "item/permissions/requestApproval":
		return a.widen(ctx, q, params), nil
	case "item/tool/requestUserInput":
		return a.input(ctx, q, params), nil
	case "mcpServer/elicitation/request":
		switch {
		case q.Meta.Kind == "mcp_tool_call":
			return a.useServer(ctx, q, params), nil
		case !ours:
			return map[string]any{"action": "decline"}, nil
		}
		return a.elicit(ctx, params), nil
	}
	return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "method not found"}
}

// appAsks is what is read of a request of an app server.
type appAsks struct {
	ThreadID    string          `json:"threadId"`
	ItemID      string          `json:"itemId"`
	Command     string          `json:"command"`
	Reason      string          `json:"reason"`
	Permissions json.RawMessage `json:"permissions"`
	Server      string          `json:"serverName"`
	Message     string          `json:"message"`
	Meta        struct {
		Kind    string          `json:"codex_approval_kind"`
		Persist json.RawMessage `json:"persist"`
	} `json:"_meta"`
	Questions []struct {
		ID       string `json:"id"`
		Header   string `json:"header"`
		Question string `json:"question"`
		Other    bool   `json:"isOther"`
		Secret   bool   `json:"isSecret"`
		Options  []struct {
			Label string `json:"label"`
		} `json:"options"`
	} `json:"questions"`
}

// decide asks for permission for a tool.
func (a *appClient) decide(ctx context.Context, q appAsks, kind, title string, raw json.RawMessage) Answer {
	if title == "" {
		title = q.Reason
	}
	tool := Tool{ID: q.ItemID, Title: title, Kind: kind, Status: Pending}
	return a.permit(ctx, Request{Tool: tool, Offers: []Answer{AllowOnce, AllowAlways}, Raw: raw}, raw)
}

// widen answers a request for more than the sandbox gives. Nothing of it is granted beyond the session.
func (a *appClient) widen(ctx context.Context, q appAsks, raw json.RawMessage) any {
	switch a.decide(ctx, q, "other", "", raw) {
	case AllowOnce:
		return map[string]any{"permissions": q.Permissions, "scope": "turn"}
	case AllowAlways:
		return map[string]any{"permissions": q.Permissions, "scope": "session"}
	}
	return map[string]any{"permissions": map[string]any{}}
}

// useServer answers whether a tool of an MCP server may be called, which the client asks in the form of a question of that
// server's.
func (a *appClient) useServer(ctx context.Context, q appAsks, raw json.RawMessage) any {
	answer := map[string]any{"action": "accept", "content": map[string]any{}}
	switch a.decide(ctx, q, "other", strings.TrimSpace(q.Server+": "+q.Message), raw) {
	case AllowOnce:
	case AllowAlways:
		if strings.Contains(string(q.Meta.Persist), `"session"`) {
			answer["_meta"] = map[string]any{"persist": "session"}
		}
	case CancelTurn:
		return map[string]any{"action": "cancel"}
	default:
		return map[string]any{"action": "decline"}
	}
	return answer
}

// input puts the questions of the agent's.
func (a *appClient) input(ctx context.Context, q appAsks, raw json.RawMessage) any {
	ask := Question{Raw: raw}
	for _, f := range q.Questions {
		field := Field{ID: f.ID, Text: f.Question, Other: f.Other, Secret: f.Secret}
		for _, o := range f.Options {
			field.Options = append(field.Options, o.Label)
		}
		ask.Fields = append(ask.Fields, field)
	}
	answers := map[string]any{}
	reply, _ := a.ask(ctx, ask)
	for id, list := range reply {
		answers[id] = map[string]any{"answers": list}
	}
	return map[string]any{"answers": answers}
}
