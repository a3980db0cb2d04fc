package translate

import (
	"bytes"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// EndReason says how the upstream's stream ended.
type EndReason uint8

// The ends of a stream.
const (
	// EndDone is the marker [DONE], or the end of a whole answer.
	EndDone EndReason = iota
	// EndEOF is the end of the body, or an error while reading it.
	EndEOF
)

// Codes of errors that this package makes.
const (
	CodeStreamError     = "upstream_stream_error"
	CodeEmptyResponse   = "upstream_empty_response"
	CodeToolCallInvalid = "upstream_tool_call_invalid"
)

// streamError is a failure that agents try again.
func streamError(message string) *responses.Error {
	return &responses.Error{Status: 502, Type: responses.TypeServer, Code: CodeStreamError, Message: message}
}

type finishClass uint8

const (
	finishGood finishClass = iota
	finishNone
	finishLength
	finishFilter
	finishError
	finishOther
)

func (s *Stream) class() finishClass {
	if !s.finished {
		return finishNone
	}
	switch s.finish {
	case "stop", "tool_calls", "function_call", "tool_use", "end_turn", "eos":
		return finishGood
	case "length", "max_tokens", "max_output_tokens":
		return finishLength
	case "content_filter", "sensitive", "refusal", "safety":
		return finishFilter
	case "error", "network_error", "abort", "insufficient_system_resource":
		return finishError
	}
	return finishOther
}

// End ends the stream the way the upstream finished. Calls are finished only here, and only after a good finish.
func (s *Stream) End(dst []byte, reason EndReason) []byte {
	if s.done {
		return dst
	}
	if s.early != nil {
		return s.Fail(dst, s.early)
	}
	dst = s.Start(dst)
	dst = s.think.flush(s, dst)
	switch class := s.class(); class {
	case finishLength:
		dst = s.closeReasoning(dst)
		dst = s.closeMessage(dst, responses.StatusIncomplete)
		s.obj.Status, s.obj.IncompleteReason = "incomplete", "max_output_tokens"
		return s.terminal(dst, "response.incomplete")
	case finishFilter:
		dst = s.closeReasoning(dst)
		dst = s.closeMessage(dst, responses.StatusIncomplete)
		return s.Fail(dst, &responses.Error{
			Type: responses.TypeInvalidRequest, Code: "invalid_prompt",
			Message: "Upstream: the provider's content filter stopped the answer.",
		})
	case finishError:
		return s.Fail(dst, &responses.Error{
			Type: responses.TypeServer, Code: responses.TypeServer,
			Message: "Upstream: the provider stopped the answer with an error (" + s.outcome.Finish + ").",
		})
	case finishNone:
		if reason == EndEOF || !s.whole() {
			return s.Fail(dst, streamError("Upstream: the stream ended before the answer was finished."))
		}
	case finishOther:
		s.repair(RepairFinishUnknown)
	}
	return s.complete(dst)
}

// whole reports whether an answer without a finish reason can be taken as finished: it has text, and every call in it is
// complete.
func (s *Stream) whole() bool {
	for _, tc := range s.calls {
		if _, ok := object(tc.raw); !ok || tc.name == "" {
			return false
		}
	}
	return len(s.calls) > 0 || s.hasText()
}

// complete finishes everything that is open and ends the stream well, if it holds anything.
func (s *Stream) complete(dst []byte) []byte {
	for _, tc := range s.calls {
		if tc.id == "" && tc.name != "" {
			s.repair(RepairCallIDMade)
			tc.id = "call_" + s.opt.NewID()
		}
		if tc.name == "" {
			s.repair(RepairCallDropped)
		}
	}
	usable := slices.ContainsFunc(s.calls, func(tc *toolCall) bool { return tc.name != "" })
	if !usable && !s.hasText() {
		if len(s.calls) > 0 {
			return s.Fail(dst, &responses.Error{
				Type: responses.TypeServer, Code: CodeToolCallInvalid,
				Message: "Upstream: the model called a tool without naming it.",
			})
		}
		if !s.opt.PromoteReasoning || s.reasoning == nil || len(bytes.TrimSpace(s.reasoning.Text)) == 0 {
			return s.Fail(dst, &responses.Error{
				Type: responses.TypeServer, Code: CodeEmptyResponse, Message: "Upstream: the answer was empty.",
			})
		}
		text := bytes.Clone(s.reasoning.Text)
		dst = s.closeReasoning(dst)
		dst = s.say(dst, text)
	}
	if usable {
		dst = s.addCalls(dst, nil)
	}
	dst = s.closeReasoning(dst)
	for _, it := range s.items {
		if it.closed {
			continue
		}
		if it == s.message {
			dst = s.closeMessage(dst, responses.StatusCompleted)
			continue
		}
		for _, tc := range s.calls {
			if tc.item == it {
				dst = s.closeCall(dst, tc)
			}
		}
	}
	s.obj.Status, s.obj.Completed = "completed", max(s.now, s.obj.Created)
	return s.terminal(dst, "response.completed")
}

// closeCall writes what is missing of a call's arguments or input, and finishes it.
func (s *Stream) closeCall(dst []byte, tc *toolCall) []byte {
	it := tc.item
	switch {
	case tc.tool.kind == kindCustom:
		input := s.filtered(it, freeform(tc.raw, s.opt.Dialect.StripFences))
		return s.close(s.emit(dst, it, input), it, responses.StatusCompleted)
	case tc.tool.kind == kindToolSearch:
		it.Text = append(it.Text[:0], "{}"...)
		if text, ok := object(s.filtered(it, s.mended(tc))); ok {
			it.Text = append(it.Text[:0], text...)
		}
		it.filter = nil
		return s.close(dst, it, responses.StatusCompleted)
	case tc.tool.wrapped:
		text, _ := object(s.mended(tc))
		if value := rawjson.Get(text, "value"); value != nil {
			text = value
		} else if text == nil {
			text = tc.raw
		}
		if len(rawjson.Trim(text)) == 0 {
			text = []byte(emptyObject)
		}
		return s.close(s.emit(dst, it, s.filtered(it, text)), it, responses.StatusCompleted)
	}
	if tc.fed < len(tc.raw) {
		dst = s.feed(dst, tc)
	}
	if it.filter != nil {
		s.safe = it.filter.Flush(s.safe[:0])
		dst = s.fixed(dst, tc, s.safe)
		it.filter = nil
	}
	mark := len(it.Text)
	it.Text = tc.fix.finish(it.Text)
	if mark == 0 && len(rawjson.Trim(it.Text)) == 0 {
		it.Text = append(it.Text[:0], emptyObject...)
	}
	if len(it.Text) > mark || tc.fix.dropped {
		s.repair(RepairJSON)
	}
	if len(it.Text) > mark {
		dst = s.enc.Delta(dst, &it.OutputItem, it.Text[mark:])
	}
	return s.close(dst, it, responses.StatusCompleted)
}

// mended are the arguments of a call that was not written piece by piece.
func (s *Stream) mended(tc *toolCall) []byte {
	var f fixer
	return f.finish(f.feed(nil, tc.raw))
}

// filtered passes a whole text through the item's filter.
func (s *Stream) filtered(it *item, text []byte) []byte {
	if it.filter == nil {
		return text
	}
	out := it.filter.Flush(it.filter.Append(nil, text))
	it.filter = nil
	return out
}

// freeform finds the input of a freeform tool in the arguments of the function that stood for it.
func freeform(raw []byte, fences bool) []byte {
	input := raw
	var f fixer
	if text, ok := object(f.finish(f.feed(nil, raw))); ok {
		var only, named, named2 []byte
		strs := 0
		for w := rawjson.Walk(text); w.Next(); {
			if rawjson.Kind(w.Value) != '"' {
				continue
			}
			strs++
			only = w.Value
			switch string(w.Key) {
			case "input":
				named = w.Value
			case "patch", "content", "text", "command":
				if named2 == nil {
					named2 = w.Value
				}
			}
		}
		switch {
		case named != nil:
			input = rawjson.Bytes(named)
		case strs == 1:
			input = rawjson.Bytes(only)
		case named2 != nil:
			input = rawjson.Bytes(named2)
		}
	} else if rawjson.Kind(raw) == '"' && valid(raw) {
		input = rawjson.Bytes(raw)
	}
	if fences {
		input = unfenced(input)
	}
	return input
}

// unfenced removes a code fence that stands around the whole text.
func unfenced(text []byte) []byte {
	s := strings.TrimSpace(string(text))
	if !strings.HasPrefix(s, "```") || !strings.HasSuffix(s, "```") || strings.Count(s, "```") != 2 {
		return text
	}
	_, body, ok := strings.Cut(strings.TrimSuffix(s, "```"), "\n")
	if !ok {
		return text
	}
	return []byte(strings.TrimSuffix(body, "\n"))
}
