package canon

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/outside"
)

//go:embed catalog.md
var catalogText string

var catalog = template.Must(template.New("catalog").Option("missingkey=error").Funcs(template.FuncMap{"code": code}).Parse(catalogText))

// maxPurpose bounds the description of a skill in a catalog, in runes.
const maxPurpose = 1024

// Listed is a skill of a catalog.
type Listed struct {
	Name        string // as the model has to spell it
	Description string
	Path        string // absolute, of its SKILL.md
}

// Catalog lists skills with the paths at which they lie, in the given order, for a client that does not show them to its
// model. No skills give no text. Unlike every other text it names paths, so it is no part of a document: it goes with the
// first prompt.
func Catalog(product string, skills []Listed) (string, error) {
	if len(skills) == 0 {
		return "", nil
	}
	for i := range skills {
		if strings.ContainsAny(skills[i].Path, "\r\n\x00") {
			return "", fault.New(fault.Invalid, "render text", "catalog", "the path of a skill holds a line break, and cannot be told")
		}
	}
	view := struct {
		Product string
		Drive   bool
		Skills  []Listed
	}{outside.Line(product, 128), slices.ContainsFunc(skills, func(s Listed) bool { return drive.MatchString(s.Path) }), slices.Clone(skills)}
	for i := range view.Skills {
		view.Skills[i].Description = outside.Line(view.Skills[i].Description, maxPurpose)
	}
	var b strings.Builder
	if err := catalog.Execute(&b, view); err != nil {
		return "", renderFault(catalog, err)
	}
	return b.String(), nil
}

// drive begins a path of Windows.
var drive = regexp.MustCompile(`^[A-Za-z]:[\\/]`)

// code is text as Markdown shows code, whatever backticks it holds.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}
