package adapter

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/hashicorp/go-hclog"
)

func TestSinkMasksAndKeepsLevels(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		level hclog.Level
		want  string
	}{
		{"stderr.adapter", hclog.Error, "ERROR"}, {"stderr", hclog.Warn, "WARN"}, {"stderr", hclog.Info, "INFO"},
		{"stderr", hclog.Debug, "DEBUG"}, {"stderr", hclog.Trace, "DEBUG"}, {"", hclog.Error, "DEBUG"}, {"stdio", hclog.Warn, "DEBUG"},
	} {
		var out strings.Builder
		s := sink{slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})), masked}
		s.Accept(c.name, c.level, `says se"cret`, `se"cret`, `x se"cret`, "list", []any{`se"cret`}, "odd")
		if strings.Contains(out.String(), "cret") || strings.Count(out.String(), "[masked]") != 4 {
			t.Errorf("%v: not masked: %s", c, out.String())
		}
		if !strings.Contains(out.String(), "level="+c.want+" ") {
			t.Errorf("%v: want level %s: %s", c, c.want, out.String())
		}
	}
}
