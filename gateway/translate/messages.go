package translate

import (
	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
)

// appendMessages appends the elements of messages.
func (t *requester) appendMessages(dst []byte) []byte {
	begin := func() {
		if t.report().Messages > 0 {
			dst = append(dst, ',')
		}
		t.report().Messages++
	}
	if len(t.head) > 0 {
		begin()
		dst = append(dst, `{"role":"system","content":"`...)
		for i, parts := range t.head {
			if i > 0 {
				dst = append(dst, `\n\n`...)
			}
			dst = appendTexts(dst, parts, `\n`)
		}
		dst = append(dst, `"}`...)
	}
	span := false // the assistant has called tools since the user last spoke
	for i := range t.nodes {
		n := &t.nodes[i]
		if n.turn == nil {
			span = span && n.notice
			begin()
			dst = append(dst, `{"role":"`...)
			dst = append(dst, n.role...)
			dst = append(dst, `","content":`...)
			dst = appendContent(dst, n.parts)
			dst = append(dst, '}')
			continue
		}
		calls := t.calls[n.turn.first:n.turn.last]
		if len(calls) == 0 && !hasContent(n.turn.parts) {
			continue
		}
		span = span || len(calls) > 0
		begin()
		dst = t.appendTurn(dst, n.turn, calls, span)
		for j := range calls {
			begin()
			dst = t.appendResult(dst, &calls[j])
		}
		if media := t.media(calls); len(media) > 0 {
			begin()
			dst = append(dst, `{"role":"user","content":`...)
			dst = appendContent(dst, media)
			dst = append(dst, '}')
		}
	}
	return dst
}

func (t *requester) appendTurn(dst []byte, tn *turn, calls []call, span bool) []byte {
	dst = append(dst, `{"role":"assistant","content":`...)
	echo := span || t.opt.Dialect.Scope == dialect.EchoAll
	inline := echo && t.opt.Dialect.Echo == dialect.EchoInlineThink && len(tn.reasoning) > 0
	switch {
	case inline || hasContent(tn.parts):
		dst = append(dst, '"')
		if inline {
			dst = append(dst, `<think>\n`...)
			dst = appendReasoning(dst, tn.reasoning)
			dst = append(dst, `\n</think>\n\n`...)
		}
		dst = appendTexts(dst, tn.parts, `\n`)
		dst = append(dst, '"')
	default:
		dst = append(dst, "null"...)
	}
	if echo && !inline {
		dst = t.appendEcho(dst, tn, len(calls) > 0)
	}
	if len(calls) > 0 {
		dst = append(dst, `,"tool_calls":[`...)
		for i := range calls {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, `{"id":`...)
			dst = rawjson.AppendString(dst, calls[i].id)
			dst = append(dst, `,"type":"function","function":{"name":`...)
			dst = rawjson.AppendString(dst, calls[i].name)
			dst = append(dst, `,"arguments":"`...)
			dst = append(dst, calls[i].arguments...)
			dst = append(dst, `"}}`...)
		}
		dst = append(dst, ']')
	}
	return append(dst, '}')
}

// appendEcho appends the reasoning of a turn under the name that the dialect has for it.
func (t *requester) appendEcho(dst []byte, tn *turn, calls bool) []byte {
	d := &t.opt.Dialect
	placeholder := calls && len(tn.reasoning) == 0 && d.Placeholder != ""
	if d.Echo == dialect.EchoNone || d.Echo == dialect.EchoInlineThink ||
		len(tn.reasoning) == 0 && len(tn.details) == 0 && !placeholder {
		return dst
	}
	field := `,"reasoning_content":"`
	switch d.Echo {
	case dialect.EchoDetails:
		if len(tn.details) > 0 {
			if t.may(dialect.ReasoningEchoField) {
				dst = append(append(dst, `,"reasoning_details":`...), tn.details...)
			}
			return dst
		}
		field = `,"reasoning":"`
	case dialect.EchoReasoning:
		field = `,"reasoning":"`
	}
	if len(tn.reasoning) == 0 && !placeholder || !t.may(dialect.ReasoningEchoField) {
		return dst
	}
	dst = append(dst, field...)
	if placeholder {
		dst = rawjson.AppendEscaped(dst, d.Placeholder)
	} else {
		dst = appendReasoning(dst, tn.reasoning)
	}
	return append(dst, '"')
}

func appendReasoning(dst []byte, texts [][]byte) []byte {
	for i, text := range texts {
		if i > 0 {
			dst = append(dst, `\n\n`...)
		}
		dst = append(dst, text...)
	}
	return dst
}

// appendResult appends the result of a call. Images stay in it only if the dialect takes them there.
func (t *requester) appendResult(dst []byte, c *call) []byte {
	dst = append(dst, `{"role":"tool","tool_call_id":`...)
	dst = rawjson.AppendString(dst, c.id)
	dst = append(dst, `,"content":`...)
	switch {
	case !c.done:
		t.report().repair(RepairOrphanCall)
		dst = rawjson.AppendString(dst, noOutput)
	case onlyText(c.output) || t.opt.Dialect.ToolImage == dialect.ImageParts:
		dst = appendContent(dst, c.output)
	default:
		marked := make([]part, len(c.output))
		for i, p := range c.output {
			if p.kind != partText {
				p = textPart([]byte(t.marker(p.kind)))
			}
			marked[i] = p
		}
		dst = appendContent(dst, marked)
	}
	return append(dst, '}')
}

func (t *requester) marker(k partKind) string {
	if t.opt.Dialect.ToolImage == dialect.ImageDrop {
		t.report().repair(RepairMedia)
		return mediaName(k, "[", " omitted: this endpoint takes none from tools]")
	}
	return mediaName(k, "[", " shown in the message after the tool results]")
}

func mediaName(k partKind, before, after string) string {
	name := "image"
	switch k {
	case partFile:
		name = "file"
	case partAudio:
		name = "audio"
	}
	return before + name + after
}

// media gathers what the results of a turn show, each behind a text that names its call.
func (t *requester) media(calls []call) []part {
	if t.opt.Dialect.ToolImage != dialect.ImageUserMessage {
		return nil
	}
	var media []part
	for i := range calls {
		for _, p := range calls[i].output {
			if p.kind == partText {
				continue
			}
			label := rawjson.AppendEscaped([]byte(mediaName(p.kind, "[", " from the result of tool call ")), calls[i].id)
			media = append(media, textPart(append(label, ']')), p)
		}
	}
	return media
}
