package extension

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/Masterminds/semver/v3"

	"github.com/greenroom-agents/greenroom/core/extension/composer"
	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/internal/client"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// Finding is one rule that a package breaks.
type Finding struct {
	File  string `json:"file"`
	Field string `json:"field,omitempty"`
	Line  int    `json:"line,omitempty"` // 0 when it is not one line
	Rule  string `json:"rule"`           // what is wrong
	Hint  string `json:"hint,omitempty"` // how to mend it
}

func (f Finding) err() error {
	subject := "package: " + clip(f.File)
	if f.Line > 0 {
		subject += fmt.Sprintf(" line %d", f.Line)
	}
	if f.Field != "" {
		subject += ": " + clip(f.Field)
	}
	return fault.New(fault.PackageRules, "read", subject, f.Rule).WithHint(f.Hint)
}

// Validate lists all rules that the content breaks. It says nothing of the signature.
func (c *Content) Validate() []Finding {
	return slices.Clone(c.reading().found)
}

// manifest is that of the content, or the first rule that it breaks.
func (c *Content) manifest() (Manifest, error) {
	r := c.reading()
	if len(r.found) > 0 {
		return Manifest{}, r.found[0].err()
	}
	return r.manifest, nil
}

func (c *Content) validate() (Manifest, []Finding) {
	v := validation{content: c, file: ManifestFile, named: map[string]bool{ManifestFile: true}}
	if !v.decode(ManifestFile, &v.manifest) {
		return v.manifest, v.found
	}
	v.identity()
	v.runtime()
	v.references()
	for _, name := range c.Names() {
		if !v.named[name] && !slices.Contains(documentation, name) {
			v.add(Finding{File: name, Rule: "is not named by the manifest, so that nothing could use it",
				Hint: "name it in " + ManifestFile + ", or take it away"})
		}
	}
	if len(v.found) == 0 {
		v.agent()
	}
	return v.manifest, v.found
}

type validation struct {
	content  *Content
	manifest Manifest
	file     string // that fields are of
	named    map[string]bool
	found    []Finding
}

func (v *validation) add(f Finding) { v.found = append(v.found, f) }

func (v *validation) bad(field, rule, hint string) {
	v.add(Finding{File: v.file, Field: field, Rule: rule, Hint: hint})
}

func (v *validation) decode(file string, into any) bool {
	found := strictjson.DecodeAll(v.content.files[file], into)
	for _, where := range found {
		v.add(Finding{File: file, Field: where.Field, Line: where.Line, Rule: where.Detail, Hint: fieldsHint})
	}
	return len(found) == 0
}

func (v *validation) identity() {
	m := v.manifest
	if m.SchemaVersion != ManifestSchema {
		v.bad("schemaVersion", fmt.Sprintf("is %q, and has to be %q", m.SchemaVersion, ManifestSchema), "older packages have to be brought up to that schema")
	}
	if !trust.ValidID(m.AgentKey) {
		v.bad("agentKey", fmt.Sprintf("is %q, and has to be 1 to 64 of a-z, 0-9, dot, underscore and hyphen, with a letter or digit at both ends", m.AgentKey), "")
	}
	if _, err := semver.StrictNewVersion(m.Version); err != nil {
		v.bad("version", fmt.Sprintf("is %q, and has to be a semantic version such as 1.0.0", m.Version), "")
	}
	v.text("name", m.Name, true)
	v.text("description", m.Description, false)
}

func (v *validation) text(field, s string, needed bool) {
	if needed && strings.TrimSpace(s) == "" {
		v.bad(field, "is missing or empty", "")
	}
	if len(s) > 2000 || strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		v.bad(field, "is longer than 2000 bytes or holds control characters", "")
	}
}

var (
	npmPackage  = regexp.MustCompile(`^(?:@[a-z0-9][a-z0-9._-]*/)?[a-z0-9][a-z0-9._-]*@\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$`)
	uvPackage   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*(?:\[[A-Za-z0-9._,-]+\])?==\d+\.\d+\.\d+[A-Za-z0-9._+-]*$`)
	placeholder = regexp.MustCompile(`\$\{[^}]*\}`)
	envName     = regexp.MustCompile(`^[A-Z_][A-Z0-9_]*$`)
	envValue    = regexp.MustCompile(`^\$\{env:TUTTI_[A-Z0-9_]+\}$`)
)

const installRoot = "${installRoot}"

func (v *validation) runtime() {
	r := v.manifest.Runtime
	if r.Kind != "standard-acp" {
		v.bad("runtime.kind", fmt.Sprintf("is %q, and has to be \"standard-acp\"", r.Kind), "")
	}
	exact := func(form *regexp.Regexp, example string) {
		if n := len(r.Install.Args); n == 0 || !form.MatchString(r.Install.Args[n-1]) {
			v.bad("runtime.install.args", "does not end in one package of an exact version", "write it as "+example)
		}
	}
	switch r.Install.Runner {
	case "npm", "pnpm":
		exact(npmPackage, "@scope/name@1.2.3")
	case "uv":
		exact(uvPackage, "name==1.2.3")
	case "binary":
		if n := len(r.Install.Artifacts); n == 0 || n > 16 {
			v.bad("runtime.install.artifacts", fmt.Sprintf("lists %d platforms, and has to list 1 to 16", n), "")
		}
	default:
		v.bad("runtime.install.runner", fmt.Sprintf("is %q, and has to be npm, pnpm, uv or binary", r.Install.Runner), "")
	}
	if r.Install.Runner != "binary" && r.Install.Artifacts != nil {
		v.bad("runtime.install.artifacts", "belongs to the runner binary", "take it away")
	}
	v.arguments("runtime.install.args", r.Install.Args)
	v.arguments("runtime.launch.args", r.Launch.Args)
	v.arguments("runtime.launch.executable", []string{r.Launch.Executable})
	rest, ok := strings.CutPrefix(r.Launch.Executable, installRoot+"/")
	if !ok || slices.Contains(strings.Split(rest, "/"), "..") || strings.Contains(rest, `\`) || rest == "" {
		v.bad("runtime.launch.executable", "does not lie below "+installRoot, "")
	}
	if len(r.Launch.Env) > 32 {
		v.bad("runtime.launch.env", "names more than 32 variables", "")
	}
	for name, value := range r.Launch.Env {
		if !envName.MatchString(name) || !envValue.MatchString(value) {
			v.bad("runtime.launch.env."+name, "is not a variable in capitals with a value such as ${env:TUTTI_NAME}", "")
		}
	}
}

func (v *validation) arguments(field string, args []string) {
	for _, a := range args {
		if len(a) > 1000 || strings.ContainsAny(a, "|;&`<>") || strings.Contains(a, "$(") || strings.ContainsFunc(a, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			v.bad(field, fmt.Sprintf("holds %s, which a shell could take for something else", clip(a)), "")
		}
		for _, p := range placeholder.FindAllString(a, -1) {
			if p == composer.PermissionPlaceholder && field == "runtime.launch.args" {
				continue // agentOf looks whether there is a choice
			}
			if p != installRoot && p != "${projectRoot}" && p != "${platform}" {
				v.bad(field, "holds the placeholder "+clip(p)+", which is not known", "")
			}
		}
	}
}

// references are the files that the manifest names.
func (v *validation) references() {
	m := v.manifest
	v.picture("icon", &m.Icon)
	v.picture("maskIcon", m.MaskIcon)
	v.picture("heroImage", m.HeroImage)
	if m.Profiles[ProfileDiscovery] == "" {
		v.bad("profiles."+ProfileDiscovery, "is missing", "")
	}
	for _, kind := range slices.Sorted(maps.Keys(m.Profiles)) {
		v.profile(kind, m.Profiles[kind])
	}
	l := m.LocalizationInfo
	v.text("localizationInfo.defaultLocale", l.DefaultLocale, true)
	v.document("localizationInfo.defaultFile", l.DefaultFile)
	for i, other := range l.AdditionalLocales {
		v.text(fmt.Sprintf("localizationInfo.additionalLocales[%d].locale", i), other.Locale, true)
		v.document(fmt.Sprintf("localizationInfo.additionalLocales[%d].file", i), other.File)
	}
	v.plugins()
}

// names notes that a field names a file, and says whether it may and the file is there.
func (v *validation) names(field, file string, kinds []string) bool {
	bad := badPath(file)
	if bad == "" && !slices.Contains(kinds, kind(file)) {
		bad = "is no file of the kind " + strings.Join(kinds, " ")
	}
	if bad == "" && v.content.files[file] == nil {
		bad = "is not in the package"
	}
	if bad != "" {
		v.bad(field, fmt.Sprintf("names %q, which %s", file, bad), "name a file by its path below the package, with slashes")
		return false
	}
	v.named[file] = true
	if len(v.content.files[file]) == 0 {
		v.add(Finding{File: file, Rule: "is empty"})
		return false
	}
	return true
}

// fieldsHint is how to mend what is said of a field whose rule alone does not tell.
const fieldsHint = "mend the file; docs/authoring-extensions.md lists the fields, and `greenroom extension init` makes a file that is right"

// document is a JSON file whose shape is not ours.
func (v *validation) document(field, file string) bool {
	if !v.names(field, file, []string{".json"}) {
		return false
	}
	var where *strictjson.Error
	if errors.As(strictjson.Check(v.content.files[file]), &where) {
		v.add(Finding{File: file, Field: where.Field, Line: where.Line, Rule: where.Detail})
		return false
	}
	return true
}

func (v *validation) profile(kind, file string) {
	schema, known := profileSchemas[kind]
	if !known {
		v.bad("profiles."+kind, "is a kind of profile that is not known", "known are "+strings.Join(slices.Sorted(maps.Keys(profileSchemas)), ", "))
		return
	}
	if !v.document("profiles."+kind, file) {
		return
	}
	if has := schemaOf(v.content.files[file]); has != schema {
		v.add(Finding{File: file, Field: "schemaVersion", Rule: fmt.Sprintf("is %q, and has to be %q", clip(has), schema)})
	} else if kind == ProfileComposer {
		v.composer(file)
	} else if kind == ProfileDiscovery {
		span := constraintOf(v.content.files[file])
		if _, err := client.Supported("0.0.0", span); err != nil {
			v.add(Finding{File: file, Field: "constraint", Rule: fmt.Sprintf("is %q, which is no range of versions", clip(span)), Hint: "write it as >=1.2 <2"})
		}
	}
}

// agent looks for what is in each other's way when a session is prepared.
func (v *validation) agent() {
	a, err := agentOf(v.manifest, v.content.files)
	if err == nil {
		_, err = overlay.New(a)
	}
	var e *fault.Error
	if errors.As(err, &e) {
		v.add(Finding{File: ManifestFile, Field: e.Subject, Rule: e.Detail, Hint: "look at clientPlugins, runtime and the composer profile"})
	}
}

// composer holds the profile that sessions are prepared by to its rules.
func (v *validation) composer(file string) {
	_, found := composer.Read(v.content.files[file])
	for _, err := range found {
		var e *fault.Error
		if errors.As(err, &e) {
			v.add(Finding{File: file, Field: e.Subject, Rule: e.Detail, Hint: cmp.Or(e.Hint, fieldsHint)})
		}
	}
}

func (v *validation) plugins() {
	seen := map[string]bool{}
	for i, p := range v.manifest.ClientPlugins {
		at := fmt.Sprintf("clientPlugins[%d]", i)
		if (p.File == "") == (len(p.Tell) == 0) {
			v.bad(at, "names neither a file nor what to tell, or both", "")
		} else if p.File != "" && v.names(at+".file", p.File, sourceKinds) {
			if data := v.content.files[p.File]; !utf8.Valid(data) || slices.Contains(data, 0) {
				v.add(Finding{File: p.File, Rule: "is no text"})
			}
		}
		if bad := badPath(p.To); bad != "" {
			v.bad(at+".to", bad, "give a path below the home of the session")
		}
		if seen[strings.ToLower(p.To)] {
			v.bad(at+".to", "stands twice", "")
		}
		seen[strings.ToLower(p.To)] = true
	}
}
