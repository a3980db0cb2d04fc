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
			i := bytes.Index(text, []byte(closeTag))
			if i < 0 {
				n := partialTag(text, closeTag)
				if n < len(text) {
					dst = s.reason(dst, text[:len(text)-n])
				}
				p.held = append(p.held, text[len(text)-n:]...)
				return dst
			}
			if i > 0 {
				dst = s.reason(dst, text[:i])
			}
			text, p.state = text[i+len(closeTag):], thinkAfter
		case thinkAfter:
			if text = bytes.TrimLeft(text, "\r\n"); len(text) > 0 {
				p.state = thinkText
			}
		default:
			if p.mode != dialect.ThinkAnywhere {
				return s.say(dst, text)
			}
			i := bytes.Index(text, []byte(openTag))
			if i < 0 {
				n := partialTag(text, openTag)
				if n < len(text) {
					dst = s.say(dst, text[:len(text)-n])
				}
				p.held = append(p.held, text[len(text)-n:]...)
				return dst
			}
			if i > 0 {
				dst = s.say(dst, text[:i])
			}
			text, p.state = text[i+len(openTag):], thinkInside
		}
	}
	return dst
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
