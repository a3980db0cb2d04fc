package composer_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension/composer"
	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
)

// whole is a profile that says everything there is.
const whole = `{
  "schemaVersion": "tutti.agent.composer.v1",
  "configOptions": {
    "model": {"acpOptionId": "model", "descriptionMetadataFormat": "credit-consumption-multiplier-v1"},
    "permission": {"acpOptionId": "approval-mode"},
    "reasoning": {"acpOptionId": "effort", "options": ["off", "low", "high"], "default": "low"}
  },
  "permissionModes": [
    {"runtimeId": "default", "semantic": "ask-before-write"},
    {"runtimeId": "auto_edit", "semantic": "auto"},
    {"runtimeId": "yolo", "semantic": "full-access", "automaticDecision": "approved"}
  ],
  "launchSettings": {"permission": {"placeholder": "${permissionMode}"}},
  "workflowModes": {"plan": {"enabledRuntimeId": "plan", "disabledRuntimeId": "default", "updateStrategy": "restart-with-launch-permission"}},
  "setModel": {"reasoningEffortMeta": true},
  "slashCommands": {"commandCatalogAuthoritative": true, "commands": [{"name": "compact", "effect": "submitImmediate"}, {"name": "status"}]},
  "skills": {
    "invocation": "promptItem", "triggerPrefix": "/skill:", "runtimeCommandProjection": "unlisted-as-skills",
    "roots": [{"scope": "workspace", "path": ".agents/skills"}]
  },
  "runtimePrep": {"home": {"envVar": "ACME_HOME", "dirName": "acme"}}
}`

func decoded(t *testing.T, text string) *composer.Profile {
	t.Helper()
	p, err := composer.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestC348_ProfileAsValues(t *testing.T) {
	t.Parallel()
	got := decoded(t, whole)
	want := &composer.Profile{
		Options: composer.Options{Model: "model", Permission: "approval-mode", Reasoning: "effort", ModelMetadata: "credit-consumption-multiplier-v1",
			Efforts: []string{"off", "low", "high"}, DefaultEffort: "low"},
		Modes: []composer.Mode{
			{ID: "default", Semantic: composer.AskBeforeWrite}, {ID: "auto_edit", Semantic: composer.Auto},
			{ID: "yolo", Semantic: composer.FullAccess, Decision: composer.Approved},
		},
		Launch: &composer.Launch{Default: composer.AskBeforeWrite}, Plan: &composer.Plan{Enabled: "plan", Disabled: "default", Restarts: true},
		ReasoningWithModel: true,
		Commands:           &composer.Commands{Authoritative: true, List: []composer.Command{{Name: "compact", Effect: "submitImmediate"}, {Name: "status"}}},
		Skills: &composer.Skills{AsItem: true, Prefix: "/skill:", CommandsAreSkills: true,
			Roots: []runtimeprep.Root{{Scope: runtimeprep.Workspace, Path: ".agents/skills"}}},
		Prep: &runtimeprep.Declaration{Home: &runtimeprep.Home{EnvVar: "ACME_HOME", DirName: "acme"}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	// Older profiles name sources, and mean options by them.
	old := decoded(t, `{"schemaVersion":"tutti.agent.composer.v1","model":{"source":"acp-session-models"},"permission":{"source":"acp-session-modes"}}`)
	if diff := cmp.Diff(composer.Options{Model: "model", Permission: "mode", Reasoning: "reasoning_effort"}, old.Options); diff != "" {
		t.Error(diff)
	}
	hermes, err := os.ReadFile("../../../extensions/hermes/package/profiles/composer.json")
	if err != nil {
		t.Fatal(err)
	}
	if p := decoded(t, string(hermes)); len(p.Modes) != 3 || p.Prep == nil || p.Skills.Prefix != "/" {
		t.Errorf("%+v", p)
	}
}

// C348: nothing is approved or denied of itself but where the mode means it; commands have the form that they have; the
// placeholder needs the three modes that can be chosen.
func TestC348_WhatAProfileMayNotSay(t *testing.T) {
	t.Parallel()
	change := func(old, new string) string {
		if !strings.Contains(whole, old) {
			t.Fatalf("there is no %q", old)
		}
		return strings.Replace(whole, old, new, 1)
	}
	mode := func(semantic, decision string) string {
		return `{"schemaVersion":"tutti.agent.composer.v1","permissionModes":[{"runtimeId":"m","semantic":"` + semantic + `","automaticDecision":"` + decision + `"}]}`
	}
	for name, c := range map[string]struct{ text, field, says string }{
		"approved, asks":           {mode("ask-before-write", "approved"), "permissionModes[0].automaticDecision", "only full-access"},
		"approved, edits":          {mode("accept-edits", "approved"), "permissionModes[0].automaticDecision", "only full-access"},
		"approved, auto":           {mode("auto", "approved"), "permissionModes[0].automaticDecision", "only full-access"},
		"approved, locked":         {mode("locked-down", "approved"), "permissionModes[0].automaticDecision", "only full-access"},
		"approved, reads":          {mode("read-only", "approved"), "permissionModes[0].automaticDecision", "only full-access"},
		"denied, full":             {mode("full-access", "denied"), "permissionModes[0].automaticDecision", "only read-only and locked-down"},
		"denied, asks":             {mode("ask-before-write", "denied"), "permissionModes[0].automaticDecision", "only read-only and locked-down"},
		"another decision":         {mode("full-access", "always"), "permissionModes[0].automaticDecision", "approved or denied"},
		"another semantic":         {mode("yolo", "approved"), "permissionModes[0].semantic", "one of ask-before-write"},
		"mode without id":          {change(`"runtimeId": "yolo"`, `"runtimeId": ""`), "permissionModes[2].runtimeId", "empty"},
		"mode with a blank":        {change(`"runtimeId": "yolo"`, `"runtimeId": " yolo"`), "permissionModes[2].runtimeId", "blanks"},
		"two cases of a mode":      {change(`"runtimeId": "yolo"`, `"runtimeId": "DEFAULT"`), "permissionModes[2].runtimeId", "where case does not count"},
		"placeholder":              {change("${permissionMode}", "${mode}"), "launchSettings.permission.placeholder", "${permissionMode}"},
		"default that does not":    {change(`"placeholder": "${permissionMode}"`, `"placeholder": "${permissionMode}", "defaultSemantic": "full-access"`), "launchSettings.permission.defaultSemantic", "ask-before-write"},
		"launch without auto":      {change(`    {"runtimeId": "auto_edit", "semantic": "auto"},`+"\n", ""), "permissionModes", "one each of ask-before-write, auto, full-access"},
		"launch, auto twice":       {change(`{"runtimeId": "auto_edit", "semantic": "auto"}`, `{"runtimeId": "a", "semantic": "auto"}, {"runtimeId": "b", "semantic": "auto"}`), "permissionModes", "one each"},
		"launch with edits":        {change(`"semantic": "auto"`, `"semantic": "accept-edits"`), "permissionModes[1].semantic", "cannot be chosen on the command line"},
		"launch with an option":    {change(`"runtimeId": "auto_edit"`, `"runtimeId": "--yolo"`), "permissionModes", "cannot stand on a command line"},
		"launch with two words":    {change(`"runtimeId": "auto_edit"`, `"runtimeId": "auto edit"`), "permissionModes", "cannot stand on a command line"},
		"plan is an option":        {change(`"enabledRuntimeId": "plan"`, `"enabledRuntimeId": "-plan"`), "workflowModes.plan.enabledRuntimeId", "has to be"},
		"plan without a way back":  {change(`"disabledRuntimeId": "default"`, `"disabledRuntimeId": ""`), "workflowModes.plan.disabledRuntimeId", "has to be"},
		"plan is the way back":     {change(`"disabledRuntimeId": "default"`, `"disabledRuntimeId": "plan"`), "workflowModes.plan.disabledRuntimeId", "same"},
		"plan by another way":      {change("restart-with-launch-permission", "restart"), "workflowModes.plan.updateStrategy", "session-mode"},
		"plan is a mode":           {change(`"enabledRuntimeId": "plan"`, `"enabledRuntimeId": "auto_edit"`), "workflowModes.plan.enabledRuntimeId", "one of permissionModes"},
		"plan restarts nothing":    {change(`  "launchSettings": {"permission": {"placeholder": "${permissionMode}"}},`+"\n", ""), "workflowModes.plan.updateStrategy", "launchSettings"},
		"no commands":              {change(`[{"name": "compact", "effect": "submitImmediate"}, {"name": "status"}]`, "[]"), "slashCommands.commands", "lists 0"},
		"command with a slash":     {change(`"name": "compact"`, `"name": "/compact"`), "slashCommands.commands[0].name", "a-z, 0-9"},
		"command in capitals":      {change(`"name": "compact"`, `"name": "Compact"`), "slashCommands.commands[0].name", "a-z, 0-9"},
		"command with a line":      {change(`"name": "compact"`, `"name": "a\nb"`), "slashCommands.commands[0].name", "a-z, 0-9"},
		"long command":             {change(`"name": "compact"`, `"name": "`+strings.Repeat("a", 65)+`"`), "slashCommands.commands[0].name", "1 to 64"},
		"command twice":            {change(`"name": "status"`, `"name": "compact"`), "slashCommands.commands[1].name", "twice"},
		"another effect":           {change("submitImmediate", "runShell"), "slashCommands.commands[0].effect", "submitImmediate"},
		"option id":                {change(`"approval-mode"`, `"approval mode"`), "configOptions.permission.acpOptionId", "has to be"},
		"metadata":                 {change("credit-consumption-multiplier-v1", "prose"), "configOptions.model.descriptionMetadataFormat", "only"},
		"metadata of nothing":      {change(`"acpOptionId": "model", `, ""), "configOptions.model.acpOptionId", "missing"},
		"default effort":           {change(`"default": "low"`, `"default": "max"`), "configOptions.reasoning.default", "none of its options"},
		"effort twice":             {change(`"off", "low"`, `"low", "low"`), "configOptions.reasoning.options", "different"},
		"efforts of nothing":       {change(`"acpOptionId": "effort", `, ""), "configOptions.reasoning.acpOptionId", "missing"},
		"invocation":               {change("promptItem", "voice"), "skills.invocation", "textTrigger or promptItem"},
		"prefix":                   {change(`"/skill:"`, `"skill:"`), "skills.triggerPrefix", "/ or $"},
		"long prefix":              {change(`"/skill:"`, `"/skills::"`), "skills.triggerPrefix", "1 to 8"},
		"prefix with a blank":      {change(`"/skill:"`, `"/ a"`), "skills.triggerPrefix", "blanks"},
		"projection":               {change("unlisted-as-skills", "all"), "skills.runtimeCommandProjection", "unlisted-as-skills"},
		"projection of any":        {change(`"commandCatalogAuthoritative": true`, `"commandCatalogAuthoritative": false`), "skills.runtimeCommandProjection", "commandCatalogAuthoritative"},
		"no roots":                 {change(`[{"scope": "workspace", "path": ".agents/skills"}]`, "[]"), "skills.roots", "empty"},
		"root outside":             {change(".agents/skills", "../skills"), "skills.roots[0].path", ""},
		"runtimePrep":              {change("ACME_HOME", "PATH"), "home.envVar", ""},
		"schema":                   {change("composer.v1", "composer.v2"), "schemaVersion", "is not"},
		"source of models":         {`{"schemaVersion":"tutti.agent.composer.v1","model":{"source":"guess"}}`, "model.source", "acp-session-models"},
		"source of modes":          {`{"schemaVersion":"tutti.agent.composer.v1","permission":{"source":"guess"}}`, "permission.source", "acp-session-modes"},
		"a field more":             {change(`"setModel"`, `"more": 1, "setModel"`), "more", "no field"},
		"a field more in a mode":   {change(`"runtimeId": "yolo"`, `"runtimeId": "yolo", "label": "x"`), "permissionModes[2].label", "not known"},
		"a field more in commands": {change(`"name": "status"`, `"name": "status", "run": "sh"`), "slashCommands.commands[1].run", "not known"},
		"in another case":          {change(`"automaticDecision"`, `"automaticdecision"`), "permissionModes[2].automaticdecision", "not known"},
		"null":                     {change(`{"reasoningEffortMeta": true}`, "null"), "setModel", "null"},
		"another kind":             {change(`"commandCatalogAuthoritative": true`, `"commandCatalogAuthoritative": "yes"`), "slashCommands.commandCatalogAuthoritative", "true or false"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := composer.Decode([]byte(c.text))
			var e *core.Error
			if p != nil || !errors.As(err, &e) || e.Code != core.ErrInvalid || !strings.HasSuffix(e.Subject, c.field) || !strings.Contains(e.Detail, c.says) {
				t.Errorf("got %v, %v", p, err)
			}
		})
	}
	for name, text := range map[string]string{"twice": change(`"setModel"`, `"setModel": {}, "setModel"`), "empty": " ", "cut": whole[:200]} {
		if _, err := composer.Decode([]byte(text)); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

// All that is wrong is said at once: of the shape everywhere, and where that is right of the rules. What only follows from
// another fault is not said.
func TestC348_AllFaultsAreFound(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change []string
		want   []string
	}{
		"shape": {
			[]string{`"schemaVersion"`, `"b": 1, "a": 1, "schemaVersion"`, `"setModel": {`, `"setModel": {"x": 1, `, `"runtimeId": "yolo"`, `"label": "", "runtimeId": "yolo"`, `"ACME_HOME", "dirName"`, `7, "dirname"`,
				`"triggerPrefix": "/skill:"`, `"triggerPrefix": "never looked at"`, `"scope": "workspace"`, `"scope": 1`},
			[]string{"skills.roots[0].scope", "runtimePrep.home.envVar", "runtimePrep.home.dirname", "a", "b", "permissionModes[2].label", "setModel.x"},
		},
		"rules": {
			[]string{`"model", "descriptionMetadataFormat": "credit`, `"a model", "descriptionMetadataFormat": "prose`, `"approval-mode"`, `"-"`, `"off", "low"`, `"Off", "low"`, `"default": "low"`, `"default": "max"`,
				`"semantic": "ask-before-write"`, `"semantic": "ask"`, `"semantic": "auto"`, `"semantic": "auto", "automaticDecision": "denied"`, `"enabledRuntimeId": "plan"`, `"enabledRuntimeId": "-"`,
				`"name": "compact"`, `"name": "/compact"`, `"name": "status"`, `"name": "status", "effect": "run"`, "promptItem", "voice", "/skill:", "skill:", ".agents/skills", "../skills", "ACME_HOME", "PATH", `"acme"`, `"../acme"`},
			[]string{"configOptions.model.acpOptionId", "configOptions.model.descriptionMetadataFormat", "configOptions.permission.acpOptionId", "configOptions.reasoning.options", "configOptions.reasoning.default",
				"permissionModes[0].semantic", "permissionModes[1].automaticDecision", "slashCommands.commands[0].name", "slashCommands.commands[1].effect", "skills.invocation", "skills.triggerPrefix",
				"skills.roots[0].path", "runtimePrep.home.dirName", "runtimePrep.home.envVar"},
		},
		"rules of sessions": {
			[]string{"ACME_HOME", "PATH", `"acme"`, `"../acme", "copyFiles": ["/etc/passwd"], "configFormat": "toml"`},
			[]string{"runtimePrep.home", "runtimePrep.home.configFile", "runtimePrep.home.configFormat", "runtimePrep.home.copyFiles[0]", "runtimePrep.home.dirName", "runtimePrep.home.envVar"},
		},
		"no JSON": {[]string{`"setModel"`, `setModel`}, []string{"composer profile"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text := whole
			for i := 0; i < len(c.change); i += 2 {
				if !strings.Contains(text, c.change[i]) {
					t.Fatalf("there is no %q", c.change[i])
				}
				text = strings.Replace(text, c.change[i], c.change[i+1], 1)
			}
			p, found := composer.Read([]byte(text))
			var got []string
			for _, err := range found {
				var e *core.Error
				if !errors.As(err, &e) || e.Detail == "" {
					t.Fatal(err)
				}
				got = append(got, e.Subject)
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" || p != nil {
				t.Errorf("%v\n%s", found, diff)
			}
		})
	}
}

func TestC348_WhatAHostAsks(t *testing.T) {
	t.Parallel()
	p := decoded(t, whole)
	for mode, want := range map[string]composer.Decision{"yolo": composer.Approved, "YOLO": composer.Approved, "default": composer.Ask, "unknown": composer.Ask, "": composer.Ask, "full-access": composer.Ask} {
		if got := p.Decide(mode); got != want {
			t.Errorf("in %q it decides %q", mode, got)
		}
	}
	for command, want := range map[string]bool{"compact": true, "status": true, "rm": false, "Compact": false} {
		if _, got := p.Offers(command); got != want {
			t.Errorf("offers %q: %v", command, got)
		}
	}
	if effect, ok := p.Offers("compact"); effect != "submitImmediate" || !ok {
		t.Errorf("%q", effect)
	}
	args := []string{"acp", "--mode=${permissionMode}"}
	for means, want := range map[composer.Semantic]string{"": "--mode=default", composer.AskBeforeWrite: "--mode=default", composer.FullAccess: "--mode=yolo"} {
		if got, ok := p.Arguments(args, means); !ok || !slices.Equal(got, []string{"acp", want}) {
			t.Errorf("%s: %v, %v", means, got, ok)
		}
	}
	if got, ok := p.Arguments(args, composer.ReadOnly); ok || got != nil {
		t.Errorf("%v", got)
	}
	var none composer.Profile
	if got, ok := none.Arguments(args, ""); !ok || !slices.Equal(got, args) {
		t.Errorf("%v, %v", got, ok)
	}
	if _, ok := none.Arguments(args, composer.FullAccess); ok {
		t.Error("a mode was chosen that cannot be")
	}
	if _, ok := none.Offers("anything"); !ok || none.Decide("yolo") != composer.Ask {
		t.Error("a profile that says nothing decides something")
	}
}

// FuzzDecode: what is taken is strict JSON, decides nothing that its modes do not mean, and puts nothing on a command line
// that could be taken for an option.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(strings.Replace(whole, `"auto"`, `"read-only"`, 1)))
	f.Add([]byte(strings.Replace(whole, `"yolo"`, `"-yolo"`, 1)))
	f.Add([]byte(`{"schemaVersion":"tutti.agent.composer.v1","permissionModes":[{"runtimeId":"m","semantic":"locked-down","automaticDecision":"denied"}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := composer.Decode(data)
		if err != nil {
			if p != nil || len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Fatalf("%v, %q", p, err)
			}
			return
		}
		if strictjson.Check(bytes.Clone(data)) != nil || !json.Valid(data) {
			t.Fatal("this is no strict JSON")
		}
		for _, m := range p.Modes {
			if got := p.Decide(m.ID); got != m.Decision {
				t.Fatalf("%q decides %q and %q", m.ID, got, m.Decision)
			}
			if m.Decision == composer.Approved && m.Semantic != composer.FullAccess || m.Decision == composer.Denied && m.Semantic != composer.ReadOnly && m.Semantic != composer.LockedDown {
				t.Fatalf("%+v", m)
			}
		}
		if args, ok := p.Arguments([]string{composer.PermissionPlaceholder}, composer.FullAccess); ok && (strings.HasPrefix(args[0], "-") || strings.ContainsAny(args[0], " \n$")) {
			t.Fatalf("%q", args)
		}
	})
}
