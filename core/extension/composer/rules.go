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

func (r *reader) options(d *document) {
	if d.Model != nil && d.Model.From != sessionModels {
		r.bad("model.source", fmt.Sprintf("is %.60q, and has to be %q", d.Model.From, sessionModels))
	}
	if d.Permission != nil && d.Permission.From != sessionModes {
		r.bad("permission.source", fmt.Sprintf("is %.60q, and has to be %q", d.Permission.From, sessionModes))
	}
	r.p.ReasoningWithModel = d.SetModel.Reasoning
	if d.Options == nil {
		r.p.Options.Reasoning = reasoningOption
		if d.Model != nil {
			r.p.Options.Model = modelOption
		}
		if d.Permission != nil {
			r.p.Options.Permission = modeOption
		}
		return
	}
	o := d.Options
	r.p.Options = Options{o.Model.ID, o.Permission.ID, o.Reasoning.ID, o.Model.Metadata, o.Reasoning.Efforts, o.Reasoning.Default}
	id := func(name, id, needed string) {
		switch {
		case id == "" && needed != "":
			r.bad("configOptions."+name+".acpOptionId", needed)
		case id != "" && !idForm.MatchString(id):
			r.bad("configOptions."+name+".acpOptionId", idRule)
		}
	}
	needed := ""
	if o.Model.Metadata != "" {
		needed = "is missing, and something is said of the descriptions of models"
	}
	id("model", o.Model.ID, needed)
	if o.Model.Metadata != "" && o.Model.Metadata != creditsPerModel {
		r.bad("configOptions.model.descriptionMetadataFormat", fmt.Sprintf("is %.60q, and only %q is known", o.Model.Metadata, creditsPerModel))
	}
	id("permission", o.Permission.ID, "")
	if needed = ""; o.Reasoning.Efforts != nil || o.Reasoning.Default != "" {
		needed = "is missing, and something is said of efforts"
	}
	id("reasoning", o.Reasoning.ID, needed)
	if len(o.Reasoning.Efforts) > maxList || !distinct(o.Reasoning.Efforts, effortForm) {
		r.bad("configOptions.reasoning.options", "are not different words of a-z, 0-9, underscore and hyphen")
	}
	if o.Reasoning.Default != "" && !slices.Contains(o.Reasoning.Efforts, o.Reasoning.Default) {
		r.bad("configOptions.reasoning.default", "is none of its options")
	}
}

// modes are those of permission, and where these are right what is said of them: which is chosen at the start, and which is
// that of planning.
func (r *reader) modes(d *document) {
	const field = "permissionModes"
	before := len(r.found)
	if len(d.Modes) > maxList {
		r.bad(field, fmt.Sprintf("has more than %d elements", maxList))
		return
	}
	for i, m := range d.Modes {
		switch {
		case m.ID == "" || strings.TrimSpace(m.ID) != m.ID || len(m.ID) > 128 || strings.ContainsFunc(m.ID, unicode.IsControl):
			r.bad(at(field, i, "runtimeId"), "is empty, too long, or holds blanks at an end or control characters")
		case slices.ContainsFunc(r.p.Modes, func(o Mode) bool { return strings.EqualFold(o.ID, m.ID) }):
			r.bad(at(field, i, "runtimeId"), "is the same as another where case does not count")
		}
		if !slices.Contains(semantics, m.Semantic) {
			r.bad(at(field, i, "semantic"), fmt.Sprintf("is %.60q, and has to be one of %s", m.Semantic, words(semantics)))
		}
		switch {
		case m.Decision != Ask && m.Decision != Approved && m.Decision != Denied:
			r.bad(at(field, i, "automaticDecision"), fmt.Sprintf("is %.60q, and has to be approved or denied", m.Decision))
		case !slices.Contains(semantics, m.Semantic):
		case m.Decision == Approved && m.Semantic != FullAccess:
			r.bad(at(field, i, "automaticDecision"), "approves of itself, which only full-access may")
		case m.Decision == Denied && m.Semantic != ReadOnly && m.Semantic != LockedDown:
			r.bad(at(field, i, "automaticDecision"), "denies of itself, which only read-only and locked-down may")
		}
		r.p.Modes = append(r.p.Modes, Mode(m))
	}
	if len(r.found) == before {
		r.launch(d)
	}
	if len(r.found) == before {
		r.plan(d)
	}
}

// launchable are the semantics that can be chosen on the command line, each of which needs one mode.
var launchable = []Semantic{AskBeforeWrite, Auto, FullAccess}

func (r *reader) launch(d *document) {
	l := d.Launch.Permission
	if l == nil {
		return
	}
	const field = "launchSettings.permission"
	if l.Placeholder != PermissionPlaceholder {
		r.bad(field+".placeholder", fmt.Sprintf("is %.60q, and has to be %q", l.Placeholder, PermissionPlaceholder))
	}
	if l.Default != "" && l.Default != AskBeforeWrite {
		r.bad(field+".defaultSemantic", fmt.Sprintf("is %.60q, and has to be %q", l.Default, AskBeforeWrite))
	}
	before := len(r.found)
	var ids []string
	for i, m := range r.p.Modes {
		if !slices.Contains(launchable, m.Semantic) {
			r.bad(at("permissionModes", i, "semantic"), "cannot be chosen on the command line, as launchSettings says; "+words(launchable)+" can")
		}
		ids = append(ids, m.ID)
	}
	if !distinct(ids, idForm) {
		r.bad("permissionModes", "hold a runtimeId that cannot stand on a command line, as launchSettings says: it "+idRule)
	}
	for _, s := range launchable {
		if _, ok := r.p.Mode(s); len(r.found) == before && (!ok || len(r.p.Modes) != len(launchable)) {
			r.bad("permissionModes", "have to be one each of "+words(launchable)+", since launchSettings chooses among them")
		}
	}
	r.p.Launch = &Launch{Default: AskBeforeWrite}
}

func (r *reader) plan(d *document) {
	w := d.Workflow.Plan
	if w == nil {
		return
	}
	const field = "workflowModes.plan"
	p := &Plan{Enabled: w.Enabled, Disabled: w.Disabled, Restarts: w.Update == "restart-with-launch-permission"}
	if !idForm.MatchString(w.Enabled) {
		r.bad(field+".enabledRuntimeId", idRule)
	} else if p.Restarts && slices.ContainsFunc(r.p.Modes, func(m Mode) bool { return m.ID == w.Enabled }) {
		r.bad(field+".enabledRuntimeId", "is one of permissionModes, between which and planning a restart could not tell")
	}
	switch {
	case !idForm.MatchString(w.Disabled):
		r.bad(field+".disabledRuntimeId", idRule)
	case w.Enabled == w.Disabled:
		r.bad(field+".disabledRuntimeId", "is the same as enabledRuntimeId")
	}
	switch {
	case w.Update != "" && w.Update != "session-mode" && !p.Restarts:
		r.bad(field+".updateStrategy", fmt.Sprintf("is %.60q, and has to be session-mode or restart-with-launch-permission", w.Update))
	case p.Restarts && r.p.Launch == nil:
		r.bad(field+".updateStrategy", "needs launchSettings.permission")
	}
	r.p.Plan = p
}

func (r *reader) commands(d *document) {
	if d.Commands == nil {
		return
	}
	const field = "slashCommands.commands"
	if n := len(d.Commands.List); n == 0 || n > maxList {
		r.bad(field, fmt.Sprintf("lists %d, and has to list 1 to %d", n, maxList))
		return
	}
	var names []string
	for i, c := range d.Commands.List {
		switch {
		case !commandForm.MatchString(c.Name):
			r.bad(at(field, i, "name"), "has to be 1 to 64 of a-z, 0-9, dot, underscore, colon and hyphen, with a letter or digit first")
		case slices.Contains(names, c.Name):
			r.bad(at(field, i, "name"), "stands twice")
		}
		if !slices.Contains(effects, c.Effect) {
			r.bad(at(field, i, "effect"), fmt.Sprintf("is %.60q, and has to be one of %s", c.Effect, words(effects[1:])))
		}
		names = append(names, c.Name)
	}
	r.p.Commands = &Commands{d.Commands.Authoritative, d.Commands.List}
}

func (r *reader) skills(d *document) {
	s := d.Skills
	if s == nil {
		return
	}
	if s.Invocation != "textTrigger" && s.Invocation != "promptItem" {
		r.bad("skills.invocation", fmt.Sprintf("is %.60q, and has to be textTrigger or promptItem", s.Invocation))
	}
	prefix := s.Prefix
	if !strings.HasPrefix(prefix, "/") && !strings.HasPrefix(prefix, "$") || utf8.RuneCountInString(prefix) > 8 ||
		strings.ContainsFunc(prefix, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }) {
		r.bad("skills.triggerPrefix", "has to begin with / or $, and to be 1 to 8 characters without blanks")
	}
	switch {
	case s.Projection != "" && s.Projection != "unlisted-as-skills":
		r.bad("skills.runtimeCommandProjection", fmt.Sprintf("is %.60q, and only \"unlisted-as-skills\" is known", s.Projection))
	case s.Projection != "" && (d.Commands == nil || !d.Commands.Authoritative):
		r.bad("skills.runtimeCommandProjection", "needs slashCommands with commandCatalogAuthoritative")
	}
	if len(s.Roots) == 0 {
		r.bad("skills.roots", "is missing or empty")
	}
	r.p.Skills = &Skills{s.Invocation == "promptItem", prefix, s.Projection != "", s.Roots}
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
