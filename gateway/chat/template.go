package chat

import (
	"bytes"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
)

// template remembers a chunk that holds nothing but one piece of text. The chunks of a stream mostly differ in that
// text alone; then what is around it need not be read again, for it means what it meant before.
type template struct {
	before, behind []byte
	kind           templateKind
}

type templateKind uint8

const (
	templateNone templateKind = iota
	templateContent
	templateReasoning
)

// maxTemplate bounds what is kept of a chunk.
const maxTemplate = 2 << 10

// match fills c if data is the remembered chunk with another text.
func (t *template) match(c *Chunk, data []byte) bool {
	start, end := len(t.before), len(data)-len(t.behind)
	if t.kind == templateNone || end < start+2 || !bytes.Equal(data[:start], t.before) || !bytes.Equal(data[end:], t.behind) {
		return false
	}
	if behind, ok := rawjson.ValidString(data, start); !ok || behind != end {
		return false
	}
	c.HasChoice = true
	if t.kind == templateContent {
		c.Content = data[start:end]
	} else {
		c.ReasoningContent = data[start:end]
	}
	return true
}

// learn remembers data if all that c has of it is one text.
func (t *template) learn(c *Chunk, data []byte) {
	t.kind = templateNone
	text, kind := c.Content, templateContent
	if text == nil {
		text, kind = c.ReasoningContent, templateReasoning
	} else if c.ReasoningContent != nil {
		return
	}
	if rawjson.Kind(text) != '"' || len(data)-len(text) > maxTemplate || !c.HasChoice || c.Whole || c.Error != nil ||
		c.Refusal != nil || c.Reasoning != nil || c.Thinking != nil || c.Details != nil || c.ToolCalls != nil ||
		c.FunctionCall != nil || c.Finish != nil || c.Usage != nil {
		return
	}
	// The text is a part of data, so their ends of memory are the same.
	start := cap(data) - cap(text)
	if start < 0 || start+len(text) > len(data) || text[0] != '"' || &data[start] != &text[0] {
		return
	}
	t.before = append(t.before[:0], data[:start]...)
	t.behind = append(t.behind[:0], data[start+len(text):]...)
	t.kind = kind
}
