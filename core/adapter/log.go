package adapter

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"

	"github.com/hashicorp/go-hclog"
)

// sink carries what an adapter and go-plugin log into the host's logger, with secrets masked.
type sink struct {
	to     *slog.Logger
	redact func(string) string
}

// newLog is a logger for go-plugin that writes to the sink alone.
func newLog(to *slog.Logger, redact func(string) string) hclog.Logger {
	l := hclog.NewInterceptLogger(&hclog.LoggerOptions{Output: io.Discard, Level: hclog.Trace})
	l.RegisterSink(&sink{to, redact})
	return l
}

// Accept takes one record. Names that begin with the standard error's are the adapter's own lines; the rest is
// go-plugin talking of its own work, which is for debugging whatever level it takes.
func (s *sink) Accept(name string, level hclog.Level, msg string, args ...any) {
	to := slog.LevelDebug
	if strings.HasPrefix(name, stderrName) {
		switch level {
		case hclog.Error:
			to = slog.LevelError
		case hclog.Warn:
			to = slog.LevelWarn
		case hclog.Info:
			to = slog.LevelInfo
		}
	}
	if !s.to.Enabled(context.Background(), to) {
		return
	}
	attrs := make([]slog.Attr, 0, len(args)/2)
	for i := 0; i+1 < len(args); i += 2 {
		attrs = append(attrs, slog.String(s.redact(fmt.Sprint(args[i])), s.redact(fmt.Sprint(args[i+1]))))
	}
	s.to.LogAttrs(context.Background(), to, s.redact(msg), attrs...)
}

// stderrName names the adapter's standard error among go-plugin's loggers.
const stderrName = "stderr"

// lineLog turns a stream into log records, one for each line.
type lineLog struct {
	mu   sync.Mutex
	rest []byte
	emit func(line string)
}

func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range p {
		switch {
		case b == '\n':
			l.flush()
		case len(l.rest) < maxLineRead:
			l.rest = append(l.rest, b)
		}
	}
	return len(p), nil
}

// Close gives out a last line that has no end.
func (l *lineLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flush()
	return nil
}

func (l *lineLog) flush() {
	if len(l.rest) > 0 {
		l.emit(string(l.rest))
		l.rest = l.rest[:0]
	}
}
