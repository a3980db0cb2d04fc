package translate

import (
	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// Options say how to translate for one route. They are read only and may be shared by requests.
type Options struct {
	Dialect dialect.Dialect
	// Omit are optional fields that the upstream refused before.
	Omit dialect.Fields
	// Strict refuses unknown declarations and items that would be left out otherwise.
	Strict bool
	// DropHostedHistory leaves out calls of hosted tools that carry no output. Without it they are an error.
	DropHostedHistory bool
	// Model is the model's name for the upstream; "" is the one of the request.
	Model string
	// DefaultMaxOutputTokens limits the output if the request does not; 0 is no limit.
	DefaultMaxOutputTokens int
	// SealKey authenticates reasoning state that travels through the client. nil turns that off.
	SealKey []byte
	// PromoteReasoning makes text of the reasoning if an answer holds nothing else, instead of failing.
	PromoteReasoning bool
	// NewID gives at least 22 random characters of [A-Za-z0-9_-].
	NewID func() string
	// Redact gives a filter for one text of the answer; nil is none.
	Redact func() Filter
	// RedactText cleans a whole text, such as an error message; nil is none.
	RedactText func(string) string
}

// Filter cleans a text that comes in pieces.
type Filter interface {
	// Append writes what is certain of the pieces so far to dst and holds the rest back.
	Append(dst, text []byte) []byte
	// Flush writes what was held back; the text is over.
	Flush(dst []byte) []byte
}

// Report says what a request was made of. It holds no content.
type Report struct {
	// Items counts the input items by type; unknown types count as "unknown".
	Items map[string]int
	// Messages is the number of messages sent, ToolsKept that of the tools.
	Messages, ToolsKept int
	// ToolsFiltered are the types of the tools that were left out.
	ToolsFiltered []string
	// Repairs counts what had to be changed, by the names below.
	Repairs map[string]int
}

// Names of the repairs of a request.
const (
	RepairOrphanCall      = "orphan_call"
	RepairOrphanOutput    = "orphan_output"
	RepairDuplicateCallID = "duplicate_call_id"
	RepairDuplicateOutput = "duplicate_output"
	RepairArguments       = "arguments"
	RepairCallID          = "call_id"
	RepairNamelessCall    = "nameless_call"
	RepairEmptyMessage    = "empty_message"
	RepairUnknownPart     = "unknown_part"
	RepairUnknownItem     = "unknown_item"
	RepairHostedCall      = "hosted_call"
	RepairForeignState    = "foreign_reasoning_state"
	RepairMedia           = "media_omitted"
	RepairDuplicateTool   = "duplicate_tool"
	RepairSchema          = "schema"
	RepairToolLimit       = "tool_limit"
)

// Context is what the translation of the answer needs to know of the request. It does not keep the request's body
// alive unless the answer is a whole object.
type Context struct {
	// Model is the model's name as the client gave it.
	Model  string
	Stream bool
	// Sent are the optional fields in the body.
	Sent   dialect.Fields
	Report Report

	tools   registry
	echo    echo
	seal    bool
	summary bool
	bytes   int
}

// echo are the fields of the request that a response object repeats.
type echo struct {
	effort, summary                                    string
	temperature, topP, maxTokens, parallel             string
	instructions, tools, toolChoice, text, user, extra responses.Raw
}

func (r *Report) repair(name string) {
	if r.Repairs == nil {
		r.Repairs = make(map[string]int)
	}
	r.Repairs[name]++
}
