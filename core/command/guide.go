package command

import (
	"cmp"
	"strings"
)

// Guide lists every command of the session with its inputs, as Markdown, one line each. Texts of apps were made plain
// when the snapshot was taken.
func (s *Snapshot) Guide() string {
	if len(s.list) == 0 {
		return "This session was told of no commands of `" + s.cli + "`.\n"
	}
	var b strings.Builder
	for _, e := range s.list {
		text, _ := s.Text(e.id, nil) // without values there is nothing to be wrong
		b.WriteString("- " + e.summary + ": `" + text + "`")
		if e.text != "" && e.text != e.summary {
			b.WriteString(" - " + e.text)
		}
		if e.appID != "" || e.appName != "" {
			b.WriteString(" Provided by workspace app " + cmp.Or(e.appName, e.appID) + ". App id: " + cmp.Or(e.appID, "unknown") + ".")
		}
		if list := e.arguments(); list != "" {
			b.WriteString(" Arguments: " + list + ".")
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (e *entry) arguments() string {
	list := make([]string, 0, len(e.inputs))
	for _, in := range e.inputs {
		kind := cmp.Or(in.Type, "any")
		facts := "optional"
		if in.Required {
			facts = "required"
		}
		if len(in.Values) > 0 {
			facts += "; values: " + strings.Join(in.Values, ", ")
		}
		if in.Default != "" {
			facts += "; default: " + in.Default
		}
		text := "`--" + in.Name + " <" + kind + ">` (" + facts + ")"
		if in.Text != "" {
			text += " - " + strings.TrimRight(in.Text, ".")
		}
		list = append(list, text)
	}
	return strings.Join(list, "; ")
}
