package responses

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
)

// Raw is a value as the JSON text it came in; nil when the field is absent.
type Raw = json.RawMessage

// Request is a request for a response. It shares memory with the body it was parsed from.
type Request struct {
	Model  string
	Stream bool
	// Size is the number of bytes of the body.
	Size int

	Instructions, Input                  Raw
	Tools, ToolChoice, ParallelToolCalls Raw
	Reasoning, Text                      Raw
	MaxOutputTokens, Temperature, TopP   Raw
	// Store, ServiceTier, PromptCacheKey, User and Metadata reach only upstreams that are known to take them.
	Store, ServiceTier, PromptCacheKey, User, Metadata Raw
	// Stop, Seed and so on are no fields of the Responses API, but of many clients that speak it.
	Stop, Seed, FrequencyPenalty, PresencePenalty, LogitBias Raw

	// EncryptedReasoning says that include asks for reasoning.encrypted_content.
	EncryptedReasoning bool
	// Ignored names the fields that have no effect, in the order of the body.
	Ignored []string
}

// ParseRequest reads a body. What would change the meaning of the request if it were left out is refused with the name
// of the field in Param; what only advises is ignored. Unknown fields are ignored too unless strict is set. The error
// is always an *Error with status 400.
func ParseRequest(body []byte, strict bool) (*Request, error) {
	if !rawjson.Valid(body) {
		return nil, Invalid(CodeInvalidRequest, "", "the request body is not valid JSON")
	}
	if rawjson.Kind(body) != '{' {
		return nil, Invalid(CodeInvalidRequest, "", "the request body is not a JSON object")
	}
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	r := &Request{Size: len(body)}
	for w := rawjson.Walk(body); w.Next(); {
		if err := r.set(string(w.Key), w.Value, strict); err != nil {
			return nil, err
		}
	}
	if r.Model == "" {
		return nil, Invalid(CodeMissingParameter, "model", "the request names no model")
	}
	return r, nil
}

func (r *Request) set(key string, v Raw, strict bool) error {
	if field := r.mapped(key); field != nil {
		*field = v
		if rawjson.IsNull(v) {
			*field = nil
		}
		return nil
	}
	switch key {
	case "model":
		if rawjson.Kind(v) != '"' {
			return Invalid(CodeInvalidRequest, key, "model is not a string")
		}
		r.Model = rawjson.String(v)
		return nil
	case "stream":
		switch rawjson.Kind(v) {
		case 't', 'f', 'n':
			r.Stream = rawjson.True(v)
			return nil
		}
		return Invalid(CodeInvalidRequest, key, "stream is not a boolean")
	case "include":
		return r.setInclude(v, strict)
	}
	if rawjson.IsNull(v) {
		return nil
	}
	switch key {
	case "background":
		if rawjson.Kind(v) == 'f' {
			return nil
		}
		return Invalid(CodeUnsupportedParameter, key, "background responses are not supported")
	case "previous_response_id":
		if rawjson.Kind(v) == '"' && len(rawjson.Inner(v)) == 0 {
			return nil
		}
		return Invalid(CodeUnsupportedParameter, key, "no response is stored: send the whole input")
	case "truncation":
		if rawjson.String(v) != "disabled" {
			return Invalid(CodeUnsupportedParameter, key, "truncation is not supported")
		}
	case "conversation", "prompt", "context_management", "max_tool_calls":
		if k := rawjson.Kind(v); (k == '[' || k == '{') && rawjson.Len(v) == 0 {
			return nil
		}
		return Invalid(CodeUnsupportedParameter, key, key+" is not supported")
	default:
		if strict && !slices.Contains(advisory, key) {
			return Invalid(CodeUnsupportedParameter, key, "unknown field "+clip(key))
		}
	}
	r.Ignored = append(r.Ignored, clip(key))
	return nil
}

// advisory are the known fields that may be left out without changing what is answered.
var advisory = []string{
	"client_metadata", "prompt_cache_options", "prompt_cache_retention", "safety_identifier", "stream_options",
	"top_logprobs", "truncation",
}

func (r *Request) mapped(key string) *Raw {
	switch key {
	case "instructions":
		return &r.Instructions
	case "input":
		return &r.Input
	case "tools":
		return &r.Tools
	case "tool_choice":
		return &r.ToolChoice
	case "parallel_tool_calls":
		return &r.ParallelToolCalls
	case "reasoning":
		return &r.Reasoning
	case "text":
		return &r.Text
	case "max_output_tokens":
		return &r.MaxOutputTokens
	case "temperature":
		return &r.Temperature
	case "top_p":
		return &r.TopP
	case "store":
		return &r.Store
	case "service_tier":
		return &r.ServiceTier
	case "prompt_cache_key":
		return &r.PromptCacheKey
	case "user":
		return &r.User
	case "metadata":
		return &r.Metadata
	case "stop":
		return &r.Stop
	case "seed":
		return &r.Seed
	case "frequency_penalty":
		return &r.FrequencyPenalty
	case "presence_penalty":
		return &r.PresencePenalty
	case "logit_bias":
		return &r.LogitBias
	}
	return nil
}

// setInclude reads which extra output the client wants. What belongs to hosted tools is never there to be included.
func (r *Request) setInclude(v Raw, strict bool) error {
	for w := rawjson.Walk(v); w.Next(); {
		switch name := rawjson.String(w.Value); name {
		case "reasoning.encrypted_content":
			r.EncryptedReasoning = true
		case "message.output_text.logprobs":
			return Invalid(CodeUnsupportedValue, "include", "log probabilities are not supported")
		case "web_search_call.action.sources", "web_search_call.results", "code_interpreter_call.outputs",
			"file_search_call.results", "message.input_image.image_url", "computer_call_output.output.image_url":
		default:
			if strict {
				return Invalid(CodeUnsupportedValue, "include", "unknown value in include")
			}
		}
	}
	return nil
}

// clip keeps a name from the request short enough for logs and messages.
func clip(name string) string {
	if len(name) <= 64 {
		return name
	}
	return string(bytes.ToValidUTF8([]byte(name[:64]), nil))
}
