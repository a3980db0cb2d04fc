package adapter

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func masked(s string) string { return strings.ReplaceAll(s, `se"cret`, "[masked]") }

func TestStandardErrorIsCutAndMasked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, out, tail string }{
		"lines":            {"one\ntwo\n\nthree", "one\ntwo\n\nthree\n", "one | two | three"},
		"secret":           {"a se\"cret b\n", "a [masked] b\n", "a [masked] b"},
		"escaped secret":   {`{"@level":"info","@message":"a se\"cret","b":"se\"cret"}` + "\n", `{"@level":"info","@message":"a se\"cret","b":"se\"cret"}` + "\n", "a [masked] b=[masked]"},
		"of go-plugin":     {`{"@module":"adapter.go-plugin","@message":"a"}` + "\n" + `{"@module":"adapter","@message":"b"}` + "\n", `{"@module":"adapter.go-plugin","@message":"a"}` + "\n" + `{"@module":"adapter","@message":"b"}` + "\n", "b"},
		"other JSON":       {`{"a":1}` + "\n", `{"a":1}` + "\n", `{"a":1}`},
		"terminal codes":   {"\x1b[31mred\x07\tx\n", "[31mred x\n", "[31mred x"},
		"long line":        {strings.Repeat("x", 100<<10) + "\nnext\n", strings.Repeat("x", maxLineKept) + "...\nnext\n", strings.Repeat("x", tailLine) + "... | next"},
		"secret at a cut":  {strings.Repeat("x", maxLineKept-3) + "se\"cret\n", strings.Repeat("x", maxLineKept-3) + "[ma...\n", strings.Repeat("x", tailLine) + "..."},
		"nothing at all":   {"", "", ""},
		"only last lines":  {strings.Repeat("a\n", 50) + "z\n", strings.Repeat("a\n", 50) + "z\n", strings.Repeat("a | ", tailLines-1) + "z"},
		"cut inside of é":  {strings.Repeat("x", tailLine-1) + "é\n", strings.Repeat("x", tailLine-1) + "é\n", strings.Repeat("x", tailLine-1) + "..."},
		"not UTF-8":        {"a\xffb\n", "a\uFFFDb\n", "a\uFFFDb"},
		"carriage returns": {"a\r\nb\rc\r\n", "a\nbc\n", "a | bc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				io.WriteString(w, c.in)
				w.Close()
			}()
			kept := &tail{redact: masked}
			out, err := io.ReadAll(newStderr(r, masked, kept))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.out, string(out)); diff != "" {
				t.Errorf("passed on (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.tail, kept.String()); diff != "" {
				t.Errorf("tail (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLineLogGivesWholeLines(t *testing.T) {
	t.Parallel()
	var lines []string
	l := &lineLog{emit: func(line string) { lines = append(lines, line) }}
	for _, part := range []string{"on", "e\ntwo\nth", "ree\n\n", strings.Repeat("x", 2*maxLineRead), "\nlast"} {
		if _, err := io.WriteString(l, part); err != nil {
			t.Fatal(err)
		}
	}
	l.Close()
	want := []string{"one", "two", "three", strings.Repeat("x", maxLineRead), "last"}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}
