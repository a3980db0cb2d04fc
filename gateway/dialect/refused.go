package dialect

import (
	"bytes"
	"strings"
)

// names are the spellings by which an answer may name a field.
var names = []struct {
	field Fields
	names []string
}{
	{StreamOptions, []string{"stream_options", "include_usage"}},
	{ParallelToolCalls, []string{"parallel_tool_calls"}},
	{ReasoningEchoField, []string{"reasoning_content", "reasoning_details"}},
	{Effort, []string{"reasoning_effort", "enable_thinking", "reasoning_split", "thinking", "reasoning"}},
	{Verbosity, []string{"verbosity"}},
	{Store, []string{"store"}},
	{Metadata, []string{"metadata"}},
	{User, []string{"user"}},
	{ServiceTier, []string{"service_tier"}},
	{PromptCacheKey, []string{"prompt_cache_key"}},
	{StrictTools, []string{"strict"}},
	{ResponseFormatField, []string{"response_format"}},
	{Temperature, []string{"temperature"}},
	{TopP, []string{"top_p"}},
	{Stop, []string{"stop"}},
	{Seed, []string{"seed"}},
	{FrequencyPenalty, []string{"frequency_penalty"}},
	{PresencePenalty, []string{"presence_penalty"}},
	{LogitBias, []string{"logit_bias"}},
	{ToolChoice, []string{"tool_choice"}},
	{OutputLimit, []string{"max_completion_tokens", "max_tokens"}},
}

// refusals are the words of an answer that refuses a field because it is there, not because of its value.
var refusals = []string{
	"unsupported", "not supported", "unknown", "unrecognized", "unrecognised", "unexpected", "extra inputs",
	"extra fields", "not permitted", "not allowed", "does not support", "doesn't support", "additional properties",
	"invalid field", "invalid parameter", "no such field", "cannot be used", "is only allowed",
}

// Refused finds the one optional field of sent that an answer of the upstream refuses by name. The request may be sent
// once more without it, as long as the client has seen nothing.
func Refused(status int, body []byte, sent Fields) (Fields, bool) {
	if status != 400 && status != 422 {
		return 0, false
	}
	text := string(bytes.ToLower(body[:min(len(body), 16<<10)]))
	refuses := false
	for _, words := range refusals {
		refuses = refuses || strings.Contains(text, words)
	}
	if !refuses {
		return 0, false
	}
	for _, e := range names {
		if !sent.Has(e.field) {
			continue
		}
		for _, name := range e.names {
			if containsWord(text, name) {
				return e.field, true
			}
		}
	}
	return 0, false
}

// containsWord finds a name that is not part of a longer one: "user" is not in "user_id" nor in "superuser".
func containsWord(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		end := i + len(name)
		if (i == 0 || !wordByte(text[i-1])) && (end == len(text) || !wordByte(text[end])) {
			return true
		}
		from = i + 1
	}
}

func wordByte(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}
