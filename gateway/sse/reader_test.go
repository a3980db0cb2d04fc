package sse

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// all reads a stream to its end.
func all(r io.Reader, lim Limits) ([]string, error) {
	var got []string
	for reader := NewReader(r, lim, nil); ; {
		e, err := reader.Next()
		if err != nil {
			return got, err
		}
		got = append(got, e.Name+"="+string(e.Data))
	}
}

var forms = []struct{ name, stream, want string }{
	{"G67 a byte order mark", "\xEF\xBB\xBFdata: first\n\ndata: second\n\n", "=first|=second"},
	{"G67 CRLF", "event: a\r\ndata: x\r\n\r\ndata: y\r\n\r\n", "a=x|=y"},
	{"G67 CR", "event: a\rdata: x\r\rdata: y\r\r", "a=x|=y"},
	{"G67 comments", ": OPENROUTER PROCESSING\n\n:\ndata: x\n: more\n\n", "=x"},
	{"G67 data in lines", "data: a\ndata: b\ndata\ndata:\n\n", "=a\nb\n\n"},
	{"G67 no space", "data:x\n\ndata:  y\n\n", "=x|= y"},
	{"G67 the last event without an empty line", "data: x\n\ndata: y", "=x|=y"},
	{"the last event with one line ending", "data: x\n", "=x"},
	{"other fields", "id: 1\nretry: 5\nfoo: bar\ndata: x\n\n", "=x"},
	{"events without data", "event: ping\n\nevent: a\ndata: x\n\n", "a=x"},
	{"empty data", "data:\n\n", "="},
	{"nothing", "", ""},
	{"empty lines", "\n\n\r\n\r\n", ""},
	{"a character in the middle of which the network cuts", "data: \U0001F600\n\n", "=\U0001F600"},
}

func TestG67G68_EveryFormOfEveryCut(t *testing.T) {
	t.Parallel()
	for _, f := range forms {
		for way, r := range map[string]io.Reader{
			"at once":      strings.NewReader(f.stream),
			"byte by byte": iotest.OneByteReader(strings.NewReader(f.stream)),
			"in halves":    iotest.HalfReader(strings.NewReader(f.stream)),
			"with the end": iotest.DataErrReader(strings.NewReader(f.stream)),
		} {
			got, err := all(r, Limits{})
			if strings.Join(got, "|") != f.want || err != io.EOF {
				t.Errorf("%s, %s: %q, %v", f.name, way, got, err)
			}
		}
	}
}

func TestG76_LimitsHold(t *testing.T) {
	t.Parallel()
	line := "data: " + strings.Repeat("x", 70<<10) + "\n\n"
	if got, err := all(strings.NewReader(line), Limits{}); len(got) != 1 || err != io.EOF {
		t.Errorf("70 KiB: %d events, %v", len(got), err)
	}
	for name, c := range map[string]struct {
		stream io.Reader
		lim    Limits
	}{
		"9 MiB by default": {strings.NewReader("data: " + strings.Repeat("x", 9<<20)), Limits{}},
		"a line":           {strings.NewReader("data: 12345\n\n"), Limits{Line: 10}},
		"a line to be":     {iotest.OneByteReader(strings.NewReader("data: 12345")), Limits{Line: 10}},
		"an event":         {strings.NewReader("data: 12345\ndata: 12345\n\n"), Limits{Event: 8}},
		"the stream":       {strings.NewReader(strings.Repeat(": comment\n", 2000)), Limits{Total: 5000}},
	} {
		if got, err := all(c.stream, c.lim); !errors.Is(err, ErrTooLarge) || len(got) > 0 {
			t.Errorf("%s: %d events, %v", name, len(got), err)
		}
	}
}

func TestErrorsOfTheSourceAreGivenOn(t *testing.T) {
	t.Parallel()
	broken := errors.New("reset")
	r := io.MultiReader(strings.NewReader("data: x\n\ndata: half"), iotest.ErrReader(broken))
	if got, err := all(r, Limits{}); strings.Join(got, "|") != "=x" || !errors.Is(err, broken) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestBufferedTellsWhetherAnEventIsThere(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n\n", "\r\n\r\n", "\r\r"} {
		r := NewReader(strings.NewReader("data: a"+end+"data: b"+end+"data: c"), Limits{}, nil)
		for i, want := range []bool{true, false} {
			if _, err := r.Next(); err != nil || r.Buffered() != want {
				t.Errorf("%q, event %d: %v, %v", end, i, r.Buffered(), err)
			}
		}
	}
}

func TestNextAllocatesNothing(t *testing.T) {
	stream := strings.Repeat("data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n", 2000)
	r := NewReader(strings.NewReader(stream), Limits{}, nil)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := r.Next(); err != nil {
			t.Fatal(err)
		}
	}); n > 0 {
		t.Errorf("%v allocations an event", n)
	}
}

// FuzzReader compares what comes of a stream at once with what comes of it cut anywhere.
func FuzzReader(f *testing.F) {
	for i, form := range forms {
		f.Add([]byte(form.stream), uint8(i))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint8) {
		lim := Limits{Line: 1 << 10, Event: 1 << 11, Total: 1 << 14}
		want, wantErr := all(strings.NewReader(string(stream)), lim)
		got, err := all(&cutReader{rest: string(stream), size: int(cut)%7 + 1}, lim)
		if err != wantErr && !(errors.Is(err, ErrTooLarge) && errors.Is(wantErr, ErrTooLarge)) {
			t.Fatalf("ended with %v and %v", wantErr, err)
		}
		if err == io.EOF && fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q and %q", want, got)
		}
		for _, e := range got {
			if strings.Contains(e, "\r") {
				t.Fatalf("a line ending in %q", e)
			}
		}
	})
}

type cutReader struct {
	rest string
	size int
}

func (c *cutReader) Read(p []byte) (int, error) {
	if c.rest == "" {
		return 0, io.EOF
	}
	n := copy(p[:min(len(p), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// quiet gives its pieces one a read and looks at the reader each time.
type quiet struct {
	pieces []string
	look   func()
}

func (q *quiet) Read(p []byte) (int, error) {
	if len(q.pieces) == 0 {
		return 0, io.EOF
	}
	q.look()
	n := copy(p, q.pieces[0])
	if q.pieces[0] = q.pieces[0][n:]; q.pieces[0] == "" {
		q.pieces = q.pieces[1:]
	}
	return n, nil
}

// TestAReaderThatWaitsHoldsNoBuffer: most streams are quiet, and a thousand of them share what few need at a time.
func TestAReaderThatWaitsHoldsNoBuffer(t *testing.T) {
	t.Parallel()
	var r *Reader
	event := "data: " + strings.Repeat("x", 20<<10) + "\n\n"
	q := &quiet{pieces: []string{event, event, event}}
	atStart := 0
	q.look = func() {
		if len(q.pieces[0]) < len(event) {
			return
		}
		atStart++
		if r.loan != nil || cap(r.buf) > 1 {
			t.Errorf("it holds %d bytes", cap(r.buf))
		}
	}
	r = NewReader(q, Limits{}, nil)
	for range 3 {
		if e, err := r.Next(); err != nil || len(e.Data) != 20<<10 {
			t.Fatal(len(e.Data), err)
		}
	}
	if atStart != 3 {
		t.Fatalf("looked %d times", atStart)
	}
	// Many sources give their end with the last that they have.
	r = NewReader(iotest.DataErrReader(strings.NewReader("data: x\n\n")), Limits{}, nil)
	for range 2 {
		if _, err := r.Next(); err == io.EOF {
			if r.loan != nil {
				t.Error("it holds a buffer behind the end")
			}
			return
		}
	}
	t.Error("no end")
}
