package chat

import (
	"encoding/json"
	"errors"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
)

// Raw is a value as the JSON text it came in; nil when the field is absent or null.
type Raw = json.RawMessage

// ErrNotJSON is given for data that is no JSON object.
var ErrNotJSON = errors.New("chat: the data is not a JSON object")

// Chunk is one chunk of a stream, or a whole answer. Fields share memory with the data they were parsed from.
type Chunk struct {
	// Error is the error object, or the whole chunk when it is an error without one.
	Error Raw
	// HasChoice says that the chunk has a choice with index 0.
	HasChoice bool
	// Whole says that the choice holds a message and not a delta.
	Whole bool

	Content, Refusal                               Raw
	ReasoningContent, Reasoning, Thinking, Details Raw
	ToolCalls, FunctionCall                        Raw
	// Finish is the finish reason, nil while there is none.
	Finish Raw
	Usage  Raw

	last template
}

// Parse reads data into c. Only what is no JSON object is an error. A Chunk that is used for a whole stream is faster
// than a new one for each chunk.
func (c *Chunk) Parse(data []byte) error {
	*c = Chunk{last: c.last}
	if c.last.match(c, data) {
		return nil
	}
	if err := c.parse(data); err != nil {
		return err
	}
	c.last.learn(c, data)
	return nil
}

func (c *Chunk) parse(data []byte) error {
	if rawjson.Kind(data) != '{' || !rawjson.Valid(data) {
		return ErrNotJSON
	}
	var choices, message, code, base Raw
	for w := rawjson.Walk(data); w.Next(); {
		if rawjson.IsNull(w.Value) {
			continue
		}
		switch string(w.Key) {
		case "choices":
			choices = w.Value
		case "usage":
			c.Usage = w.Value
		case "error":
			if rawjson.Kind(w.Value) != 'f' {
				c.Error = w.Value
			}
		case "message", "msg", "detail":
			message = w.Value
		case "code":
			if n, ok := rawjson.Int(w.Value); !ok || n != 0 && n != 200 {
				code = w.Value
			}
		case "base_resp":
			base = w.Value
		}
	}
	if n, ok := rawjson.Int(rawjson.Get(base, "status_code")); ok && n != 0 && c.Error == nil {
		c.Error = base
	}
	if c.Error == nil && choices == nil && (message != nil || code != nil && c.Usage == nil) {
		c.Error = data
	}
	for w := rawjson.Walk(choices); w.Next(); {
		c.choice(w.Value)
	}
	return nil
}

func (c *Chunk) choice(raw Raw) {
	var delta, message, text, finish, usage, failure Raw
	index := int64(0)
	for w := rawjson.Walk(raw); w.Next(); {
		if rawjson.IsNull(w.Value) {
			continue
		}
		switch string(w.Key) {
		case "index":
			if n, ok := rawjson.Int(w.Value); ok {
				index = n
			}
		case "delta":
			delta = w.Value
		case "message":
			message = w.Value
		case "text":
			text = w.Value
		case "finish_reason":
			finish = w.Value
		case "usage":
			usage = w.Value
		case "error":
			failure = w.Value
		}
	}
	if index != 0 {
		return
	}
	c.HasChoice = true
	if c.Usage == nil {
		c.Usage = usage
	}
	if c.Error == nil && rawjson.Kind(failure) != 'f' {
		c.Error = failure
	}
	if len(rawjson.Inner(finish)) > 0 {
		c.Finish = finish
	}
	body := delta
	if rawjson.Kind(message) == '{' && (rawjson.Kind(delta) != '{' || rawjson.Len(delta) == 0) {
		body, c.Whole = message, true
	}
	for w := rawjson.Walk(body); w.Next(); {
		if !rawjson.IsNull(w.Value) {
			c.field(w.Key, w.Value)
		}
	}
	if c.Content == nil && rawjson.Kind(text) == '"' {
		c.Content = text
	}
}

func (c *Chunk) field(key []byte, value Raw) {
	switch string(key) {
	case "content":
		c.Content = value
	case "refusal":
		c.Refusal = value
	case "reasoning_content":
		c.ReasoningContent = value
	case "reasoning":
		c.Reasoning = value
	case "thinking":
		c.Thinking = value
	case "reasoning_details":
		c.Details = value
	case "tool_calls":
		c.ToolCalls = value
	case "function_call":
		c.FunctionCall = value
	}
}

// AppendText appends the text of a content value: a string, a list of parts, or a part.
func AppendText(dst []byte, raw Raw) []byte {
	switch rawjson.Kind(raw) {
	case '"':
		return rawjson.Unescape(dst, rawjson.Inner(raw))
	case '[':
		for w := rawjson.Walk(raw); w.Next(); {
			dst = AppendText(dst, w.Value)
		}
	case '{':
		for _, key := range []string{"text", "content", "refusal"} {
			if v := rawjson.Get(raw, key); rawjson.Kind(v) == '"' {
				return rawjson.Unescape(dst, rawjson.Inner(v))
			}
		}
	}
	return dst
}

// AppendReasoning appends the reasoning of the chunk. Providers repeat it under several names, so the first name that
// has any counts.
func (c *Chunk) AppendReasoning(dst []byte) []byte {
	for _, raw := range [...]Raw{c.ReasoningContent, c.Reasoning, c.Thinking, c.Details} {
		if raw == nil {
			continue
		}
		mark := len(dst)
		if dst = appendReasoning(dst, raw); len(dst) > mark {
			return dst
		}
	}
	return dst
}

func appendReasoning(dst []byte, raw Raw) []byte {
	switch rawjson.Kind(raw) {
	case '"':
		return rawjson.Unescape(dst, rawjson.Inner(raw))
	case '[':
		for w := rawjson.Walk(raw); w.Next(); {
			dst = appendReasoning(dst, w.Value)
		}
	case '{':
		for _, key := range []string{"content", "text", "summary", "thinking"} {
			if v := rawjson.Get(raw, key); !rawjson.IsNull(v) {
				mark := len(dst)
				if dst = appendReasoning(dst, v); len(dst) > mark {
					return dst
				}
			}
		}
	}
	return dst
}
