package dialect

// TokensParam is the field that limits the output.
type TokensParam uint8

// The ways to say how many tokens an answer may have.
const (
	MaxTokens TokensParam = iota
	MaxCompletionTokens
	NoTokens
)

// ReasoningRequest is how a request asks for more or less reasoning.
type ReasoningRequest uint8

// The ways to ask for reasoning.
const (
	// ReasoningEffort is a top-level string.
	ReasoningEffort ReasoningRequest = iota
	// ReasoningObject is reasoning:{effort}.
	ReasoningObject
	// ThinkingType is thinking:{type: enabled or disabled}.
	ThinkingType
	// EnableThinking is a top-level boolean.
	EnableThinking
	// ReasoningSplit asks for the reasoning apart from the text, whatever the effort is.
	ReasoningSplit
	// NoReasoning sends nothing.
	NoReasoning
)

// ReasoningEcho is where earlier reasoning goes in a message of the assistant.
type ReasoningEcho uint8

// The fields that carry earlier reasoning.
const (
	EchoContent ReasoningEcho = iota // reasoning_content
	EchoReasoning
	EchoDetails     // reasoning_details if the details are known, else reasoning
	EchoInlineThink // a think block in front of the text
	EchoNone
)

// EchoScope says which messages carry earlier reasoning.
type EchoScope uint8

// The scopes of the echo. None of them changes a message that was sent before, so prefixes stay the same.
const (
	// EchoToolTurns covers messages with tool calls, and those behind them up to the next message of the user.
	EchoToolTurns EchoScope = iota
	EchoAll
)

// LateSystem is what becomes of system messages behind the first other message.
type LateSystem uint8

// The places for late system messages.
const (
	// Hoist moves their text into the first message.
	Hoist LateSystem = iota
	// UserTag leaves them where they are, as a tagged message of the user: the prefix never changes.
	UserTag
)

// SchemaMode is what the parameters of a tool have to look like.
type SchemaMode uint8

// The modes differ in what they do with a root that is not plainly an object.
const (
	SchemaOpen SchemaMode = iota
	// SchemaObject wraps a root that is a union or no object.
	SchemaObject
	// SchemaMoonshot does so too, and moves $ref away from its siblings.
	SchemaMoonshot
)

// ToolImage is where images in the result of a tool go.
type ToolImage uint8

// The places for images of tools.
const (
	// ImageUserMessage puts them into a message of the user behind the results.
	ImageUserMessage ToolImage = iota
	// ImageParts leaves them in the result.
	ImageParts
	// ImageDrop leaves a marker only.
	ImageDrop
)

// ResponseFormat is what the endpoint takes of structured output.
type ResponseFormat uint8

// The levels of structured output.
const (
	JSONSchema ResponseFormat = iota
	JSONObject
	NoFormat
)

// Think is where a think block in the text is recognised.
type Think uint8

// The places of think blocks.
const (
	// ThinkLeading takes a block at the very beginning of the answer.
	ThinkLeading Think = iota
	// ThinkOpen also takes text up to a closing tag that has no opening one.
	ThinkOpen
	// ThinkAnywhere takes blocks later in the text too.
	ThinkAnywhere
)

// Dialect describes an endpoint. The zero value is the strictest that can be said of all of them; Default is the
// one to start from.
type Dialect struct {
	Name string

	Tokens TokensParam
	// IncludeUsage sends stream_options.include_usage.
	IncludeUsage bool

	Reasoning ReasoningRequest
	// Efforts translates the effort's name; what is not in it goes as it is.
	Efforts map[string]string
	Echo    ReasoningEcho
	Scope   EchoScope
	// Placeholder is the reasoning of a message with tool calls that has none; "" sends none.
	Placeholder string
	Think       Think

	System LateSystem
	// Send are the optional fields that the endpoint is known to take.
	Send Fields

	Schema SchemaMode
	// MaxTools limits the tools of a request, 0 for no limit.
	MaxTools int
	// MaxDescription limits a tool's description in bytes, 0 for no limit.
	MaxDescription int
	// StrictIDs rewrites call ids that are long or have unusual characters.
	StrictIDs bool
	// NoRequiredChoice turns tool_choice "required" into "auto".
	NoRequiredChoice bool
	// PlainArguments takes every piece of arguments as it is, and none as a repetition of those before it.
	PlainArguments bool
	// StripFences removes a code fence around the whole input of a freeform tool.
	StripFences bool

	ToolImage ToolImage
	// NoVision puts a marker in the place of images.
	NoVision bool
	// NoFiles puts a marker in the place of files.
	NoFiles bool
	Format  ResponseFormat
}

// Fields is a set of optional request fields.
type Fields uint32

// The fields that a request works without.
const (
	StreamOptions Fields = 1 << iota
	ParallelToolCalls
	Effort // reasoning_effort, reasoning, thinking, enable_thinking or reasoning_split
	Verbosity
	Store
	Metadata
	User
	ServiceTier
	PromptCacheKey
	StrictTools
	ResponseFormatField
	Temperature
	TopP
	Stop
	Seed
	FrequencyPenalty
	PresencePenalty
	LogitBias
	ToolChoice
	OutputLimit // max_tokens or max_completion_tokens
	ReasoningEchoField
)

// Has reports whether all of want are in the set.
func (f Fields) Has(want Fields) bool { return f&want == want }
