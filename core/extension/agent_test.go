package extension_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
)

func TestOverlayOfAPackage(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	files := with(sample(), "profiles/composer.json", `{"schemaVersion": "tutti.agent.composer.v1", "permissionModes": [],
		"skills": {"invocation": "textTrigger", "triggerPrefix": "/", "roots": [{"scope": "workspace", "path": ".acme/skills"}]},
		"runtimePrep": {"home": {"envVar": "ACME_HOME", "dirName": "acme"}}}`)
	files = with(files, "profiles/discovery.json", `{"schemaVersion": "tutti.agent.discovery.v1", "constraint": ">=1.2 <2"}`)
	c, err := extension.NewContent(bytesOf(files), []byte(p.sign(t, files, "1.0.0", 1)))
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := c.Verify(p.policy, terms())
	if err != nil {
		t.Fatal(err)
	}
	o, err := pkg.Overlay()
	if err != nil {
		t.Fatal(err)
	}
	want := overlay.Agent{
		Key: "acme", Version: "1.0.0", Digest: pkg.Digest(), Executables: []string{"acme"}, Args: []string{"acp"}, Supported: ">=1.2 <2",
		Roots:   []runtimeprep.Root{{Scope: runtimeprep.Workspace, Path: ".acme/skills"}},
		Plugins: []overlay.Plugin{{File: "plugins/hello.py", To: "plugins/hello/__init__.py", Text: "def register(ctx): pass\n"}},
		Prep:    &runtimeprep.Declaration{Home: &runtimeprep.Home{EnvVar: "ACME_HOME", DirName: "acme"}},
	}
	if diff := cmp.Diff(want, o.Agent()); diff != "" {
		t.Error(diff)
	}
	if o.Provider() != pkg.Provider() {
		t.Errorf("provider %s, of the package %s", o.Provider(), pkg.Provider())
	}
}

// A plugin has a condition that there is, is told what there is then, and enables itself and nothing else.
func TestPluginsOfAPackage(t *testing.T) {
	t.Parallel()
	const listed = `, "configFile": "c.yaml", "pluginsKey": ["plugins", "enabled"]`
	for name, c := range map[string]struct{ home, plugin, says string }{
		"without a condition": {"", `"file": "plugins/hello.py"`, ""},
		"with rtk":            {"", `"file": "plugins/hello.py", "when": "rtk"`, ""},
		"enabled":             {listed, `"file": "plugins/hello.py", "when": "rtk", "enable": "hello"`, ""},
		"other condition":     {"", `"file": "plugins/hello.py", "when": "always"`, "condition"},
		"other case":          {"", `"file": "plugins/hello.py", "when": "RTK"`, "condition"},
		"tells another thing": {"", `"tell": ["home"], "when": "rtk"`, "tells what is not known"},
		"tells it always":     {"", `"tell": ["rtk"]`, "tells what is not known"},
		"listed nowhere":      {"", `"file": "plugins/hello.py", "enable": "hello"`, "home.pluginsKey"},
		"enables another":     {listed, `"file": "plugins/hello.py", "enable": "other"`, "what it does not bring"},
		"enables a path":      {listed, `"file": "plugins/hello.py", "enable": "plugins/hello"`, "form"},
		"in a shared one":     {listed + `, "sourceDefaultRel": ".acme", "sharedDirs": ["plugins"]`, `"file": "plugins/hello.py"`, "share"},
	} {
		files := with(sample(), "profiles/composer.json",
			`{"schemaVersion": "tutti.agent.composer.v1", "runtimePrep": {"home": {"envVar": "ACME_HOME", "dirName": "acme"`+c.home+`}}}`)
		files[extension.ManifestFile] = strings.Replace(files[extension.ManifestFile], `"file": "plugins/hello.py"`, c.plugin, 1)
		if !strings.Contains(c.plugin, `"file"`) {
			delete(files, "plugins/hello.py")
		}
		content, err := extension.NewContent(bytesOf(files), nil)
		if err != nil {
			t.Fatal(err)
		}
		found := content.Validate()
		if c.says == "" && len(found) != 0 || c.says != "" && (len(found) != 1 || !strings.Contains(found[0].Field+found[0].Rule, c.says)) {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// The declaration is held to its rules when the package is read, by file and field.
func TestH57_DeclarationOfAPackage(t *testing.T) {
	t.Parallel()
	for composer, parts := range map[string][]string{
		`"runtimePrep": {"home": {"envVar": "PATH", "dirName": "acme"}}`:                                                              {"home.envVar", "prepended"},
		`"runtimePrep": {"home": {"envVar": "ACME_HOME", "dirName": "acme", "sourceDefaultRel": ".acme", "sharedDirs": ["../.ssh"]}}`: {"home.sharedDirs[0]"},
		`"runtimePrep": {"instructionsFile": ".git/hooks/pre-commit"}`:                                                                {"instructionsFile"},
		`"runtimePrep": null`: {"runtimePrep"},
		`"runtimePrep": {"home": {"envVar": "ACME_HOME", "dirName": "acme"}}, "skills": {"invocation": "textTrigger", "triggerPrefix": "/", "roots": [{"scope": "workspace", "path": "../x"}]}`: {"skills.roots[0].path"},
		`"runtimeprep": {}`: {"runtimeprep"},
		`"runtimePrep": {"home": {"envVar": "ACME_HOME", "dirName": "acme", "sourceDefaultRel": ".acme", "copyFiles": ["plugins"]}}`: {"file"},
		`"runtimePrep": {}`: {"plugins/hello.py"},
	} {
		files := with(sample(), "profiles/composer.json", `{"schemaVersion": "tutti.agent.composer.v1", `+composer+`}`)
		c, err := extension.NewContent(bytesOf(files), nil)
		if err != nil {
			t.Fatal(err)
		}
		found := c.Validate()
		if len(found) == 0 || len(found) > 1 && !strings.Contains(composer, ".git/hooks/pre-commit") { // that breaks two rules
			t.Fatalf("%s: %v", composer, found)
		}
		for _, f := range found {
			for _, part := range parts {
				if !strings.Contains(f.Field+f.Rule, part) {
					t.Errorf("%s: %+v", composer, f)
				}
			}
		}
		_, err = c.UnsafeUnverified()
		refused(t, err, core.ErrPackage)
	}
}

// C348: the placeholder of the mode of permission may stand in the arguments of an agent whose profile says what it can be,
// and a session that nobody chose a mode for is started in the one that asks.
func TestC348_TheModeOnACommandLineIsOneThatWasDeclared(t *testing.T) {
	t.Parallel()
	const declared = `{"schemaVersion": "tutti.agent.composer.v1", "launchSettings": {"permission": {"placeholder": "${permissionMode}"}}, "permissionModes": [
		{"runtimeId": "yolo", "semantic": "full-access"}, {"runtimeId": "safe", "semantic": "ask-before-write"}, {"runtimeId": "auto", "semantic": "auto"}],
		"runtimePrep": {"home": {"envVar": "ACME_HOME", "dirName": "acme"}}}`
	for name, c := range map[string]struct {
		composer, args, says string
		want                 []string
	}{
		"declared":     {declared, `["--mode=${permissionMode}", "acp"]`, "", []string{"--mode=safe", "acp"}},
		"not used":     {declared, `["acp"]`, "", []string{"acp"}},
		"not declared": {sample()["profiles/composer.json"], `["${permissionMode}"]`, "no launchSettings.permission", nil},
		"another":      {declared, `["${permissionmode}"]`, "not known", nil},
	} {
		files := with(sample(), "profiles/composer.json", c.composer)
		files[extension.ManifestFile] = strings.Replace(files[extension.ManifestFile], `"args": ["acp"]`, `"args": `+c.args, 1)
		found := content(t, files).Validate()
		if c.says != "" {
			if len(found) != 1 || !strings.Contains(found[0].Rule, c.says) {
				t.Errorf("%s: %+v", name, found)
			}
			continue
		}
		pkg, err := content(t, files).UnsafeUnverified()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		o, err := pkg.Overlay()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, o.Agent().Args); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	files := with(sample(), "profiles/composer.json", declared)
	files["tutti.agent.json"] = strings.Replace(files["tutti.agent.json"], `"${installRoot}", "@acme`, `"${permissionMode}", "@acme`, 1)
	if found := content(t, files).Validate(); len(found) != 1 || found[0].Field != "runtime.install.args" {
		t.Errorf("%+v", found)
	}
	pkg, err := content(t, with(sample(), "profiles/composer.json", declared)).UnsafeUnverified()
	if err != nil {
		t.Fatal(err)
	}
	if p, err := pkg.Composer(); err != nil || len(p.Modes) != 3 || p.Launch == nil {
		t.Errorf("%+v, %v", p, err)
	}
	plain := without(without(sample(), "profiles/composer.json"), "plugins/hello.py")
	plain[extension.ManifestFile] = strings.Replace(plain[extension.ManifestFile], `{"file": "plugins/hello.py", "to": "plugins/hello/__init__.py"}`, "", 1)
	plain[extension.ManifestFile] = strings.Replace(plain[extension.ManifestFile], `"composer": "profiles/composer.json", `, "", 1)
	if pkg, err = content(t, plain).UnsafeUnverified(); err != nil {
		t.Fatal(err)
	}
	if p, err := pkg.Composer(); err != nil || p != nil {
		t.Errorf("%+v, %v", p, err)
	}
}
