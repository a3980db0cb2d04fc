package launch

import (
	"context"
	"encoding/json"
	"strings"
)

// streamAsks is a request for permission.
type streamAsks struct {
	ToolUseID   string           `json:"tool_use_id"`
	Name        string           `json:"tool_name"`
	Input       json.RawMessage  `json:"input"`
	Suggestions []map[string]any `json:"permission_suggestions"`
}

// always are the changes of permissions by which the client would not ask again for this kind of request. They hold for
// the session and stand in no file. A change of the mode, which allows more, counts only where there is no rule.
func (q streamAsks) always() (changes []map[string]any) {
	for _, kind := range []string{"addRules", "setMode"} {
		for _, change := range q.Suggestions {
			if change["type"] == kind && (kind == "addRules" || change["mode"] == "acceptEdits") {
				change["destination"] = "session"
				changes = append(changes, change)
			}
		}
		if len(changes) > 0 {
			break
		}
	}
	return changes
}

// streamQuestion is the tool by which the agent asks a person.
const streamQuestion = "AskUserQuestion"

// question puts the questions of the agent's. The answers go back in what the tool is called with, by the text of each.
func (s *streamClient) question(ctx context.Context, q streamAsks, raw json.RawMessage) any {
	none := map[string]any{"behavior": "deny", "message": "nobody is there to answer; go on without an answer", "interrupt": false}
	var input map[string]any
	var form struct {
		Questions []struct {
			Question string `json:"question"`
			Many     bool   `json:"multiSelect"`
			Options  []struct {
				Label string `json:"label"`
			} `json:"options"`
		} `json:"questions"`
	}
	if json.Unmarshal(q.Input, &input) != nil || json.Unmarshal(q.Input, &form) != nil || len(form.Questions) == 0 {
		return none
	}
	ask := Question{Raw: raw}
	for _, f := range form.Questions {
		field := Field{ID: f.Question, Text: f.Question, Many: f.Many, Other: true}
		for _, o := range f.Options {
			field.Options = append(field.Options, o.Label)
		}
		ask.Fields = append(ask.Fields, field)
	}
	reply, ok := s.ask(ctx, ask)
	if !ok {
		return none
	}
	answers := map[string]any{}
	for id, list := range reply {
		answers[id] = strings.Join(list, ", ")
	}
	input["answers"] = answers
	return map[string]any{"behavior": "allow", "updatedInput": input}
}
