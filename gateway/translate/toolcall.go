package translate

import (
	"bytes"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway/chat"
	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// toolCall gathers one call from its pieces.
type toolCall struct {
	index    int64
	hasIndex bool
	id, name string
	// raw are the arguments as the upstream sent them; fed of its bytes went on to the item.
	raw []byte
	fed int
	// whole says that the arguments came as an object and may be replaced.
	whole bool
	tool  tool
	known bool
	item  *item
	fix   fixer
}

// maxCalls is how many calls an answer may hold, so that a broken upstream cannot make work without end.
const maxCalls = 1024

func valid(text []byte) bool { return rawjson.Valid(text) }

// toolCalls takes the pieces of calls in a chunk.
func (s *Stream) toolCalls(dst []byte, c *chat.Chunk) []byte {
	before := len(s.calls)
	position := 0
	for w := rawjson.Walk(c.ToolCalls); w.Next() && !s.done; position++ {
		if len(s.calls) >= maxCalls {
			return s.Fail(dst, streamError("Upstream: the answer holds more calls than any agent makes."))
		}
		dst = s.piece(dst, w.Value, c.Whole && before > 0, position)
	}
	if rawjson.Kind(c.FunctionCall) == '{' {
		dst = s.functionPiece(dst, c.FunctionCall)
	}
	return dst
}

// piece takes one piece of a call. repeated says that it stands at this position in a message that repeats what the
// deltas said.
func (s *Stream) piece(dst []byte, raw chat.Raw, repeated bool, position int) []byte {
	var index, id, function, custom chat.Raw
	for w := rawjson.Walk(raw); w.Next(); {
		switch string(w.Key) {
		case "index":
			index = w.Value
		case "id":
			id = w.Value
		case "function":
			function = w.Value
		case "custom":
			custom = w.Value
		case "name", "arguments":
			if function == nil {
				function = raw
			}
		}
	}
	if function == nil {
		function = custom
	}
	var name, arguments chat.Raw
	for w := rawjson.Walk(function); w.Next(); {
		switch string(w.Key) {
		case "name":
			name = w.Value
		case "arguments", "input":
			arguments = w.Value
		}
	}
	number, hasIndex := rawjson.Int(index)
	if !hasIndex && callID(id) == "" && !repeated && s.another(name, arguments, position) {
		s.calls = append(s.calls, &toolCall{})
	}
	tc := s.call(number, hasIndex, id, name, repeated, position)
	if tc.id == "" {
		tc.id = callID(id)
	}
	return s.update(dst, tc, rawjson.Inner(name), arguments)
}

// another reports whether a piece without index and id begins a new call: it has a name, the last call is complete, and it
// does not just say that call again.
func (s *Stream) another(name, arguments chat.Raw, position int) bool {
	if len(s.calls) == 0 || len(rawjson.Inner(name)) == 0 {
		return false
	}
	last := s.calls[len(s.calls)-1]
	if _, complete := object(last.raw); !complete || last.name == "" {
		return false
	}
	text := arguments
	if rawjson.Kind(arguments) == '"' {
		text = rawjson.Bytes(arguments)
	}
	return position > 0 || rawjson.String(name) != last.name || !bytes.Equal(text, last.raw)
}

// functionPiece takes a piece in the form that calls had before there could be several.
func (s *Stream) functionPiece(dst []byte, raw chat.Raw) []byte {
	tc := s.call(0, true, nil, nil, false, 0)
	return s.update(dst, tc, rawjson.Inner(rawjson.Get(raw, "name")), rawjson.Get(raw, "arguments"))
}

func callID(raw chat.Raw) string {
	if rawjson.Kind(raw) == 0 {
		return string(raw)
	}
	return strings.TrimSpace(rawjson.String(raw))
}

// call finds the call that a piece belongs to, or begins a new one. A number tells; if there is none, the id does; if
// there is none either, it is the last call. Some upstreams number every call 0: another id and a name behind finished
// arguments are a new call.
func (s *Stream) call(number int64, hasIndex bool, id, name chat.Raw, repeated bool, position int) *toolCall {
	wanted := callID(id)
	if repeated && !hasIndex && wanted == "" && position < len(s.calls) {
		return s.calls[position]
	}
	var found *toolCall
	for i := len(s.calls) - 1; i >= 0 && found == nil; i-- {
		tc := s.calls[i]
		switch {
		case hasIndex && tc.hasIndex:
			if tc.index == number {
				found = tc
			}
		case wanted != "" && tc.id == wanted:
			found = tc
		case wanted == "":
			found = tc
		}
	}
	if found != nil && wanted != "" && found.id != "" && found.id != wanted && len(rawjson.Inner(name)) > 0 {
		if _, complete := object(found.raw); complete || found.name != "" && len(found.raw) == 0 {
			found = nil
			for _, tc := range s.calls {
				if tc.id == wanted {
					found = tc
				}
			}
		}
	}
	if found == nil {
		found = &toolCall{index: number, hasIndex: hasIndex}
		s.calls = append(s.calls, found)
	}
	return found
}

// update adds a piece's name and arguments to a call.
func (s *Stream) update(dst []byte, tc *toolCall, name []byte, arguments chat.Raw) []byte {
	s.rename(tc, name)
	switch rawjson.Kind(arguments) {
	case '"':
		s.scratch = rawjson.Unescape(s.scratch[:0], rawjson.Inner(arguments))
		s.appendArguments(tc, s.scratch)
	case '{':
		if tc.fed == 0 {
			tc.whole = true
			tc.raw = append(tc.raw[:0], arguments...)
		}
	}
	if len(tc.raw) == 0 || tc.id == "" || tc.whole {
		return dst
	}
	dst = s.addCalls(dst, tc)
	if tc.item == nil || s.buffers(tc) {
		return dst
	}
	return s.feed(dst, tc)
}

// rename keeps the first name. A longer one that begins with it replaces it, and a fragment is joined to it only if that
// gives the name of a tool.
func (s *Stream) rename(tc *toolCall, escaped []byte) {
	if tc.item != nil || len(escaped) == 0 {
		return
	}
	name := strings.TrimSpace(string(rawjson.Unescape(nil, escaped)))
	switch {
	case name == "" || name == tc.name:
	case tc.name == "" || strings.HasPrefix(name, tc.name):
		tc.name = name
	default:
		if _, ok := s.ctx.tools.byChat[tc.name+name]; ok {
			tc.name += name
		}
	}
}

// appendArguments adds a piece of the arguments. Some upstreams send all so far each time: a piece that begins with the
// whole text and does not close more than it opens is such a snapshot, and so is the same complete object again.
func (s *Stream) appendArguments(tc *toolCall, piece []byte) {
	if tc.whole || len(piece) == 0 {
		return
	}
	if n := len(tc.raw); n > 0 && !s.opt.Dialect.PlainArguments && len(piece) >= n && bytes.HasPrefix(piece, tc.raw) {
		if len(piece) == n {
			if _, complete := object(piece); complete {
				s.repair(RepairSnapshot)
				return
			}
		} else if snapshot(piece) {
			s.repair(RepairSnapshot)
			tc.raw = append(tc.raw, piece[n:]...)
			return
		}
	}
	tc.raw = append(tc.raw, piece...)
}

// snapshot reports whether a text can be the beginning of an object: it opens one and never closes more than it opened.
func snapshot(text []byte) bool {
	text = rawjson.Trim(text)
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	depth, quoted, escaped := 0, false, false
	for i, c := range text {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped = c == '\\'
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth < 0 || depth == 0 && i < len(text)-1 {
				return false
			}
		}
	}
	return true
}

// buffers reports whether a call's arguments are only written at the end, because they have to be unwrapped.
func (s *Stream) buffers(tc *toolCall) bool {
	return tc.tool.kind != kindFunction || tc.tool.wrapped || tc.whole
}

// addCalls opens the items of all calls up to and including tc that have an id and a name.
func (s *Stream) addCalls(dst []byte, tc *toolCall) []byte {
	for _, c := range s.calls {
		if c.item == nil && c.id != "" && c.name != "" {
			dst = s.addCall(dst, c)
		}
		if c == tc {
			break
		}
	}
	return dst
}

func (s *Stream) addCall(dst []byte, tc *toolCall) []byte {
	dst = s.closeReasoning(dst)
	dst = s.closeMessage(dst, responses.StatusCompleted)
	tc.tool, tc.known = s.ctx.tools.resolve(tc.name)
	k, prefix := responses.Function, "fc_"
	switch tc.tool.kind {
	case kindCustom:
		k, prefix = responses.Custom, "ctc_"
	case kindToolSearch:
		k, prefix = responses.ToolSearch, "tsc_"
	}
	dst, tc.item = s.open(dst, k, prefix, func(it *item) {
		it.CallID, it.Name, it.Namespace = s.hide(tc.id), tc.tool.name, tc.tool.namespace
		if !tc.known {
			it.Name = s.hide(it.Name)
		}
	})
	return dst
}

// feed writes the arguments that have not been written.
func (s *Stream) feed(dst []byte, tc *toolCall) []byte {
	text := tc.raw[tc.fed:]
	tc.fed = len(tc.raw)
	it := tc.item
	if it.filter != nil {
		s.safe = it.filter.Append(s.safe[:0], text)
		text = s.safe
	}
	return s.fixed(dst, tc, text)
}

func (s *Stream) fixed(dst []byte, tc *toolCall, text []byte) []byte {
	mark := len(tc.item.Text)
	tc.item.Text = tc.fix.feed(tc.item.Text, text)
	if len(tc.item.Text) == mark {
		return dst
	}
	return s.enc.Delta(dst, &tc.item.OutputItem, tc.item.Text[mark:])
}
