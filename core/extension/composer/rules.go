package composer

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	// idForm is that of options and modes, which may stand on a command line.
	idForm      = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$`)
	commandForm = regexp.MustCompile(`^[a-z0-9][a-z0-9._:-]{0,63}$`)
	effortForm  = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,31}$`)
)

// maxList bounds each list.
const maxList = 128

// creditsPerModel is the one form of metadata that there is.
const creditsPerModel = "credit-consumption-multiplier-v1"

// What older profiles name, and the ids that it stands for.
const (
	sessionModels, modelOption = "acp-session-models", "model"
	sessionModes, modeOption   = "acp-session-modes", "mode"
	reasoningOption            = "reasoning_effort"
)

const idRule = "has to be 1 to 128 of A-Z, a-z, 0-9, dot, underscore, colon and hyphen, with a letter or digit first"

func (p *Profile) options(d *document) error {
	switch {
	case d.Model != nil && d.Model.From != sessionModels:
		return bad("model.source", fmt.Sprintf("is %.60q, and has to be %q", d.Model.From, sessionModels))
	case d.Permission != nil && d.Permission.From != sessionModes:
		return bad("permission.source", fmt.Sprintf("is %.60q, and has to be %q", d.Permission.From, sessionModes))
	}
	p.ReasoningWithModel = d.SetModel.Reasoning
	if d.Options == nil {
		p.Options.Reasoning = reasoningOption
		if d.Model != nil {
			p.Options.Model = modelOption
		}
		if d.Permission != nil {
			p.Options.Permission = modeOption
		}
		return nil
	}
	o := d.Options
	p.Options = Options{o.Model.ID, o.Permission.ID, o.Reasoning.ID, o.Model.Metadata, o.Reasoning.Efforts, o.Reasoning.Default}
	for name, id := range map[string]string{"model": o.Model.ID, "permission": o.Permission.ID, "reasoning": o.Reasoning.ID} {
		if id != "" && !idForm.MatchString(id) {
			return bad("configOptions."+name+".acpOptionId", idRule)
		}
	}
	switch {
	case o.Model.Metadata != "" && o.Model.Metadata != creditsPerModel:
		return bad("configOptions.model.descriptionMetadataFormat", fmt.Sprintf("is %.60q, and only %q is known", o.Model.Metadata, creditsPerModel))
	case o.Model.Metadata != "" && o.Model.ID == "":
		return bad("configOptions.model.acpOptionId", "is missing, and something is said of the descriptions of models")
	case o.Reasoning.ID == "" && (o.Reasoning.Efforts != nil || o.Reasoning.Default != ""):
		return bad("configOptions.reasoning.acpOptionId", "is missing, and something is said of efforts")
	case len(o.Reasoning.Efforts) > maxList || !distinct(o.Reasoning.Efforts, effortForm):
		return bad("configOptions.reasoning.options", "are not different words of a-z, 0-9, underscore and hyphen")
	case o.Reasoning.Default != "" && !slices.Contains(o.Reasoning.Efforts, o.Reasoning.Default):
		return bad("configOptions.reasoning.default", "is none of its options")
	}
	return nil
}

func (p *Profile) modes(d *document) error {
	const field = "permissionModes"
	if len(d.Modes) > maxList {
		return bad(field, fmt.Sprintf("has more than %d elements", maxList))
	}
	for i, m := range d.Modes {
		switch {
		case m.ID == "" || strings.TrimSpace(m.ID) != m.ID || len(m.ID) > 128 || strings.ContainsFunc(m.ID, unicode.IsControl):
			return bad(at(field, i, "runtimeId"), "is empty, too long, or holds blanks at an end or control characters")
		case slices.ContainsFunc(p.Modes, func(o Mode) bool { return strings.EqualFold(o.ID, m.ID) }):
			return bad(at(field, i, "runtimeId"), "is the same as another where case does not count")
		case !slices.Contains(semantics, m.Semantic):
			return bad(at(field, i, "semantic"), fmt.Sprintf("is %.60q, and has to be one of %s", m.Semantic, words(semantics)))
		case m.Decision != Ask && m.Decision != Approved && m.Decision != Denied:
			return bad(at(field, i, "automaticDecision"), fmt.Sprintf("is %.60q, and has to be approved or denied", m.Decision))
		case m.Decision == Approved && m.Semantic != FullAccess:
			return bad(at(field, i, "automaticDecision"), "approves of itself, which only full-access may")
		case m.Decision == Denied && m.Semantic != ReadOnly && m.Semantic != LockedDown:
			return bad(at(field, i, "automaticDecision"), "denies of itself, which only read-only and locked-down may")
		}
		p.Modes = append(p.Modes, Mode(m))
	}
	return nil
}

// launchable are the semantics that can be chosen on the command line, each of which needs one mode.
var launchable = []Semantic{AskBeforeWrite, Auto, FullAccess}

func (p *Profile) launch(d *document) error {
	l := d.Launch.Permission
	if l == nil {
		return nil
	}
	const field = "launchSettings.permission"
	if l.Placeholder != PermissionPlaceholder {
		return bad(field+".placeholder", fmt.Sprintf("is %.60q, and has to be %q", l.Placeholder, PermissionPlaceholder))
	}
	if l.Default != "" && l.Default != AskBeforeWrite {
		return bad(field+".defaultSemantic", fmt.Sprintf("is %.60q, and has to be %q", l.Default, AskBeforeWrite))
	}
	var ids []string
	for i, m := range p.Modes {
		if !slices.Contains(launchable, m.Semantic) {
			return bad(at("permissionModes", i, "semantic"), "cannot be chosen on the command line, as launchSettings says; "+words(launchable)+" can")
		}
		ids = append(ids, m.ID)
	}
	if !distinct(ids, idForm) {
		return bad("permissionModes", "hold a runtimeId that cannot stand on a command line, as launchSettings says: it "+idRule)
	}
	for _, s := range launchable {
		if _, ok := p.Mode(s); !ok || len(p.Modes) != len(launchable) {
			return bad("permissionModes", "have to be one each of "+words(launchable)+", since launchSettings chooses among them")
		}
	}
	p.Launch = &Launch{Default: AskBeforeWrite}
	return nil
}

func (p *Profile) plan(d *document) error {
	w := d.Workflow.Plan
	if w == nil {
		return nil
	}
	const field = "workflowModes.plan"
	p.Plan = &Plan{Enabled: w.Enabled, Disabled: w.Disabled, Restarts: w.Update == "restart-with-launch-permission"}
	switch {
	case !idForm.MatchString(w.Enabled):
		return bad(field+".enabledRuntimeId", idRule)
	case !idForm.MatchString(w.Disabled):
		return bad(field+".disabledRuntimeId", idRule)
	case w.Enabled == w.Disabled:
		return bad(field+".disabledRuntimeId", "is the same as enabledRuntimeId")
	case w.Update != "" && w.Update != "session-mode" && !p.Plan.Restarts:
		return bad(field+".updateStrategy", fmt.Sprintf("is %.60q, and has to be session-mode or restart-with-launch-permission", w.Update))
	case p.Plan.Restarts && p.Launch == nil:
		return bad(field+".updateStrategy", "needs launchSettings.permission")
	case p.Plan.Restarts && slices.ContainsFunc(p.Modes, func(m Mode) bool { return m.ID == w.Enabled }):
		return bad(field+".enabledRuntimeId", "is one of permissionModes, between which and planning a restart could not tell")
	}
	return nil
}

func (p *Profile) commands(d *document) error {
	if d.Commands == nil {
		return nil
	}
	const field = "slashCommands.commands"
	if n := len(d.Commands.List); n == 0 || n > maxList {
		return bad(field, fmt.Sprintf("lists %d, and has to list 1 to %d", n, maxList))
	}
	var names []string
	for i, c := range d.Commands.List {
		switch {
		case !commandForm.MatchString(c.Name):
			return bad(at(field, i, "name"), "has to be 1 to 64 of a-z, 0-9, dot, underscore, colon and hyphen, with a letter or digit first")
		case slices.Contains(names, c.Name):
			return bad(at(field, i, "name"), "stands twice")
		case !slices.Contains(effects, c.Effect):
			return bad(at(field, i, "effect"), fmt.Sprintf("is %.60q, and has to be one of %s", c.Effect, words(effects[1:])))
		}
		names = append(names, c.Name)
	}
	p.Commands = &Commands{d.Commands.Authoritative, d.Commands.List}
	return nil
}

func (p *Profile) skills(d *document) error {
	s := d.Skills
	if s == nil {
		return nil
	}
	prefix := s.Prefix
	switch {
	case s.Invocation != "textTrigger" && s.Invocation != "promptItem":
		return bad("skills.invocation", fmt.Sprintf("is %.60q, and has to be textTrigger or promptItem", s.Invocation))
	case !strings.HasPrefix(prefix, "/") && !strings.HasPrefix(prefix, "$") || utf8.RuneCountInString(prefix) > 8 ||
		strings.ContainsFunc(prefix, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }):
		return bad("skills.triggerPrefix", "has to begin with / or $, and to be 1 to 8 characters without blanks")
	case s.Projection != "" && s.Projection != "unlisted-as-skills":
		return bad("skills.runtimeCommandProjection", fmt.Sprintf("is %.60q, and only \"unlisted-as-skills\" is known", s.Projection))
	case s.Projection != "" && (p.Commands == nil || !p.Commands.Authoritative):
		return bad("skills.runtimeCommandProjection", "needs slashCommands with commandCatalogAuthoritative")
	case len(s.Roots) == 0:
		return bad("skills.roots", "is missing or empty")
	}
	p.Skills = &Skills{s.Invocation == "promptItem", prefix, s.Projection != "", s.Roots}
	return nil
}

// distinct says whether words have a form, and none is there twice.
func distinct(words []string, form *regexp.Regexp) bool {
	for i, w := range words {
		if !form.MatchString(w) || slices.Contains(words[:i], w) {
			return false
		}
	}
	return true
}

func words[T ~string](list []T) string {
	out := make([]string, len(list))
	for i, w := range list {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}
