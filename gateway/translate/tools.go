package translate

import (
	"bytes"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

const (
	customSchema = `{"type":"object","properties":{"input":{"type":"string"}},"required":["input"],"additionalProperties":false}`
	customHint   = "Put the whole raw text for this tool, unquoted and without any wrapping, into the string property `input`."
)

// choice is what tool_choice asks for. allowed is nil for all tools.
type choice struct {
	mode    string // "", auto, none, required or a chat name with named set
	named   bool
	allowed map[string]bool
}

// choice reads tool_choice. A tool that was left out or never declared cannot be chosen.
func (t *requester) choice(raw responses.Raw) (choice, error) {
	refuse := func(message string) (choice, error) {
		return choice{}, responses.Invalid(responses.CodeUnsupportedValue, "tool_choice", message)
	}
	switch rawjson.Kind(raw) {
	case 'n':
		return choice{}, nil
	case '"':
		switch mode := rawjson.String(raw); mode {
		case "auto", "none", "required":
			return choice{mode: mode}, nil
		}
		return refuse("unknown tool_choice")
	case '{':
	default:
		return refuse("tool_choice is neither a string nor an object")
	}
	if rawjson.String(rawjson.Get(raw, "type")) == "allowed_tools" {
		mode := rawjson.String(rawjson.Get(raw, "mode"))
		if mode != "required" {
			mode = "auto"
		}
		ch := choice{mode: mode, allowed: make(map[string]bool)}
		for w := rawjson.Walk(rawjson.Get(raw, "tools")); w.Next(); {
			if tl, ok := t.chosen(w.Value); ok {
				ch.allowed[tl.chat] = true
			}
		}
		return ch, nil
	}
	tl, ok := t.chosen(raw)
	if !ok {
		return refuse("the tool in tool_choice is not declared or cannot be used with this endpoint")
	}
	return choice{mode: tl.chat, named: true}, nil
}

// chosen finds the tool that an entry of tool_choice names.
func (t *requester) chosen(raw responses.Raw) (tool, bool) {
	name := rawjson.String(rawjson.Get(raw, "name"))
	switch rawjson.String(rawjson.Get(raw, "type")) {
	case "function", "custom":
		if inner := rawjson.Get(raw, "function"); name == "" && inner != nil {
			name = rawjson.String(rawjson.Get(inner, "name"))
		}
	case "tool_search":
		name = "tool_search"
	default:
		return tool{}, false
	}
	namespace := rawjson.String(rawjson.Get(raw, "namespace"))
	if tl, ok := t.tools.find(namespace, name); ok || namespace != "" {
		return tl, ok
	}
	return t.tools.resolve(name)
}

// appendTools appends tools, tool_choice and parallel_tool_calls, or nothing if no tool is left.
func (t *requester) appendTools(dst []byte) ([]byte, error) {
	ch, err := t.choice(t.req.ToolChoice)
	if err != nil {
		return nil, err
	}
	mark := len(dst)
	dst = append(dst, `,"tools":[`...)
	kept := 0
	for i := range t.tools.tools {
		tl := &t.tools.tools[i]
		if ch.allowed != nil && !ch.allowed[tl.chat] {
			continue
		}
		if limit := t.opt.Dialect.MaxTools; limit > 0 && kept == limit {
			t.report().repair(RepairToolLimit)
			break
		}
		if kept > 0 {
			dst = append(dst, ',')
		}
		dst = t.appendTool(dst, tl, &t.tools.decls[i])
		kept++
	}
	t.report().ToolsKept = kept
	if kept == 0 {
		if ch.mode == "required" {
			return nil, responses.Invalid(responses.CodeUnsupportedValue, "tool_choice",
				"tool_choice is required, but no declared tool can be used with this endpoint")
		}
		return dst[:mark], nil
	}
	dst = append(dst, ']')
	if ch.mode != "" && t.may(dialect.ToolChoice) {
		if t.opt.Dialect.NoRequiredChoice && (ch.mode == "required" || ch.named) {
			ch = choice{mode: "auto"}
		}
		dst = append(dst, `,"tool_choice":`...)
		if ch.named {
			dst = append(dst, `{"type":"function","function":{"name":`...)
			dst = rawjson.AppendString(dst, ch.mode)
			dst = append(dst, "}}"...)
		} else {
			dst = rawjson.AppendString(dst, ch.mode)
		}
	}
	if k := rawjson.Kind(t.req.ParallelToolCalls); (k == 't' || k == 'f') && t.may(dialect.ParallelToolCalls) {
		dst = append(dst, `,"parallel_tool_calls":`...)
		dst = append(dst, t.req.ParallelToolCalls...)
	}
	return dst, nil
}

func (t *requester) appendTool(dst []byte, tl *tool, d *declaration) []byte {
	dst = append(dst, `{"type":"function","function":{"name":`...)
	dst = rawjson.AppendString(dst, tl.chat)
	dst = t.appendDescription(dst, tl, d)
	dst = append(dst, `,"parameters":`...)
	if tl.kind == kindCustom {
		return append(dst, customSchema+"}}"...)
	}
	dst, changed := appendParameters(dst, d.parameters, t.opt.Dialect.Schema, tl.wrapped)
	if changed {
		t.report().repair(RepairSchema)
	}
	if rawjson.True(d.strict) && !changed && t.may(dialect.StrictTools) {
		dst = append(dst, `,"strict":true`...)
	}
	return append(dst, "}}"...)
}

// appendDescription joins the namespace's description, the tool's own and, for a freeform tool, its grammar.
func (t *requester) appendDescription(dst []byte, tl *tool, d *declaration) []byte {
	const head = `,"description":"`
	mark := len(dst)
	dst = append(dst, head...)
	begin := len(dst)
	paragraph := func(text []byte) {
		if len(text) == 0 {
			return
		}
		if len(dst) > begin {
			dst = append(dst, `\n\n`...)
		}
		dst = append(dst, text...)
	}
	paragraph(rawjson.Inner(d.outer))
	paragraph(rawjson.Inner(d.description))
	if tl.kind == kindCustom {
		if definition := rawjson.Inner(rawjson.Get(d.format, "definition")); len(definition) > 0 {
			paragraph([]byte("The input has to follow this grammar"))
			if syntax := rawjson.Inner(rawjson.Get(d.format, "syntax")); len(syntax) > 0 {
				dst = append(dst, " ("...)
				dst = append(dst, syntax...)
				dst = append(dst, ')')
			}
			dst = append(dst, `:\n`...)
			dst = append(dst, definition...)
		}
		paragraph([]byte(customHint))
	}
	if len(dst) == begin {
		return dst[:mark]
	}
	if limit := t.opt.Dialect.MaxDescription; limit > 0 && len(dst)-begin > limit {
		text := rawjson.Unescape(nil, dst[begin:])
		text = text[:min(len(text), limit)]
		for len(text) > 0 && !utf8.Valid(text) {
			text = text[:len(text)-1]
		}
		dst = rawjson.AppendEscaped(dst[:begin], bytes.TrimSpace(text))
	}
	return append(dst, '"')
}
