package adapter

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/greenroom-agents/greenroom/sdk/protocol"
)

// Bounds of what is kept of an adapter's output.
const (
	maxLineRead = 32 << 10 // a longer line loses its end
	maxLineKept = 16 << 10 // less than is read, so that a secret across the cut is masked before it
	tailLines   = 12
	tailLine    = 400
	firstLine   = 4 << 10
)

// pipeEnd reads until the end of a pipe. That we closed it counts as the end.
type pipeEnd struct{ *os.File }

func (p pipeEnd) Read(b []byte) (int, error) {
	n, err := p.File.Read(b)
	if errors.Is(err, os.ErrClosed) {
		err = io.EOF
	}
	return n, err
}

// stdout passes a process's standard output on and keeps its first line, which should be the handshake.
type stdout struct {
	pipeEnd
	mu    sync.Mutex
	first []byte
	ended bool
}

func (s *stdout) Read(b []byte) (int, error) {
	n, err := s.pipeEnd.Read(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.ended && n > 0 {
		part := b[:n]
		if i := bytes.IndexByte(part, '\n'); i >= 0 {
			part, s.ended = part[:i], true
		}
		s.first = append(s.first, part[:min(len(part), firstLine-len(s.first))]...)
	}
	return n, err
}

// line is the first line, and whether there was any output at all.
func (s *stdout) line() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.TrimSpace(string(s.first)), s.ended || len(s.first) > 0
}

// stderr passes a process's standard error on line by line, secrets masked and long lines cut, and keeps the last ones.
type stderr struct {
	file   pipeEnd
	lines  *bufio.Reader
	redact func(string) string
	tail   *tail
	ready  []byte
}

func newStderr(f *os.File, redact func(string) string, t *tail) *stderr {
	file := pipeEnd{f}
	return &stderr{file: file, lines: bufio.NewReaderSize(file, 4<<10), redact: redact, tail: t}
}

func (s *stderr) Close() error { return s.file.Close() }

func (s *stderr) Read(b []byte) (int, error) {
	if len(s.ready) == 0 {
		line, err := s.next()
		if err != nil && len(line) == 0 {
			return 0, err
		}
		if text, ok := readable(line); ok {
			s.tail.add(text)
		}
		s.ready = append([]byte(cut(s.redact(line), maxLineKept)), '\n')
	}
	n := copy(b, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// next is the next line, without what goes beyond maxLineRead.
func (s *stderr) next() (string, error) {
	var line []byte
	for {
		part, more, err := s.lines.ReadLine()
		line = append(line, part[:min(len(part), maxLineRead-len(line))]...)
		if err != nil || !more {
			return string(line), err
		}
	}
}

// tail keeps the last lines of an output.
type tail struct {
	redact func(string) string
	mu     sync.Mutex
	lines  []string
}

func (t *tail) add(line string) {
	line = cut(t.redact(line), tailLine)
	if strings.TrimSpace(line) == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines = append(t.lines, line)
	if len(t.lines) > tailLines {
		t.lines = slices.Delete(t.lines, 0, len(t.lines)-tailLines)
	}
}

// String is the kept lines on one line, "" when there are none.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.Join(t.lines, " | ")
}

// readable decodes a line that an adapter's logger wrote as JSON, so that a person can read it and so that a secret
// shows as it is and not escaped. What go-plugin says of its own work says nothing of why an adapter failed, and is not ok.
func readable(line string) (_ string, ok bool) {
	var fields map[string]any
	if !strings.HasPrefix(line, "{") || json.Unmarshal([]byte(line), &fields) != nil {
		return line, true
	}
	message, ok := fields["@message"]
	if !ok {
		return line, true
	}
	if module, _ := fields["@module"].(string); strings.HasSuffix(module, "."+protocol.PluginLog) {
		return "", false
	}
	parts := []string{fmt.Sprint(message)}
	for name, value := range fields {
		if !strings.HasPrefix(name, "@") {
			parts = append(parts, fmt.Sprintf("%s=%v", name, value))
		}
	}
	slices.Sort(parts[1:])
	return strings.Join(parts, " "), true
}

// cut shortens a line to at most max bytes and takes out what a terminal would obey.
func cut(line string, max int) string {
	line = strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, line)
	if len(line) > max {
		line = strings.ToValidUTF8(line[:max], "") + "..."
	}
	return line
}
