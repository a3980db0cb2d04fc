package sse

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// ErrTooLarge is given when a line, an event or the whole stream is over its limit.
var ErrTooLarge = errors.New("sse: the stream is over its size limit")

// Limits bounds what a reader takes. Zero values stand for 8 MiB a line, 16 MiB an event and 256 MiB a stream.
type Limits struct {
	Line, Event, Total int64
}

const (
	defaultLine  = 8 << 20
	defaultEvent = 16 << 20
	defaultTotal = 256 << 20
	// usualBuffer is what is read at a time. An event that does not fit makes its reader's buffer grow, and one of up to
	// keptBuffer is kept for others.
	usualBuffer, keptBuffer = 8 << 10, 64 << 10
)

// Buffers are what readers read into, shared by many of them: a reader that waits for its next event has none. The zero
// value is ready.
type Buffers struct{ free sync.Pool } // of *[]byte, each empty and with room for usualBuffer or more

func (b *Buffers) get() *[]byte {
	if buf, ok := b.free.Get().(*[]byte); ok {
		return buf
	}
	buf := make([]byte, 0, usualBuffer)
	return &buf
}

// Event is one event. Data shares the reader's memory and is valid until the next call of Next.
type Event struct {
	// Name is the event field, "" if there was none.
	Name string
	Data []byte
}

// Reader splits a stream into events. It is for one goroutine.
type Reader struct {
	src     io.Reader
	lim     Limits
	buffers *Buffers
	loan    *[]byte // where buf came from and goes back to, nil while it is first
	buf     []byte
	first   [1]byte
	start   int // first byte that was not taken yet
	scan    int // up to here no line ending was found
	total   int64
	err     error

	begun  bool // a byte order mark can no longer come
	skipLF bool // the last line ended in CR: a LF right behind belongs to it
	data   []byte
	lines  int // data lines of the event
	name   string
}

// NewReader reads from r, in pieces as r gives them. The buffers may be nil.
func NewReader(r io.Reader, lim Limits, buffers *Buffers) *Reader {
	if lim.Line <= 0 {
		lim.Line = defaultLine
	}
	if lim.Event <= 0 {
		lim.Event = defaultEvent
	}
	if lim.Total <= 0 {
		lim.Total = defaultTotal
	}
	if buffers == nil {
		buffers = new(Buffers)
	}
	return &Reader{src: r, lim: lim, buffers: buffers}
}

// Next gives the next event that has a data field, even an empty one. It ends with io.EOF, also in the middle of an
// event, which is given first. Any other error of the source is given as it is, and nothing of an unfinished event.
func (r *Reader) Next() (Event, error) {
	r.data, r.lines, r.name = r.data[:0], 0, ""
	for {
		line, err := r.line()
		if err != nil {
			if err == io.EOF && r.lines > 0 {
				return Event{Name: r.name, Data: r.data}, nil
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if r.lines > 0 {
				return Event{Name: r.name, Data: r.data}, nil
			}
			r.name = ""
			continue
		}
		if err := r.field(line); err != nil {
			return Event{}, err
		}
	}
}

// Buffered reports whether a whole event is in memory already, so that Next will not wait for the network.
func (r *Reader) Buffered() bool {
	rest := r.buf[r.start:]
	return bytes.Contains(rest, []byte("\n\n")) || bytes.Contains(rest, []byte("\r\n\r\n")) ||
		bytes.Contains(rest, []byte("\r\r"))
}

func (r *Reader) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if int64(len(r.data)+len(value)) > r.lim.Event {
			return r.fail(ErrTooLarge)
		}
		if r.lines > 0 {
			r.data = append(r.data, '\n')
		}
		r.data = append(r.data, value...)
		r.lines++
	case "event":
		if string(value) != r.name {
			r.name = string(value)
		}
	}
	return nil
}

// line gives the next line without its ending. What stands behind the last ending is a line too.
func (r *Reader) line() ([]byte, error) {
	for {
		if !r.begun && (r.err != nil || len(r.buf)-r.start >= 3) {
			r.begun = true
			if bytes.HasPrefix(r.buf[r.start:], []byte("\xEF\xBB\xBF")) {
				r.start += 3
				r.scan = r.start
			}
		}
		if r.skipLF && r.start < len(r.buf) {
			r.skipLF = false
			if r.buf[r.start] == '\n' {
				r.start++
				r.scan = max(r.scan, r.start)
			}
		}
		if r.begun {
			if i := indexEnding(r.buf[r.scan:]); i >= 0 {
				end := r.scan + i
				line := r.buf[r.start:end]
				r.skipLF = r.buf[end] == '\r'
				r.start, r.scan = end+1, end+1
				if int64(len(line)) > r.lim.Line {
					return nil, r.fail(ErrTooLarge)
				}
				return line, nil
			}
			r.scan = len(r.buf)
			if int64(r.scan-r.start) > r.lim.Line {
				return nil, r.fail(ErrTooLarge)
			}
		}
		if r.err != nil {
			if r.err == io.EOF && r.start < len(r.buf) {
				line := r.buf[r.start:]
				r.start, r.scan = len(r.buf), len(r.buf)
				return line, nil
			}
			r.empty()
			return nil, r.err
		}
		r.fill()
	}
}

// fill reads more. What it reads first into an empty buffer is one byte: the source may not have more for minutes, and
// whatever is at hand behind that byte comes with the next call.
func (r *Reader) fill() {
	if n := copy(r.buf, r.buf[r.start:]); n == 0 {
		r.empty()
	} else {
		r.buf = r.buf[:n]
		r.scan -= r.start
		r.start = 0
		r.makeRoom()
	}
	for range 100 {
		n, err := r.src.Read(r.buf[len(r.buf):cap(r.buf)])
		r.buf = r.buf[:len(r.buf)+max(n, 0)]
		r.total += int64(max(n, 0))
		if err != nil {
			r.err = err
			return
		}
		if r.total > r.lim.Total {
			r.err = ErrTooLarge
			return
		}
		if n > 0 {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// makeRoom sees to it that more can be read behind what is in the buffer.
func (r *Reader) makeRoom() {
	if len(r.buf) < cap(r.buf) {
		return
	}
	held := r.buf
	if r.loan == nil {
		r.loan = r.buffers.get()
		r.buf = append(*r.loan, held...)
		return
	}
	r.buf = append(make([]byte, 0, 2*len(held)), held...)
}

// empty gives the buffer back, in which nothing is left to take.
func (r *Reader) empty() {
	if r.loan != nil {
		if cap(r.buf) <= keptBuffer {
			*r.loan = r.buf[:0]
		}
		r.buffers.free.Put(r.loan)
		r.loan = nil
	}
	r.buf, r.start, r.scan = r.first[:0], 0, 0
}

func (r *Reader) fail(err error) error {
	r.err = err
	r.start, r.scan = len(r.buf), len(r.buf)
	return err
}

// indexEnding finds the first LF or CR.
func indexEnding(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
