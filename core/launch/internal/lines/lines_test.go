package lines_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/launch/internal/lines"
)

func TestReadGivesLinesUpToTheLimit(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []string
		err  error
	}{
		"nothing":              {"", nil, io.EOF},
		"lines":                {"a\r\n\n  \nb\n", []string{"a", "b"}, io.EOF},
		"the last without end": {"a\nb", []string{"a", "b"}, io.EOF},
		"as long as may be":    {strings.Repeat("x", 9) + "\n", []string{strings.Repeat("x", 9)}, io.EOF},
		"too long":             {"a\n" + strings.Repeat("x", 11) + "\nb\n", []string{"a"}, lines.ErrTooLong},
		"too long, no end":     {strings.Repeat("x", 1<<20), nil, lines.ErrTooLong},
	} {
		var got []string
		err := lines.Read(strings.NewReader(c.in), 10, func(line []byte) error { got = append(got, string(line)); return nil })
		if diff := cmp.Diff(c.want, got); diff != "" || !errors.Is(err, c.err) {
			t.Errorf("%s: %v %s", name, err, diff)
		}
	}
	stop := errors.New("enough")
	if err := lines.Read(strings.NewReader("a\nb\n"), 10, func([]byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("a handler that fails: %v", err)
	}
}

func TestWriteEndsWithItsContext(t *testing.T) {
	t.Parallel()
	out, in := io.Pipe() // that nobody reads
	defer out.Close()
	w := lines.NewWriter(in)
	why := errors.New("too slow")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := w.Write(ctx, t.Context(), []byte("a\n")); !errors.Is(err, why) {
		t.Errorf("the first: %v", err)
	}
	if err := w.Write(t.Context(), ctx, []byte("b\n")); !errors.Is(err, why) {
		t.Errorf("one behind it: %v", err)
	}
}
