package view

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

// View is where and how things are shown.
type View struct {
	W     io.Writer
	Style paint.Style
	Home  string // shown as ~; "" for none
}

// Line writes a line.
func (v View) Line(format string, args ...any) {
	fmt.Fprintf(v.W, strings.TrimRight(format, "\n")+"\n", args...)
}

// Title writes a heading with an empty line above it.
func (v View) Title(format string, args ...any) {
	v.Line("\n%s", v.Style.Bold(fmt.Sprintf(format, args...)))
}

// Path is a path as it is shown.
func (v View) Path(path string) string {
	if v.Home != "" && v.Home != string(filepath.Separator) {
		if path == v.Home {
			return "~"
		}
		if rest, ok := strings.CutPrefix(path, v.Home+string(filepath.Separator)); ok {
			path = "~" + string(filepath.Separator) + rest
		}
	}
	return paint.Clean(path)
}

// shorten replaces the home in a value that may hold paths anywhere.
func (v View) shorten(value string) string {
	if v.Home != "" && v.Home != string(filepath.Separator) {
		value = strings.ReplaceAll(value, v.Home+string(filepath.Separator), "~"+string(filepath.Separator))
	}
	return paint.Clean(value)
}

func (v View) columns(c *paint.Columns) { _, _ = c.WriteTo(v.W) }
