package translate

import (
	"bytes"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// seen remembers how much text came and how it ended, to recognise a whole message that repeats the deltas.
type seen struct {
	size int
	tail [32]byte
}

// news is what of a text has not come before. Deltas are news as they are.
func (s *seen) news(text []byte, whole bool) []byte {
	if whole && s.size > 0 {
		n := min(s.size, len(s.tail))
		if len(text) <= s.size || !bytes.Equal(text[s.size-n:s.size], s.tail[len(s.tail)-n:]) {
			return nil
		}
		text = text[s.size:]
	}
	s.size += len(text)
	if n := len(s.tail); len(text) >= n {
		copy(s.tail[:], text[len(text)-n:])
	} else {
		copy(s.tail[:], s.tail[len(text):])
		copy(s.tail[n-len(text):], text)
	}
	return text
}

// open adds a new item to the output.
func (s *Stream) open(dst []byte, k responses.Kind, prefix string, set func(*item)) ([]byte, *item) {
	it := &item{OutputItem: responses.OutputItem{Kind: k, Index: len(s.items), ID: prefix + s.opt.NewID()}}
	if s.opt.Redact != nil {
		it.filter = s.opt.Redact()
	}
	if set != nil {
		set(it)
	}
	s.items = append(s.items, it)
	s.progress = true
	return s.enc.Added(dst, &it.OutputItem), it
}

// write adds text to an item, as far as its filter lets it go already.
func (s *Stream) write(dst []byte, it *item, text []byte) []byte {
	if it.filter != nil {
		s.safe = it.filter.Append(s.safe[:0], text)
		text = s.safe
	}
	return s.emit(dst, it, text)
}

func (s *Stream) emit(dst []byte, it *item, text []byte) []byte {
	if len(text) == 0 {
		return dst
	}
	it.Text = append(it.Text, text...)
	return s.enc.Delta(dst, &it.OutputItem, text)
}

// close finishes an item.
func (s *Stream) close(dst []byte, it *item, status string) []byte {
	if it.filter != nil {
		s.safe = it.filter.Flush(s.safe[:0])
		dst = s.emit(dst, it, s.safe)
	}
	it.Status, it.closed = status, true
	return s.enc.Done(dst, &it.OutputItem)
}

// reason adds reasoning. It ends a message that is open, because the model thinks between its words.
func (s *Stream) reason(dst, text []byte) []byte {
	if s.message != nil {
		dst = s.closeMessage(dst, responses.StatusCompleted)
	}
	dst = s.openReasoning(dst)
	return s.write(dst, s.reasoning, text)
}

func (s *Stream) openReasoning(dst []byte) []byte {
	if s.reasoning != nil {
		return dst
	}
	k := responses.ReasoningContent
	if s.ctx.summary {
		k = responses.ReasoningSummary
	}
	dst, s.reasoning = s.open(dst, k, "rs_", nil)
	return dst
}

// closeReasoning finishes the reasoning. State that came without a text gets an item of its own.
func (s *Stream) closeReasoning(dst []byte) []byte {
	if s.reasoning == nil {
		if len(s.details) == 0 {
			return dst
		}
		dst = s.openReasoning(dst)
	}
	it := s.reasoning
	s.reasoning = nil
	if len(s.details) > 0 {
		it.Encrypted = appendSeal(nil, s.opt.SealKey, append(append([]byte{'['}, s.redacted(s.details)...), ']'))
		s.details = s.details[:0]
	}
	return s.close(dst, it, responses.StatusCompleted)
}

// redacted passes a text that is JSON through the filter; if it is none afterwards, nothing of it is kept.
func (s *Stream) redacted(text []byte) []byte {
	if s.opt.RedactText == nil {
		return text
	}
	return []byte(s.opt.RedactText(string(text)))
}

// say adds text of the answer. Whitespace waits for something visible, since some models put nothing but a line break
// in front of their calls.
func (s *Stream) say(dst, text []byte) []byte {
	if s.message == nil {
		if len(bytes.TrimSpace(text)) == 0 {
			s.space = append(s.space, text...)
			return dst
		}
		dst = s.closeReasoning(dst)
		dst, s.message = s.open(dst, responses.Message, "msg_", nil)
		if len(s.space) > 0 {
			s.space = append(s.space, text...)
			text = s.space
		}
		dst = s.write(dst, s.message, text)
		s.space = s.space[:0]
		return dst
	}
	return s.write(dst, s.message, text)
}

func (s *Stream) closeMessage(dst []byte, status string) []byte {
	if s.message == nil {
		return dst
	}
	it := s.message
	s.message = nil
	return s.close(dst, it, status)
}

// hasText reports whether the answer holds any message.
func (s *Stream) hasText() bool {
	for _, it := range s.items {
		if it.Kind == responses.Message {
			return true
		}
	}
	return false
}

// object gives a text back if it is a JSON object.
func object(text []byte) ([]byte, bool) {
	text = rawjson.Trim(text)
	return text, len(text) > 0 && text[0] == '{' && valid(text)
}
