package lines

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
)

// Limit is the longest line that is read, in bytes.
const Limit = 16 << 20

// The reasons why a connection ends, beside errors of reading and writing.
var (
	ErrClosed  = errors.New("the connection was closed")
	ErrTooLong = errors.New("a message is too long")
)

// Read hands each line that is not blank to handle, without its end, until r ends or handle fails. It says why it ended:
// io.EOF at the end of r, where the last line needs no end. A line is handle's own.
func Read(r io.Reader, limit int, handle func(line []byte) error) error {
	buffered := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := next(buffered, limit)
		if line = bytes.TrimSpace(line); len(line) > 0 {
			if err := handle(line); err != nil {
				return err
			}
		}
		if err != nil {
			return err
		}
	}
}

// next reads one line, and never holds more than the limit.
func next(r *bufio.Reader, limit int) ([]byte, error) {
	var whole []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(whole)+len(part) > limit {
			return nil, ErrTooLong
		}
		whole = append(whole, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return whole, err
		}
	}
}

// Writer writes lines. It is safe for concurrent use.
type Writer struct {
	w       io.Writer
	writing chan struct{} // holds a token while nobody writes
}

// NewWriter makes a writer to w.
func NewWriter(w io.Writer) *Writer {
	l := &Writer{w: w, writing: make(chan struct{}, 1)}
	l.writing <- struct{}{}
	return l
}

// Write writes a whole line, or, when the other side does not read, gives up with the first of the contexts that ends.
// The writer is then not to be used any more, since nobody knows how much of the line went through.
func (l *Writer) Write(ctx, conn context.Context, line []byte) error {
	select {
	case <-l.writing:
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-conn.Done():
		return context.Cause(conn)
	}
	done := make(chan error, 1)
	go func() {
		_, err := l.w.Write(line)
		done <- err
		l.writing <- struct{}{}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-conn.Done():
		return context.Cause(conn)
	}
}

// Encode is the line of a message. Go's escapes of <, > and & would be right, but make transcripts hard to read.
func Encode(message any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(message); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}
