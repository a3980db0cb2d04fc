package launch

import (
	"bytes"
	"encoding/json"
)

// The options that turns take, by the client's names for them.
const (
	appEffort   = "effort"         // how much the model thinks
	appApproval = "approvalPolicy" // what the client asks permission for
	appSandbox  = "sandboxPolicy"  // what commands may reach
)

// appSettings are what the client says of a conversation from now on.
type appSettings struct {
	Model    string          `json:"model"`
	Effort   json.RawMessage `json:"effort"`
	Approval json.RawMessage `json:"approvalPolicy"`
	Sandbox  json.RawMessage `json:"sandboxPolicy"`
}

// options are those of the settings as texts: a text itself, and anything else as the JSON that it is.
func (s appSettings) options() map[string]string {
	options := map[string]string{}
	for name, value := range map[string]json.RawMessage{appEffort: s.Effort, appApproval: s.Approval, appSandbox: s.Sandbox} {
		var text string
		var line bytes.Buffer
		switch {
		case len(value) == 0 || string(value) == "null":
		case json.Unmarshal(value, &text) == nil:
			options[name] = text
		case json.Compact(&line, value) == nil:
			options[name] = line.String()
		}
	}
	return options
}

// appValue is an option as the client takes it.
func appValue(text string) any {
	if len(text) > 0 && text[0] == '{' && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return text
}
