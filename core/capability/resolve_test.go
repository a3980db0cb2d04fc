package capability_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func pack(name string, c capability.CapabilityContribution) capability.CapabilityPack {
	return capability.CapabilityPack{Name: name, Resolve: func(context.Context, capability.View) (capability.CapabilityContribution, error) { return c, nil }}
}

func spec(id, name string) capability.SkillSpec {
	return capability.SkillSpec{Skill: skill.Skill{ID: id, Name: name, Files: map[string][]byte{
		skill.MainFile: []byte("---\nname: " + name + "\ndescription: about " + name + "\n---\nbody\n")}}}
}

// with is a request of the standard profile and more packs.
func with(t testing.TB, packs ...capability.CapabilityPack) capability.Request {
	r := full(t, shapes()["images"])
	r.Profile = capability.StandardProfile()
	r.Profile.Packs = append(r.Profile.Packs, packs...)
	return r
}

func section(anchor capability.Anchor, key, body string) capability.PolicySection {
	return capability.PolicySection{Anchor: anchor, Key: key, Body: body}
}

func TestC030_DefaultsOfHostFacts(t *testing.T) {
	t.Parallel()
	got, err := capability.HostFacts{}.Complete()
	want := capability.HostFacts{TurnResources: "local-path", WorkspaceScope: "workspace-environment", TargetContinuation: canon.TargetContinuation{Mode: "all"}}
	if err != nil || !cmp.Equal(got, want) {
		t.Errorf("%+v, %v", got, err)
	}
	got, err = managed().Complete()
	if err != nil || !slices.Equal(got.TargetContinuation.UnsupportedTargetIDPrefixes, []string{"remote:"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestC033_C034_C035_HostFactsThatContradict(t *testing.T) {
	t.Parallel()
	for detail, facts := range map[string]capability.HostFacts{
		"requires at least one target id prefix":                   {TargetContinuation: canon.TargetContinuation{Mode: canon.ExceptPrefixes, UnsupportedTargetIDPrefixes: []string{" "}}},
		"cannot exclude target id prefixes":                        {TargetContinuation: canon.TargetContinuation{Mode: canon.ContinueAll, UnsupportedTargetIDPrefixes: []string{"a"}}},
		"resolve host facts: TargetContinuation: its mode is none": {TargetContinuation: canon.TargetContinuation{Mode: "some"}},
		"TurnResources":  {TurnResources: "cloud"},
		"WorkspaceScope": {WorkspaceScope: "planet"},
		"a prefix holds": {TargetContinuation: canon.TargetContinuation{Mode: canon.ExceptPrefixes, UnsupportedTargetIDPrefixes: []string{"a\n# b"}}},
	} {
		r := full(t, shapes()["images"])
		r.Profile.HostFacts = facts
		_, err := capability.Resolve(t.Context(), r)
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(err.Error(), detail) {
			t.Errorf("%s: %v", detail, err)
		}
	}
}

func TestC040_PackIsWhole(t *testing.T) {
	t.Parallel()
	c := capability.CapabilityContribution{
		Enabled: true, Skills: []capability.SkillSpec{spec("", "weather")},
		PolicySections: []capability.PolicySection{section(capability.Tools, "note", "- The weather is {{.Product}}'s.")},
		EnvOverlay:     []string{"TUTTI_WEATHER=on=1"},
	}
	o := tell(t, with(t, pack("weather", c)))
	for what, text := range map[string]string{"document": o.document, "bundle": o.bundle} {
		if !strings.Contains(text, "- The weather is Tutti's.") {
			t.Errorf("the %s lacks the policy", what)
		}
	}
	if _, ok := o.skills["tutti/weather"]; !ok || !strings.Contains(o.document, "`weather`") {
		t.Error("the skill is missing")
	}
	env := o.resolved.Env
	if want := (capability.EnvVar{Name: "TUTTI_WEATHER", Value: "on=1", Pack: "weather"}); !slices.Contains(env, want) {
		t.Errorf("the environment is %v", env)
	}
	i := slices.IndexFunc(o.resolved.Skills, func(s capability.Skill) bool { return s.ID == "tutti/weather" })
	if s := o.resolved.Skills[i]; s.Source != "pack:weather" {
		t.Errorf("it is of %s", s.Source)
	}

	// C053: one that is disabled is nowhere, though it would be refused.
	c.Enabled, c.EnvOverlay = false, []string{"PATH=/x"}
	off := tell(t, with(t, pack("weather", c)))
	if strings.Contains(off.all(), "weather") || slices.ContainsFunc(off.resolved.Env, func(e capability.EnvVar) bool { return e.Pack == "weather" }) {
		t.Error("a disabled pack left something")
	}
	if off.resolved.Digest != tell(t, with(t)).resolved.Digest || off.resolved.Digest == o.resolved.Digest {
		t.Error("the digest does not follow what is there")
	}
}

func TestC042_CustomProfileHasNothingOfTheDesktop(t *testing.T) {
	t.Parallel()
	r := full(t, shapes()["images"])
	r.Profile = capability.DeploymentProfile{Name: "room", Packs: []capability.CapabilityPack{capability.CoreSkills()}}
	o := tell(t, r)
	for _, not := range []string{"around you", "talks to Tutti on this machine", "browser-use", "Connectors"} {
		if strings.Contains(o.document+o.bundle, not) {
			t.Errorf("it is told %q", not)
		}
	}
	var ids []string
	for _, s := range o.resolved.Skills {
		ids = append(ids, s.ID)
	}
	want := []string{"greenroom/cli", "greenroom/handoff", "greenroom/model-allocation", "greenroom/issue-manager", "greenroom/workspace-app", "greenroom/reference"}
	if diff := cmp.Diff(want, ids); diff != "" {
		t.Error(diff)
	}
	if len(o.resolved.Env) != 0 || len(o.resolved.Sections) != 0 {
		t.Errorf("it has %v and %v", o.resolved.Env, o.resolved.Sections)
	}
}

// refusals are what a profile may not bring, and the code and words of the error.
func TestC043_C049_ProfilesThatAreRefused(t *testing.T) {
	t.Parallel()
	on := func(c capability.CapabilityContribution) capability.CapabilityPack {
		c.Enabled = true
		return pack("extra", c)
	}
	sections := func(list ...capability.PolicySection) capability.CapabilityPack {
		return on(capability.CapabilityContribution{PolicySections: list})
	}
	skills := func(list ...capability.SkillSpec) capability.CapabilityPack {
		return on(capability.CapabilityContribution{Skills: list})
	}
	escaping, nameless := spec("a/x", "x"), spec("a/x", "")
	escaping.Files["../x"] = []byte("x")
	for name, test := range map[string]struct {
		packs []capability.CapabilityPack
		code  fault.Code
		says  string
	}{
		"C043 duplicate skill id": {[]capability.CapabilityPack{skills(spec("a/x", "x"), spec("a/x", "y"))}, fault.Invalid, "skill:a/x"},
		"C043 id of a canonical":  {[]capability.CapabilityPack{skills(spec("greenroom/cli", "x"))}, fault.Invalid, "skill:greenroom/cli"},
		"C044 unsafe path":        {[]capability.CapabilityPack{skills(escaping)}, fault.Invalid, "skill:a/x"},
		"skill without a name":    {[]capability.CapabilityPack{skills(nameless)}, fault.Invalid, "name"},
		"C046 duplicate pack":     {[]capability.CapabilityPack{sections(), sections()}, fault.Profile, `pack "extra"`},
		"C047 nameless pack":      {[]capability.CapabilityPack{pack(" ", capability.CapabilityContribution{})}, fault.Profile, "no name"},
		"C047 nil pack":           {[]capability.CapabilityPack{{Name: "nil"}}, fault.Profile, `pack "nil"`},
		"pack of two lines":       {[]capability.CapabilityPack{pack("a\nb", capability.CapabilityContribution{})}, fault.Profile, `pack "a\nb": its name`},
		"hidden sign in a key":    {[]capability.CapabilityPack{sections(section(capability.Tools, "a\u202eb", "x"))}, fault.Profile, `the key "a\u202eb"`},
		"C048 unknown anchor":     {[]capability.CapabilityPack{sections(section("footer", "k", "x"))}, fault.Profile, `pack "extra": section "k" has the unknown anchor "footer"`},
		"C049 unknown delivery":   {[]capability.CapabilityPack{sections(capability.PolicySection{Anchor: capability.Tools, Key: "k", Delivery: "mail", Body: "x"})}, fault.Profile, `unknown delivery "mail"`},
		"two sections of one key": {[]capability.CapabilityPack{sections(section(capability.Tools, "k", "x"), section(capability.Environment, "k", "y"))}, fault.Profile, `key "k"`},
		"unknown canonical skill": {[]capability.CapabilityPack{on(capability.CapabilityContribution{Canonical: []string{"greenroom/none"}})}, fault.Invalid, "greenroom/none"},
		"C060 unknown command":    {[]capability.CapabilityPack{sections(section(capability.Tools, "k", "a\n{{command \"issue.move\" (args)}}"))}, fault.Internal, "extra/k:2"},
		"C061 unknown input":      {[]capability.CapabilityPack{sections(section(capability.Tools, "k", "{{command \"issue.get\" (args \"colour\" \"red\")}}"))}, fault.Internal, "extra/k:1"},
		"unknown enum value":      {[]capability.CapabilityPack{sections(section(capability.Tools, "k", "{{command \"issue.update\" (args \"status\" \"lost\")}}"))}, fault.Internal, "extra/k:1"},
		"C062 unknown key":        {[]capability.CapabilityPack{sections(section(capability.Tools, "k", "{{.Session}}"))}, fault.Internal, "extra/k:1"},
		"input of an unknown one": {[]capability.CapabilityPack{sections(section(capability.Tools, "k", "{{hasInput \"issue.move\" \"a\"}}"))}, fault.Internal, "extra/k:1"},
		"no template":             {[]capability.CapabilityPack{sections(section(capability.Tools, "k", "{{"))}, fault.Invalid, "extra/k"},
		"unknown function":        {[]capability.CapabilityPack{sections(section(capability.Tools, "k", "{{env}}"))}, fault.Invalid, "extra/k"},
		"a pack that fails":       {[]capability.CapabilityPack{{Name: "bad", Resolve: failing}}, fault.Profile, "pack bad"},
	} {
		r := with(t, test.packs...)
		res, err := capability.Resolve(t.Context(), r)
		if err == nil { // found when it is rendered
			_, err = r.Texts.Document(res.Facts)
		}
		if fault.CodeOf(err) != test.code || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v (%s)", name, err, fault.CodeOf(err))
		}
	}
}

var errSecret = errors.New("cause with /a/path")

func failing(context.Context, capability.View) (capability.CapabilityContribution, error) {
	return capability.CapabilityContribution{}, errSecret
}

func TestC045_C090_SkillsOfHostsAndSessions(t *testing.T) {
	t.Parallel()
	r := full(t, shapes()["images"])
	var asked capability.SkillContext
	other, mine, shown := spec("h/other", "other"), spec("h/mine", "mine"), spec("h/shown", "shown")
	other.Providers, mine.Providers, shown.Source = []string{"q"}, []string{"q", "p"}, "shop"
	other.Files = nil // not even looked at
	r.Sources = []capability.SkillSource{capability.SkillSourceFunc(func(_ context.Context, c capability.SkillContext) ([]capability.SkillSpec, error) {
		asked = c
		return []capability.SkillSpec{other, mine, shown}, nil
	})}
	r.Extra = []capability.SkillSpec{spec("", "own")}
	o := tell(t, r)
	got := map[string]string{}
	for _, s := range o.resolved.Skills[8:] {
		got[s.ID] = s.Source
	}
	if diff := cmp.Diff(map[string]string{"h/mine": "host", "h/shown": "shop", "tutti/own": "session"}, got); diff != "" {
		t.Error(diff)
	}
	if asked != r.Context {
		t.Errorf("the source was told %+v", asked)
	}
	if !strings.Contains(o.document, "`computer-use`, `mine`, `shown`, `own`") {
		t.Error("the document does not list them")
	}
	r.Sources = []capability.SkillSource{capability.SkillSourceFunc(func(context.Context, capability.SkillContext) ([]capability.SkillSpec, error) {
		return nil, errSecret
	})}
	if _, err := capability.Resolve(t.Context(), r); fault.CodeOf(err) != fault.Profile || strings.Contains(err.Error(), "/a/path") {
		t.Errorf("a source that fails: %v", err)
	}
	r.SkipSkills = true
	if o := tell(t, r); len(o.skills) != 0 || strings.Contains(o.document, "## Skills") {
		t.Error("C090: skills that were to be skipped are there")
	}
}

func TestC050_C054_C055_OrderOfSections(t *testing.T) {
	t.Parallel()
	at := func(anchor capability.Anchor, key string, order int, d capability.Delivery) capability.PolicySection {
		return capability.PolicySection{Anchor: anchor, Key: key, Order: order, Delivery: d, Body: "- says " + key + "/" + string(anchor)}
	}
	first := pack("zz", capability.CapabilityContribution{Enabled: true, PolicySections: []capability.PolicySection{
		at(capability.Specialized, "s", -9, ""), at(capability.Tools, "late", 5, ""), at(capability.Tools, "b", 0, ""), at(capability.Tools, "a", 0, ""),
		at(capability.Environment, "e", 900, ""), {Anchor: capability.Tools, Key: "blank", Body: " \n"},
		{Anchor: capability.Tools, Key: "renders blank", Body: "{{if .General}}x{{end}}"},
	}})
	second := pack("aa", capability.CapabilityContribution{Enabled: true, PolicySections: []capability.PolicySection{
		at(capability.Tools, "", 0, ""), at(capability.SkillStrategy, "runtime", 0, capability.ProviderRuntime), at(capability.SkillStrategy, "bundle", 0, capability.SkillBundle),
	}})
	r := full(t, shapes()["images"])
	r.Profile = capability.DeploymentProfile{Name: "x", Packs: []capability.CapabilityPack{first, second}}
	o := tell(t, r)
	var keys []string
	for _, s := range o.resolved.Sections {
		keys = append(keys, s.Key)
	}
	want := []string{"zz/e", "aa/section-0", "zz/a", "zz/b", "zz/renders blank", "zz/late", "aa/bundle", "aa/runtime", "zz/s"}
	if diff := cmp.Diff(want, keys); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(o.document, "- says /tools\n- says a/tools\n- says b/tools\n- says late/tools\n") {
		t.Errorf("the document has another order:\n%s", o.document)
	}
	for what, test := range map[string]struct {
		text        string
		holds, lack string
	}{
		"C051 bundle": {o.bundle, "says bundle", "says runtime"}, "C052 document": {o.document, "says runtime", "says bundle"},
	} {
		if !strings.Contains(test.text, test.holds) || strings.Contains(test.text, test.lack) {
			t.Errorf("%s: deliveries are mixed up", what)
		}
	}
}

// What a pack and a template are given holds no secret, path or id, however deep one looks.
func TestC068_NothingSecretCanBeReached(t *testing.T) {
	t.Parallel()
	seen := map[reflect.Type]bool{}
	var walk func(t reflect.Type, path string)
	var bad []string
	walk = func(ty reflect.Type, path string) {
		switch ty.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
			walk(ty.Elem(), path)
			return
		case reflect.Struct:
		default:
			return
		}
		if seen[ty] {
			return
		}
		seen[ty] = true
		for i := range ty.NumField() {
			f := ty.Field(i)
			name := strings.ToLower(f.Name)
			for _, word := range []string{"secret", "token", "header", "apikey", "credential", "cwd", "sessionid", "agentsession", "home", "environ"} {
				if f.IsExported() && strings.Contains(name, word) {
					bad = append(bad, path+"."+f.Name)
				}
			}
			walk(f.Type, path+"."+f.Name)
		}
	}
	walk(reflect.TypeFor[capability.View](), "View")
	walk(reflect.TypeFor[canon.Facts](), "Facts")
	if len(bad) > 0 || len(seen) < 5 {
		t.Errorf("%v can be reached; %d types were looked at", bad, len(seen))
	}
	for _, body := range []string{"{{.ModelEndpoint.APIKey}}", "{{.Connectors.Headers}}", "{{.Cwd}}", "{{.SessionID}}", "{{.commands}}", "{{.Context.Cwd}}"} {
		r := with(t, pack("curious", capability.CapabilityContribution{Enabled: true, PolicySections: []capability.PolicySection{section(capability.Tools, "k", body)}}))
		if res, err := capability.Resolve(t.Context(), r); err == nil {
			if _, err = r.Texts.Document(res.Facts); err == nil {
				t.Errorf("%s is rendered", body)
			}
		}
	}
}

func TestC069_EnvironmentOfPacks(t *testing.T) {
	t.Parallel()
	d := shapes()["images"]
	d.Env, d.Homes = []string{"PROP_*"}, []preparer.Home{{ID: "prop", Env: "OTHER_HOME"}}
	d.Client.Override, d.Model.KeyVar = "PROPEXE", "MODEL_KEY"
	for _, kv := range []string{
		"PATH=/x", "path=/x", "HOME=/x", "LD_PRELOAD=x", "NODE_OPTIONS=x", "HTTPS_PROXY=x", "GIT_DIR=x", "PROP_HOME=x", "prop_home=x", "OTHER_HOME=x",
		"PROPEXE=x", "MODEL_KEY=x", "TUTTI_MODEL_PLAN_API_KEY=x", "TUTTI_WORKSPACE_ID=x", "TUTTI_AGENT_SESSION_ID=x", "no equals", "=x", "A B=x", "1A=x",
		"OK=a\nb", "OK=\x00", "OK=\xff", "OK=" + strings.Repeat("x", 5000), "TUTTI_BROWSER_USE_ENABLED=0", "tutti_browser_use_enabled=0",
	} {
		r := with(t, pack("extra", capability.CapabilityContribution{Enabled: true, EnvOverlay: []string{kv}}))
		r.Descriptor = d
		_, err := capability.Resolve(t.Context(), r)
		if fault.CodeOf(err) != fault.Profile || !strings.Contains(err.Error(), `pack "extra"`) {
			t.Errorf("%.40q: %v", kv, err)
		}
	}
	r := with(t, pack("extra", capability.CapabilityContribution{Enabled: true, EnvOverlay: []string{"EXTRA_A=1", "EXTRA_B="}}))
	res, err := capability.Resolve(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range res.Env {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"TUTTI_BROWSER_USE_ENABLED", "TUTTI_COMPUTER_USE_ENABLED", "EXTRA_A", "EXTRA_B"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestC025_AgentDefinitionIsTold(t *testing.T) {
	t.Parallel()
	r := full(t, shapes()["images"])
	r.Agent = canon.Agent{
		Name: "Reviewer\n# x", Description: "Reads `changes`.", Instructions: "Be kind.\r\n# Not a heading\n```\n<!-- END -->\u2028last",
		Skills: []string{"reference"}, Tools: []string{"grep", "a\nb"},
	}
	text := tell(t, r).document
	for _, want := range []string{
		"## Your role: Reviewer # x\n", "\nReads 'changes'.\n", "\n> Be kind.\n> # Not a heading\n> ```\n> ‹!-- END --›\n> last\n", "to be used before others: reference.", "unless the person asks: grep, a b.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text[:1600])
		}
	}
	headings(t, "document", text)
	if strings.Contains(tell(t, full(t, shapes()["images"])).document, "Your role") {
		t.Error("a role without a definition")
	}
	for name, a := range map[string]canon.Agent{
		"long": {Instructions: strings.Repeat("x", 40<<10)}, "not UTF-8": {Name: "\xff"}, "NUL": {Description: "\x00"}, "many": {Skills: make([]string, 100)},
	} {
		r.Agent = a
		if _, err := capability.Resolve(t.Context(), r); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Names from outside are in every document as they should be, and open nothing.
func TestIdentityIsOneValueOfTheProfile(t *testing.T) {
	t.Parallel()
	r := full(t, shapes()["images"])
	r.Commands = nil
	r.Profile = capability.StandardProfile()
	r.Profile.Identity = capability.Identity{Product: "Studio", EnvPrefix: "STUDIO_DEV"}
	r.Profile.Title, r.Profile.Intro = "Studio room", "You are a guest."
	r.Identity = capability.Identity{Product: "Loses", CLI: "studio"}
	o := tell(t, r)
	if !strings.HasPrefix(o.document, "# Studio room\n\nYou are a guest.\n") || !strings.Contains(o.document, "`studio` is the command line tool of Studio") ||
		!strings.Contains(o.document, "`studio-dev-handoff`") {
		t.Errorf("it reads\n%s", o.document)
	}
	if text := strings.ReplaceAll(o.all(), skill.MarkerFile, ""); strings.Contains(text, "tutti") || strings.Contains(text, "Tutti") || strings.Contains(text, "Loses") {
		t.Error("another host is named")
	}
}

func TestResolvedIsNotShared(t *testing.T) {
	t.Parallel()
	r := full(t, shapes()["images"])
	r.Extra = []capability.SkillSpec{spec("", "own")}
	res, err := capability.Resolve(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	before := string(res.Skills[8].Files[skill.MainFile])
	r.Extra[0].Files[skill.MainFile][5] = 'X'
	if string(res.Skills[8].Files[skill.MainFile]) != before {
		t.Error("a later change of the host's reached the session")
	}
}

// A warm resolution renders nothing again, and costs a fraction of the first one.
func TestWarmResolutionRendersNothing(t *testing.T) {
	r := full(t, shapes()["images"])
	list := sample.Catalog()
	catalog := command.Fixed(list...)
	if len(list) != 60 {
		t.Fatalf("the catalog has %d commands", len(list))
	}
	once := func() {
		s, err := command.Resolve(t.Context(), catalog, "tutti", "w", command.Projection{})
		if err != nil {
			t.Fatal(err)
		}
		r.Commands = s
		res, err := capability.Resolve(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Texts.Document(res.Facts); err != nil {
			t.Fatal(err)
		}
	}
	once()
	rendered := r.Texts.Renderings()
	allocations := testing.AllocsPerRun(20, once)
	t.Logf("%.0f allocations", allocations)
	if got := r.Texts.Renderings(); got != rendered {
		t.Errorf("texts were rendered %d times again", got-rendered)
	}
	if allocations > 1500 {
		t.Errorf("a warm resolution makes %.0f allocations", allocations)
	}
}

func BenchmarkResolveWarm(b *testing.B) {
	r := full(b, shapes()["images"])
	catalog := command.Fixed(sample.Catalog()...)
	b.ReportAllocs()
	for b.Loop() {
		s, err := command.Resolve(b.Context(), catalog, "tutti", "w", command.Projection{})
		if err != nil {
			b.Fatal(err)
		}
		r.Commands = s
		res, err := capability.Resolve(b.Context(), r)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := r.Texts.Document(res.Facts); err != nil {
			b.Fatal(err)
		}
	}
}

// Whatever outsiders call their things, documents keep their form and front matter stays YAML.
func FuzzTemplateInputs(f *testing.F) {
	set := texts(f)
	f.Add("Reviewer", "Be kind.\n# x", "crm", "Big Board", "Notes: the app", "Does things\n```")
	f.Fuzz(func(t *testing.T, name, instructions, key, display, app, summary string) {
		list := sample.Catalog()[:8]
		list[0].Summary, list[0].AppName, list[0].Description = summary, app, summary
		s, err := command.New("tutti", append(list, command.Command{ID: "connector.available", Path: []string{"connector", "available"}}), command.Projection{})
		if err != nil {
			return
		}
		r := capability.Request{Texts: set, Descriptor: shapes()["images"], Commands: s}
		r.Agent = canon.Agent{Name: name, Instructions: instructions}
		r.Connectors = &connector.Context{Hints: []connector.Hint{{Key: key, DisplayName: display}}, EnabledConnectors: []string{key}, Granted: []string{display}}
		res, err := capability.Resolve(t.Context(), r)
		if err != nil {
			return
		}
		doc, err := r.Texts.Document(res.Facts)
		if err != nil {
			t.Fatal(err)
		}
		headings(t, "document", doc.Text)
		for _, one := range res.Skills {
			if err := one.Check(); err != nil {
				t.Error(err)
			}
			for file, data := range one.Files {
				if file == "command-guide.md" {
					headings(t, "guide", string(data))
				}
			}
		}
	})
}
