package lines

import (
	"context"
	"errors"
	"io"
	"strconv"
	"sync"
)

// Link is what every connection of messages on lines has: it reads until the end, and then ends whatever waits on it. It is
// safe for concurrent use.
type Link struct {
	w         *Writer
	ctx       context.Context
	end       context.CancelCauseFunc
	answering sync.WaitGroup
}

// NewLink makes a link that writes to w. [Link.Serve] reads.
func NewLink(w io.Writer) *Link {
	ctx, end := context.WithCancelCause(context.Background())
	return &Link{w: NewWriter(w), ctx: ctx, end: end}
}

// Serve hands on lines until r ends or the link breaks, and says why it ended: nil at the end of r. What was begun with
// [Link.Go] is waited for.
func (l *Link) Serve(r io.Reader, handle func(line []byte) error) error {
	err := Read(r, Limit, handle)
	if errors.Is(err, io.EOF) {
		l.end(ErrClosed)
		err = nil
	} else {
		l.end(err)
	}
	l.answering.Wait()
	return err
}

// Context ends with the link, and its cause says why.
func (l *Link) Context() context.Context { return l.ctx }

// Done is closed when the link has ended.
func (l *Link) Done() <-chan struct{} { return l.ctx.Done() }

// Go does something beside the reading.
func (l *Link) Go(f func()) { l.answering.Go(f) }

// Write writes a message.
func (l *Link) Write(ctx context.Context, message any) error {
	line, err := Encode(message)
	if err != nil {
		return err
	}
	return l.w.Write(ctx, l.ctx, line)
}

// Calls are the questions of one side that are not answered yet. The zero value has none.
type Calls[A any] struct {
	mu      sync.Mutex
	waiting map[string]chan A
	next    int64
}

// Ask asks under a fresh number, and waits for the answer, until ctx or the link ends.
func (c *Calls[A]) Ask(ctx context.Context, l *Link, message func(number string) any) (a A, err error) {
	answered := make(chan A, 1)
	c.mu.Lock()
	if c.waiting == nil {
		c.waiting = map[string]chan A{}
	}
	c.next++
	number := strconv.FormatInt(c.next, 10)
	c.waiting[number] = answered
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, number)
		c.mu.Unlock()
	}()
	if err = l.Write(ctx, message(number)); err == nil {
		select {
		case a = <-answered:
			return a, nil
		case <-ctx.Done():
			return a, context.Cause(ctx)
		case <-l.ctx.Done():
			err = context.Cause(l.ctx)
		}
	}
	// The answer may have been the last thing that was said, whatever was seen first of the end behind it.
	select {
	case a = <-answered:
		return a, nil
	default:
		return a, err
	}
}

// Answer hands an answer to who waits for it. One that nobody waits for is late, or made up.
func (c *Calls[A]) Answer(number string, a A) {
	c.mu.Lock()
	waiting := c.waiting[number]
	delete(c.waiting, number)
	c.mu.Unlock()
	if waiting != nil {
		waiting <- a
	}
}
