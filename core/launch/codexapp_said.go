package launch

import (
	"encoding/json"
	"strings"

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// appSaid is what is read of a message of an app server about a turn.
type appSaid struct {
	ThreadID string  `json:"threadId"`
	Delta    string  `json:"delta"`
	Item     appItem `json:"item"`
	Turn     struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Error  *struct {
			Message string          `json:"message"`
			Info    json.RawMessage `json:"codexErrorInfo"`
		} `json:"error"`
	} `json:"turn"`
	TokenUsage struct {
		Last struct {
			Input  int64 `json:"inputTokens"`
			Cached int64 `json:"cachedInputTokens"`
			Output int64 `json:"outputTokens"`
			Total  int64 `json:"totalTokens"`
		} `json:"last"`
		Window int64 `json:"modelContextWindow"`
	} `json:"tokenUsage"`
	Plan []struct {
		Step   string `json:"step"`
		Status string `json:"status"`
	} `json:"plan"`
	// Of a server of MCP.
	Name   string `json:"name"`
	Status string `json:"status"`
	// Settings are those of a conversation from now on.
	Settings appSettings `json:"threadSettings"`
}

// appItem is something that an agent does.
type appItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Status  string `json:"status"`
	Command string `json:"command"`
	Server  string `json:"server"`
	Tool    string `json:"tool"`
	Query   string `json:"query"`
	Output  string `json:"aggregatedOutput"`
	Changes []struct {
		Path string `json:"path"`
	} `json:"changes"`
}

// appKinds are the items that are tools, by what other clients call them.
var appKinds = map[string]string{
	"commandExecution": "execute", "fileChange": "edit", "mcpToolCall": "other", "dynamicToolCall": "other", "webSearch": "fetch",
	"imageView": "read", "collabAgentToolCall": "other",
}

var appStatus = map[string]Status{"inProgress": Running, "pending": Pending, "completed": Completed, "failed": Failed, "declined": Failed}

func (i appItem) tool(end bool) *Tool {
	t := &Tool{ID: i.ID, Kind: appKinds[i.Type], Title: i.Command, Output: i.Output, Status: appStatus[i.Status]}
	switch {
	case len(i.Changes) > 0:
		paths := make([]string, len(i.Changes))
		for k, c := range i.Changes {
			paths[k] = c.Path
		}
		t.Title = strings.Join(paths, ", ")
	case i.Tool != "":
		t.Title = strings.Trim(i.Server+"/"+i.Tool, "/")
	case i.Query != "":
		t.Title = i.Query
	}
	if t.Status == "" {
		t.Status = Running
		if end {
			t.Status = Completed
		}
	}
	return t
}

// event is what a notification says of a turn, if it is one that hosts are told of.
func (s appSaid) event(method string) (Event, bool) {
	_, tool := appKinds[s.Item.Type]
	switch {
	case method == "item/agentMessage/delta":
		return Event{Kind: Text, Text: s.Delta}, true
	case method == "item/reasoning/textDelta", method == "item/reasoning/summaryTextDelta":
		return Event{Kind: Reasoning, Text: s.Delta}, true
	case method == "item/started" && tool:
		return Event{Kind: ToolStart, Tool: s.Item.tool(false)}, true
	case method == "item/completed" && tool:
		return Event{Kind: ToolEnd, Tool: s.Item.tool(true)}, true
	case method == "thread/tokenUsage/updated":
		last := s.TokenUsage.Last
		return Event{Kind: Usage, Usage: &Tokens{Input: last.Input, Cached: last.Cached, Output: last.Output, Context: last.Total, Window: s.TokenUsage.Window}}, true
	case method == "turn/plan/updated":
		e := Event{Kind: Plan}
		for _, p := range s.Plan {
			step := Step{Text: p.Step, Status: appStatus[p.Status]}
			if step.Status == "" {
				step.Status = Pending
			}
			e.Steps = append(e.Steps, step)
		}
		return e, true
	}
	return Event{}, false
}

// outcome is how a turn ended.
func (s appSaid) outcome() (EndReason, error) {
	switch s.Turn.Status {
	case "completed":
		return Finished, nil
	case "interrupted":
		return Cancelled, nil
	}
	e := &jsonrpc.Error{Message: "the turn " + s.Turn.Status}
	if failed := s.Turn.Error; failed != nil {
		e.Message = wordsOf(failed.Message)
		// The class is not told for every way in which an endpoint refuses.
		says := func(status string) bool {
			return strings.Contains(string(failed.Info), `"httpStatusCode":`+status) || strings.Contains(failed.Message, "unexpected status "+status)
		}
		switch {
		case string(failed.Info) == `"unauthorized"` || says("401"):
			e.Code = authRequired
		case says("403"):
			e.Code = forbidden
		}
	}
	return "", e
}

// wordsOf are the words of a message that may hold the whole answer of an endpoint.
func wordsOf(message string) string {
	var answer struct {
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(message), &answer) == nil && answer.Error.Message != "" {
		return answer.Error.Message
	}
	return message
}
