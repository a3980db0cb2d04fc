package merge

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Marker tells the blocks of one state directory from those of others, which are user text.
type Marker struct {
	ID string // short: letters, digits, "-" and "_"
}

func (m Marker) begin() string { return "<!-- GREENROOM BEGIN " + m.ID + " (managed; do not edit) -->" }
func (m Marker) end() string   { return "<!-- GREENROOM END " + m.ID + " -->" }

// BlockRecord is what has to be remembered of a block to take it out again without a trace.
type BlockRecord struct {
	// Created: the file did not exist before. When the block is stripped and nothing is left, it can be removed.
	Created bool `json:"created,omitempty"`
	// Separator is what was put between the user's text and the block.
	Separator string `json:"separator,omitempty"`
	// Digest is the SHA-256, in hex, of the text of the block with line feeds.
	Digest string `json:"digest"`
	// Replaced: the block stood there already, so that Created and Separator are known only to the record of the
	// insertion that made it; see After.
	Replaced bool `json:"replaced,omitempty"`
}

// After completes the record of a replacement with the earlier record of the same block.
func (r BlockRecord) After(earlier BlockRecord) BlockRecord {
	if r.Replaced {
		r.Created, r.Separator, r.Replaced = earlier.Created, earlier.Separator, earlier.Replaced
	}
	return r
}

// Outcome is what became of a block.
type Outcome string

// The outcomes.
const (
	Stripped Outcome = "stripped" // taken out
	Edited   Outcome = "edited"   // changed by someone else inside its markers, and left as it is
	Absent   Outcome = "absent"   // there was none
)

// InsertBlock puts text into the block of the marker: in place of the one that stands there, else at the end. No other
// byte is changed; the block has the line breaks of the file. Line breaks at the ends of the text are not kept.
// existed says whether there was a file. Errors: fault.Conflict for damaged markers or a file in UTF-16, fault.Invalid
// for a text or a marker that cannot be written.
func InsertBlock(current []byte, existed bool, m Marker, text string) (out []byte, rec BlockRecord, err error) {
	text = BlockText(text)
	if !m.valid() {
		return nil, rec, fault.New(fault.Invalid, "insert block", "", "not the id of a marker")
	}
	if holdsMarker(text, m.begin(), m.end()) {
		return nil, rec, fault.New(fault.Invalid, "insert block", "", errMarkerInText.Error())
	}
	span, found, err := m.find(current)
	if err != nil {
		return nil, rec, err
	}
	rec.Digest = digest(text)
	eol := lineBreak(current[span.begin:]) // of the block that stands there, else of the file
	body := m.begin() + eol + strings.ReplaceAll(text+"\n", "\n", eol) + m.end()
	if found {
		rec.Replaced = true
		if inside(current, span) == text {
			return current, rec, nil
		}
		out = append(out, current[:span.begin]...)
		out = append(out, body...)
		return append(out, current[span.end:]...), rec, nil
	}
	rec.Created = !existed
	switch {
	case len(current) == 0 || bytes.HasSuffix(current, []byte(eol+eol)):
	case bytes.HasSuffix(current, []byte{'\n'}):
		rec.Separator = eol
	default:
		rec.Separator = eol + eol
	}
	out = make([]byte, 0, len(current)+len(rec.Separator)+len(body)+len(eol))
	out = append(out, current...)
	out = append(out, rec.Separator...)
	out = append(out, body...)
	return append(out, eol...), rec, nil
}

// Lead is a file with a line in front of all, and a blank line behind that, in the line breaks of the file. One that begins with
// the line already stays as it is.
func Lead(current []byte, line string) []byte {
	line = strings.TrimRight(line, "\r\n")
	mark, rest := []byte("\xef\xbb\xbf"), current
	marked := bytes.HasPrefix(current, mark)
	if marked {
		rest = current[len(mark):]
	}
	if after, ok := bytes.CutPrefix(rest, []byte(line)); ok && (len(after) == 0 || breakAt(after) > 0) {
		return current
	}
	out := make([]byte, 0, len(current)+len(line)+4)
	if marked {
		out = append(out, mark...)
	}
	out = append(out, line+strings.Repeat(lineBreak(rest), 2)...)
	return append(out, rest...)
}

// RemoveBlock takes out the block that a record tells of. It undoes InsertBlock to the byte, and keeps all that the
// user wrote around the block since. A block whose text is not the recorded one is left, and so is the whole file.
// Errors: fault.Conflict for damaged markers.
func RemoveBlock(current []byte, m Marker, rec BlockRecord) (out []byte, outcome Outcome, err error) {
	span, found, err := m.find(current)
	switch {
	case err != nil:
		return nil, "", err
	case !found:
		return current, Absent, nil
	case digest(inside(current, span)) != rec.Digest:
		return current, Edited, nil
	}
	before, after := current[:span.begin], current[span.end:]
	after = after[breakAt(after):]
	// An editor may have changed all line breaks since.
	sep := strings.Repeat(lineBreak(current[span.begin:]), strings.Count(rec.Separator, "\n"))
	before = withoutSeparator(before, sep, len(after) > 0)
	out = append(make([]byte, 0, len(before)+len(after)), before...)
	return append(out, after...), Stripped, nil
}

// FindBlock is the text of the block, with line feeds, and whether there is one. Errors: fault.Conflict for damaged
// markers.
func FindBlock(current []byte, m Marker) (text string, ok bool, err error) {
	span, ok, err := m.find(current)
	if !ok || err != nil {
		return "", false, err
	}
	return inside(current, span), true, nil
}

func (m Marker) valid() bool {
	return m.ID != "" && strings.IndexFunc(m.ID, func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '-' && r != '_'
	}) < 0
}

func (m Marker) find(current []byte) (span, bool, error) {
	if bytes.HasPrefix(current, []byte{0xff, 0xfe}) || bytes.HasPrefix(current, []byte{0xfe, 0xff}) {
		return span{}, false, fault.New(fault.Conflict, "find block", "", "the file is utf-16, and a block would spoil it")
	}
	s, ok, err := findSpan(string(current), m.begin(), m.end())
	if err != nil {
		return span{}, false, fault.New(fault.Conflict, "find block", "", err.Error()).
			WithHint("remove what is left of the block by hand; it begins with " + m.begin())
	}
	return s, ok, nil
}

// withoutSeparator takes the separator off, or as many line breaks as there are of it. When text follows, the last line
// before keeps its end.
func withoutSeparator(whole []byte, sep string, follows bool) []byte {
	before, exact := bytes.CutSuffix(whole, []byte(sep))
	if !exact {
		for range strings.Count(sep, "\n") {
			if cut, ok := bytes.CutSuffix(before, []byte{'\n'}); ok {
				before = bytes.TrimSuffix(cut, []byte{'\r'})
			}
		}
	}
	if follows && len(before) > 0 && before[len(before)-1] != '\n' {
		return whole[:len(before)+breakAt(whole[len(before):])]
	}
	return before
}

// inside is the text between the markers, with line feeds.
func inside(current []byte, s span) string {
	return strings.TrimSuffix(strings.ReplaceAll(string(current[s.textBegin:s.textEnd]), "\r\n", "\n"), "\n")
}

// BlockText is a text as it reads back from a block: every line break a line feed, none at the ends.
func BlockText(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	return strings.Trim(strings.ReplaceAll(text, "\r", "\n"), "\n")
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// lineBreak is that of the first line.
func lineBreak(current []byte) string {
	if i := bytes.IndexByte(current, '\n'); i > 0 && current[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// breakAt is the length of the line break at the beginning.
func breakAt(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("\r\n")):
		return 2
	case bytes.HasPrefix(b, []byte{'\n'}):
		return 1
	}
	return 0
}

var (
	errMarkerInText = errors.New("the text holds the markers of the managed part")
	errTwice        = errors.New("the markers of the managed part stand more than once")
	errReversed     = errors.New("the markers of the managed part are in the wrong order")
	errNoEnd        = errors.New("the managed part has a begin marker, but no end marker")
	errNoBegin      = errors.New("the managed part has an end marker, but no begin marker")
)

// span is where a managed part stands: from its begin marker up to behind its end marker, without the line break
// there. The text lies between.
type span struct{ begin, textBegin, textEnd, end int }

// findSpan looks for marker lines. White space around a marker is not minded.
func findSpan(current, begin, end string) (span, bool, error) {
	var s span
	var begins, ends int
	for at := 0; at < len(current); {
		stop := len(current)
		if n := strings.IndexByte(current[at:], '\n'); n >= 0 {
			stop = at + n
		}
		next := min(stop+1, len(current))
		switch strings.TrimSpace(current[at:stop]) {
		case begin:
			begins++
			s.begin, s.textBegin = at, next
		case end:
			ends++
			s.textEnd, s.end = at, stop
			if stop > at && current[stop-1] == '\r' {
				s.end--
			}
		}
		at = next
	}
	switch {
	case begins == 0 && ends == 0:
		return span{}, false, nil
	case begins > 1 || ends > 1:
		return span{}, false, errTwice
	case ends == 0:
		return span{}, false, errNoEnd
	case begins == 0:
		return span{}, false, errNoBegin
	case s.begin > s.textEnd:
		return span{}, false, errReversed
	}
	return s, true, nil
}

func holdsMarker(text, begin, end string) bool {
	_, found, err := findSpan(text, begin, end)
	return found || err != nil
}
