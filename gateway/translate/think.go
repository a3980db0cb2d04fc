package translate

import (
	"bytes"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
)

const (
	openTag  = "<think>"
	closeTag = "</think>"
	// maxHeld is how much space in front of a tag is waited for.
	maxHeld = 1 << 10
)

type thinkState uint8

const (
	thinkStart  thinkState = iota // nothing but space and perhaps half a tag so far
	thinkInside                   // between the tags
	thinkAfter                    // behind the closing tag, where line breaks are dropped
	thinkText                     // plain text
)

// thinkParser takes think blocks out of text that comes in pieces. It holds back only what may be part of a tag.
type thinkParser struct {
	mode  dialect.Think
	state thinkState
	held  []byte
	buf   []byte
}

func (p *thinkParser) feed(s *Stream, dst, text []byte) []byte {
	if p.state == thinkText && p.mode != dialect.ThinkAnywhere {
		return s.say(dst, text)
	}
	if n := len(p.held); n > 0 {
		p.held = append(p.held, text...)
		if n > maxHeld && !bytes.Contains(p.held[n-len(closeTag):], []byte(closeTag)) {
			return dst // only ThinkOpen holds that much, and only that tag can end it
		}
		p.buf, p.held = p.held, p.buf[:0]
		text = p.buf
	}
	for len(text) > 0 {
		switch p.state {
		case thinkStart:
			rest := bytes.TrimLeft(text, " \t\r\n")
			switch {
			case bytes.HasPrefix(rest, []byte(openTag)):
				text, p.state = rest[len(openTag):], thinkInside
			case bytes.HasPrefix([]byte(openTag), rest) && len(text) <= maxHeld:
				p.held = append(p.held, text...)
				return dst
			case p.mode == dialect.ThinkOpen:
				i := bytes.Index(text, []byte(closeTag))
				if i < 0 {
					p.held = append(p.held, text...)
					return dst
				}
				if i > 0 {
					dst = s.reason(dst, text[:i])
				}
				text, p.state = text[i+len(closeTag):], thinkAfter
			default:
				p.state = thinkText
			}
		case thinkInside:
			dst, text = p.until(closeTag, thinkAfter, s.reason, dst, text)
		case thinkAfter:
			if text = bytes.TrimLeft(text, "\r\n"); len(text) > 0 {
				p.state = thinkText
			}
		default:
			if p.mode != dialect.ThinkAnywhere {
				return s.say(dst, text)
			}
			dst, text = p.until(openTag, thinkInside, s.say, dst, text)
		}
	}
	return dst
}

// until hands on what stands in front of a tag and gives what stands behind it, where the next state begins. Without the
// tag it holds back what may be its beginning.
func (p *thinkParser) until(tag string, next thinkState, emit func(dst, text []byte) []byte, dst, text []byte) (out, rest []byte) {
	i := bytes.Index(text, []byte(tag))
	if i >= 0 {
		rest, p.state = text[i+len(tag):], next
	} else {
		i = len(text) - partialTag(text, tag)
		p.held = append(p.held, text[i:]...)
	}
	if i > 0 {
		dst = emit(dst, text[:i])
	}
	return dst, rest
}

// flush gives what was held back to where it belongs: no more text comes.
func (p *thinkParser) flush(s *Stream, dst []byte) []byte {
	if len(p.held) == 0 {
		return dst
	}
	p.buf = append(p.buf[:0], p.held...)
	p.held = p.held[:0]
	if p.state == thinkInside {
		return s.reason(dst, p.buf)
	}
	p.state = thinkText
	return s.say(dst, p.buf)
}

// partialTag is the length of the longest end of text that may be the beginning of a tag.
func partialTag(text []byte, tag string) int {
	for n := min(len(tag)-1, len(text)); n > 0; n-- {
		if string(text[len(text)-n:]) == tag[:n] {
			return n
		}
	}
	return 0
}
