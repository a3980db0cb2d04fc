package launch

import (
	"context"
	"encoding/json"
	"path"
)

// ownWay answers what clients ask by methods of their own, whose names end alike: nil for anything else. Such a client waits
// for ever where it is told that there is no such method. A question has a form that is nobody's standard: the host sees
// that it was asked, and the agent is told that it is passed over. To go on with a plan is a permission.
func (a *agentClient) ownWay(ctx context.Context, method string, params json.RawMessage) any {
	outcome := func(what string) any { return map[string]any{"outcome": map[string]any{"outcome": what}} }
	var asks struct {
		ID      string `json:"toolCallId"`
		Title   string `json:"title"`
		Name    string `json:"name"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(params, &asks) // what is not there is not shown
	switch path.Base(method) {
	case "ask_question":
		title := asks.Title
		if title == "" {
			title = asks.Message
		}
		a.emit(Event{Kind: Asked, Question: &Question{Text: title, Raw: params}, Raw: params})
		return outcome("skipped")
	case "create_plan":
		title := asks.Title
		if title == "" {
			title = asks.Name
		}
		r := Request{Tool: Tool{ID: asks.ID, Title: title, Kind: "other", Status: Pending}, Offers: []Answer{AllowOnce}, Raw: params}
		switch a.permit(ctx, r, params) {
		case AllowOnce:
			return outcome("accepted")
		case CancelTurn:
			return outcome("cancelled")
		}
		return outcome("rejected")
	}
	return nil
}
