package gateway

import (
	"bytes"
	"slices"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/redact"
)

// guard keeps a credential out of forwarded streams even if it comes in the texts of several events. Events pass as
// they came, whole ones only; those whose text may be the beginning of a credential wait for the next one.
type guard struct {
	secrets *redact.Secrets
	filter  *redact.Filter
	channel string
	waiting []guarded
	rest    []byte // an event that is not whole yet
	seen    int    // up to here there is no end of an event in rest
}

// guarded is an event with its text cut out.
type guarded struct {
	raw        []byte
	start, end int    // of the text's string in raw
	clean      []byte // the text, as far as it may be seen
}

// write takes bytes of the stream and appends the events that may go out.
func (g *guard) write(dst, piece []byte) []byte {
	g.rest = append(g.rest, piece...)
	done := 0
	for {
		from := max(done, g.seen-len("\r\n\r\n"))
		end := eventEnd(g.rest[from:])
		if end < 0 {
			break
		}
		end += from
		dst = g.event(dst, g.rest[done:end])
		done, g.seen = end, end
	}
	g.rest = append(g.rest[:0], g.rest[done:]...)
	g.seen = len(g.rest)
	return dst
}

// flush appends what waits. The stream has ended, or something else goes into it.
func (g *guard) flush(dst []byte) []byte { return g.settle(dst) }

// eventEnd is the index behind the first blank line, -1 if there is none.
func eventEnd(b []byte) int {
	end := -1
	for _, blank := range []string{"\n\n", "\r\n\r\n"} {
		if i := bytes.Index(b, []byte(blank)); i >= 0 && (end < 0 || i+len(blank) < end) {
			end = i + len(blank)
		}
	}
	return end
}

func (g *guard) event(dst, raw []byte) []byte {
	channel, start, end := textOf(raw)
	if channel == "" {
		return append(g.settle(dst), raw...)
	}
	if channel != g.channel || g.filter == nil {
		dst = g.settle(dst)
		g.channel, g.filter = channel, g.secrets.Filter()
	}
	text := rawjson.Unescape(nil, rawjson.Inner(raw[start:end]))
	clean := g.filter.Append(nil, text)
	if len(g.waiting) == 0 && g.filter.Held() == 0 && g.filter.Masked() == 0 {
		return append(dst, raw...)
	}
	g.waiting = append(g.waiting, guarded{raw: slices.Clone(raw), start: start, end: end, clean: clean})
	if g.filter.Held() > 0 {
		return dst
	}
	return g.settle(dst)
}

// settle appends the events that wait: as they came if nothing in them had to be hidden.
func (g *guard) settle(dst []byte) []byte {
	masked := g.filter.Masked() > 0
	for i := range g.waiting {
		w := &g.waiting[i]
		if !masked {
			dst = append(dst, w.raw...)
			continue
		}
		if i == len(g.waiting)-1 {
			w.clean = g.filter.Flush(w.clean)
		}
		dst = append(dst, w.raw[:w.start]...)
		dst = rawjson.AppendString(dst, string(w.clean))
		dst = append(dst, w.raw[w.end:]...)
	}
	g.waiting = g.waiting[:0]
	g.filter = nil
	if g.channel != "" {
		g.filter = g.secrets.Filter()
	}
	return dst
}

// textOf finds the text of the model in an event: its field's name and where its string stands.
func textOf(raw []byte) (channel string, start, end int) {
	for at := 0; at < len(raw); {
		line := raw[at:]
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line = line[:i+1]
		}
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && rawjson.Valid(bytes.TrimSpace(data)) {
			if name, value := textIn(data, 0); value != nil {
				// The value is a part of the line, so their ends of memory are the same.
				start = at + cap(line) - cap(value)
				return name, start, start + len(value)
			}
		}
		at += len(line)
	}
	return "", 0, 0
}

// textIn looks for a text field, the first one in the order of the event.
func textIn(value []byte, depth int) (string, []byte) {
	if depth > 8 {
		return "", nil
	}
	for w := rawjson.Walk(value); w.Next(); {
		switch rawjson.Kind(w.Value) {
		case '{', '[':
			if name, found := textIn(w.Value, depth+1); found != nil {
				return name, found
			}
		case '"':
			switch name := string(w.Key); name {
			case "content", "text", "thinking", "partial_json", "reasoning_content", "reasoning", "refusal", "arguments":
				return name, w.Value
			}
		}
	}
	return "", nil
}
