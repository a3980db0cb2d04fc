package launch

import "encoding/json"

// EventKind is the kind of an event. The set is closed.
type EventKind string

// The kinds of event.
const (
	Text              EventKind = "text"               // a piece of the answer
	Reasoning         EventKind = "reasoning"          // a piece of what the model thinks
	ToolStart         EventKind = "tool_start"         // a tool is about to run
	ToolUpdate        EventKind = "tool_update"        // more is known of a tool that runs
	ToolEnd           EventKind = "tool_end"           // a tool has run, or was refused
	PermissionRequest EventKind = "permission_request" // the client asked, and this was answered
	Asked             EventKind = "question"           // the client asked a question, which was answered or not
	Plan              EventKind = "plan"               // what the agent means to do, whole
	Usage             EventKind = "usage"              // tokens, as far as the client tells
	Model             EventKind = "model"              // the model that answers from now on
	Replaced          EventKind = "replaced"           // the client could not go on with the conversation: the turn is in a new one
	Changed           EventKind = "changed"            // the client was started again, and is not set up as it was
	End               EventKind = "end"                // the turn has ended: always the last event, unless it is Error
	Error             EventKind = "error"              // the turn has failed: always the last event
)

// Event is something that happened in a turn.
type Event struct {
	Kind EventKind `json:"kind"`
	// Text is the piece of Text and Reasoning.
	Text string `json:"text,omitempty"`
	// Tool is of the tool kinds and of PermissionRequest.
	Tool *Tool `json:"tool,omitempty"`
	// Answer is how a PermissionRequest was answered.
	Answer Answer `json:"answer,omitempty"`
	// Question is that of Asked, and Answered says whether somebody did. What the answer was stands in no event.
	Question *Question `json:"question,omitempty"`
	Answered bool      `json:"answered,omitempty"`
	// Steps are those of a Plan.
	Steps []Step  `json:"steps,omitempty"`
	Usage *Tokens `json:"usage,omitempty"`
	Model string  `json:"model,omitempty"`
	// Changes are those of Changed.
	Changes []Change `json:"changes,omitempty"`
	// Conversation is the new one of Replaced.
	Conversation *Conversation `json:"conversation,omitempty"`
	// Reason is why the turn ended.
	Reason EndReason `json:"reason,omitempty"`
	// Err is the error of an Error event; its code and text are in the JSON.
	Err error `json:"-"`
	// Raw is the client's own message, nil when the event was made here.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// EndReason is why a turn ended.
type EndReason string

// The reasons.
const (
	Finished  EndReason = "finished"  // the model had no more to say
	Cancelled EndReason = "cancelled" // the host cancelled it
	Refused   EndReason = "refused"   // the model refused to go on
	Limit     EndReason = "limit"     // a limit of tokens or of requests was reached
)

// Tool is a tool call as far as it is known.
type Tool struct {
	ID     string `json:"id"`
	Title  string `json:"title,omitempty"` // for people, e.g. the command line
	Kind   string `json:"kind,omitempty"`  // as the client calls it, e.g. "execute", "edit"
	Status Status `json:"status,omitempty"`
	Output string `json:"output,omitempty"` // the text of the result, where the client tells it
}

// Status is how far a tool call is.
type Status string

// The states of a tool call.
const (
	Pending   Status = "pending"
	Running   Status = "running"
	Completed Status = "completed"
	Failed    Status = "failed"
)

// Step is one entry of a plan.
type Step struct {
	Text   string `json:"text"`
	Status Status `json:"status"`
}

// Tokens counts what a turn or a conversation has used. Zero is unknown.
type Tokens struct {
	Input   int64 `json:"input,omitempty"`
	Cached  int64 `json:"cached,omitempty"` // of Input
	Output  int64 `json:"output,omitempty"`
	Context int64 `json:"context,omitempty"` // how much of the window is filled
	Window  int64 `json:"window,omitempty"`
}

// MarshalJSON adds code, text and hint of an error.
func (e Event) MarshalJSON() ([]byte, error) {
	type plain Event
	return json.Marshal(struct {
		plain
		Error *errorView `json:"error,omitempty"`
	}{plain(e), viewOf(e.Err)})
}
