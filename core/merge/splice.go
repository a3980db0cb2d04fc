package merge

import (
	"errors"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// A managed part of a string value stands between two lines of its own, an empty line below what the user wrote.
const (
	spliceBegin = "<!-- GREENROOM BEGIN (managed; do not edit) -->"
	spliceEnd   = "<!-- GREENROOM END -->"
	spliceGap   = "\n\n"
)

func (e *editor) splice(x *Edit) error {
	p := byKeys(x.Path)
	text, ok := x.Value.(string)
	if !ok {
		return badEdit(e.env.Label, "edit %q of key %s without a text", x.Op, x.Path)
	}
	if err := checkValue(e.env.Label, e.format, text, 0); err != nil {
		return err
	}
	if err := e.way(p); err != nil {
		return err
	}
	current := ""
	n, exists := find(e.tree, p)
	if exists {
		switch k := e.tree.kind(n); k {
		case kindString:
			current = e.tree.text(n)
		case kindNull:
			exists = false
		default:
			return e.wrong(p, k, "a string", "make it a string or remove it")
		}
	}
	if text == "" && !exists {
		return nil
	}
	out, had, err := spliceText(current, text)
	if errors.Is(err, errMarkerInText) {
		return badEdit(e.env.Label, "edit %q of key %s: %s", x.Op, x.Path, err)
	}
	if err != nil {
		return fault.New(fault.Conflict, opMerge, e.env.Label, "key "+p.String()+atLine(e.tree.line(p))+": "+err.Error()).
			WithHint("remove the managed part from the value")
	}
	switch {
	case text == "" && had && strings.TrimSpace(out) == "":
		e.delete([]place{p})
	case !exists || out != current:
		e.put(p, out)
	}
	return nil
}

// spliceText puts our text into the managed part of a string, or takes the part out. It tells whether there was one.
func spliceText(current, text string) (out string, had bool, err error) {
	span, had, err := findSpan(current, spliceBegin, spliceEnd)
	if err != nil {
		return "", false, err
	}
	text = BlockText(text)
	if holdsMarker(text, spliceBegin, spliceEnd) {
		return "", false, errMarkerInText
	}
	before, after := current, ""
	if had {
		before, after = current[:span.begin], current[span.end:]
	}
	if text == "" {
		if had {
			before = strings.TrimSuffix(before, spliceGap)
		}
		return before + after, had, nil
	}
	if !had && before != "" {
		before += spliceGap
	}
	return before + spliceBegin + "\n" + text + "\n" + spliceEnd + after, had, nil
}
