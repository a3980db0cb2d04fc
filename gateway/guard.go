package gateway

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/redact"
)

const (
	// maxWaiting is how many events may come between two pieces of what may be a credential.
	maxWaiting = 16
	// maxChannels bounds the texts that are followed at a time.
	maxChannels = 256
)

// guard keeps a credential out of forwarded streams even if it comes in the texts of several events. Events pass as
// they came, whole ones only and in order; one whose text may be the beginning of a credential waits, with all behind
// it, for what that text goes on with.
type guard struct {
	secrets  *redact.Secrets
	channels map[string]*channel // nil if there is nothing to hide
	waiting  []guarded
	rest     []byte // an event that is not whole yet
	seen     int    // up to here there is no end of an event in rest
	path     []byte
}

func newGuard(secrets *redact.Secrets) *guard {
	g := &guard{secrets: secrets}
	if secrets.Filter() != nil {
		g.channels = make(map[string]*channel)
	}
	return g
}

// channel is one text that comes in pieces, such as the arguments of the second call.
type channel struct {
	filter *redact.Filter
	last   *piece // the newest piece that waits
	idle   int    // events since
}

// guarded is an event with its texts cut out.
type guarded struct {
	raw    []byte
	pieces []*piece
}

// piece is a text of an event.
type piece struct {
	start, end int // of the string in the event
	text       []byte
	clean      []byte // the text, as far as it may be seen
}

// write takes bytes of the stream and appends the events that may go out.
func (g *guard) write(dst, more []byte) []byte {
	g.rest = append(g.rest, more...)
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

// flush appends what waits, because something else goes into the stream.
func (g *guard) flush(dst []byte) []byte { return g.settle(dst) }

// end appends what waits and what no empty line has ended: the stream is over.
func (g *guard) end(dst []byte) []byte {
	if len(g.rest) > 0 {
		dst = g.event(dst, g.rest)
		g.rest = g.rest[:0]
	}
	return g.settle(dst)
}

// eventEnd is the index behind the first blank line, -1 if there is none yet.
func eventEnd(b []byte) int {
	for i := 0; i < len(b); {
		at := bytes.IndexAny(b[i:], "\r\n")
		if at < 0 {
			return -1
		}
		next := lineEnd(b, i+at)
		if next < 0 || next >= len(b) {
			return -1
		}
		if b[next] == '\r' || b[next] == '\n' {
			// A line feed that is still to come is an empty line of its own, which says nothing.
			return max(lineEnd(b, next), next+1)
		}
		i = next
	}
	return -1
}

// lineEnd is the index behind the line break at i, -1 if it may go on.
func lineEnd(b []byte, i int) int {
	switch {
	case b[i] == '\n':
		return i + 1
	case i+1 == len(b):
		return -1
	case b[i+1] == '\n':
		return i + 2
	}
	return i + 1
}

func (g *guard) event(dst, raw []byte) []byte {
	if g.channels == nil {
		return append(dst, raw...)
	}
	raw = oneLine(raw)
	ev := guarded{raw: raw}
	g.path = g.path[:0]
	for at := 0; at < len(raw); {
		line := raw[at:]
		if i := bytes.IndexAny(line, "\r\n"); i >= 0 {
			line = line[:i+1]
		}
		if data, ok := bytes.CutPrefix(bytes.TrimPrefix(line, []byte("\uFEFF")), []byte("data:")); ok && rawjson.Valid(bytes.TrimSpace(data)) {
			g.texts(&ev, data, 0)
		}
		at += len(line)
	}
	held, late := false, false
	for _, ch := range g.channels {
		if ch.idle++; ch.filter.Held() > 0 {
			held, late = true, late || ch.idle > maxWaiting
		}
	}
	if len(g.waiting) == 0 && !held && !g.masked() {
		return append(dst, raw...)
	}
	ev.raw = slices.Clone(raw)
	g.waiting = append(g.waiting, ev)
	if held && !late {
		return dst
	}
	return g.settle(dst)
}

// masked says whether anything in the events that wait has to be hidden.
func (g *guard) masked() bool {
	for _, ch := range g.channels {
		if ch.filter.Masked() > 0 {
			return true
		}
	}
	return false
}

// settle appends the events that wait: as they came if nothing in them had to be hidden.
func (g *guard) settle(dst []byte) []byte {
	masked := g.masked()
	for _, ch := range g.channels {
		if ch.last != nil {
			ch.last.clean = ch.filter.Flush(ch.last.clean)
		}
	}
	for _, ev := range g.waiting {
		at := 0
		for _, p := range ev.pieces {
			if !masked || bytes.Equal(p.clean, p.text) {
				continue
			}
			dst = append(dst, ev.raw[at:p.start]...)
			dst = rawjson.AppendString(dst, p.clean)
			at = p.end
		}
		dst = append(dst, ev.raw[at:]...)
	}
	clear(g.waiting)
	g.waiting = g.waiting[:0]
	clear(g.channels)
	return dst
}

// oneLine joins the data lines of an event whose JSON stands on several: a line break cannot stand in a string.
func oneLine(raw []byte) []byte {
	if bytes.Count(raw, []byte("data")) < 2 {
		return raw
	}
	var other, data []byte
	lines := 0
	for line := range bytes.FieldsFuncSeq(raw, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if d, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			data = append(append(data, ' '), d...)
			lines++
			continue
		}
		other = append(append(other, line...), '\n')
	}
	if lines < 2 || !rawjson.Valid(bytes.TrimSpace(data)) {
		return raw
	}
	return append(append(append(other, "data:"...), data...), "\n\n"...)
}

// texts feeds the texts of the model in a value to their channels. A channel is named by the way to it: two calls, or a
// text and the thoughts beside it, do not make one text.
func (g *guard) texts(ev *guarded, value []byte, depth int) {
	if depth > 8 {
		return
	}
	mark := len(g.path)
	if index := rawjson.Get(value, "index"); index != nil {
		g.path = append(append(g.path, '#'), index...)
	}
	position := 0
	inside := len(g.path)
	for w := rawjson.Walk(value); w.Next(); position++ {
		g.path = g.path[:inside]
		if w.Key == nil {
			if rawjson.Get(w.Value, "index") == nil {
				g.path = strconv.AppendInt(append(g.path, '@'), int64(position), 10)
			}
		} else {
			g.path = append(append(g.path, '/'), w.Key...)
		}
		switch rawjson.Kind(w.Value) {
		case '{', '[':
			g.texts(ev, w.Value, depth+1)
		case '"':
			if textKeys[string(w.Key)] {
				g.text(ev, w.Value)
			}
		}
	}
	g.path = g.path[:mark]
}

var textKeys = map[string]bool{
	"content": true, "text": true, "thinking": true, "partial_json": true, "reasoning_content": true, "reasoning": true,
	"summary": true, "refusal": true, "arguments": true, "input": true,
}

func (g *guard) text(ev *guarded, value []byte) {
	ch := g.channels[string(g.path)]
	if ch == nil {
		if len(g.channels) >= maxChannels {
			return
		}
		ch = &channel{filter: g.secrets.Filter()}
		g.channels[string(g.path)] = ch
	}
	// The value is a part of the event, so their ends of memory are the same.
	p := &piece{start: cap(ev.raw) - cap(value), text: rawjson.Unescape(nil, rawjson.Inner(value))}
	p.end = p.start + len(value)
	p.clean = ch.filter.Append(nil, p.text)
	ch.last, ch.idle = p, 0
	ev.pieces = append(ev.pieces, p)
}
