package canon

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/outside"
)

// Agent is the definition of a custom agent, made by a person. The zero value is none.
type Agent struct {
	Name         string // one line
	Description  string // one line
	Instructions string // any text; it stands in the document as a quotation, so that it opens nothing
	Skills       []string
	Tools        []string
}

// Clone is a copy that shares nothing.
func (a Agent) Clone() Agent {
	a.Skills, a.Tools = slices.Clone(a.Skills), slices.Clone(a.Tools)
	return a
}

// maxInstructions bounds the instructions of an agent, in bytes.
const maxInstructions = 32 << 10

func (a Agent) check() error {
	bad := func(detail string) error { return fault.New(fault.Invalid, "render text", "agent", detail) }
	if len(a.Instructions) > maxInstructions {
		return bad("its instructions are longer than 32 KiB")
	}
	if len(a.Skills) > 64 || len(a.Tools) > 64 {
		return bad("it lists more than 64 skills or tools")
	}
	for _, text := range append(append([]string{a.Name, a.Description, a.Instructions}, a.Skills...), a.Tools...) {
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return bad("a text of it is not UTF-8, or holds a NUL byte")
		}
	}
	return nil
}

// agentView is an agent as templates see it.
type agentView struct {
	Set                             bool
	Name, Description, Instructions string
	Skills, Tools                   []string
}

func (a Agent) view() agentView {
	v := agentView{
		Name: outside.Line(a.Name, 100), Description: outside.Line(a.Description, 500), Instructions: strings.TrimSpace(a.Instructions),
		Skills: lines(a.Skills), Tools: lines(a.Tools),
	}
	v.Set = v.Name != "" || v.Description != "" || v.Instructions != "" || len(v.Skills) > 0 || len(v.Tools) > 0
	return v
}

func lines(list []string) []string {
	var out []string
	for _, text := range list {
		if text = outside.Line(text, 100); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// quote is text of a person's as a Markdown quotation, in which no line ends the quotation and no comment begins.
func quote(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "<!--", "‹!--", "-->", "--›").Replace(text)
	rows := strings.Split(text, "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight("> "+row, " \t")
	}
	return strings.Join(rows, "\n")
}
