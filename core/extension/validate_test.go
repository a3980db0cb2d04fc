package extension_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
)

// H57: every field of a package that names a path names one below the package, or the package is refused and the field
// named. C347: unknown fields and wrong shapes are refused by their name and line.
func TestH57_FieldsOfAManifestAreHeldToTheirRules(t *testing.T) {
	t.Parallel()
	set := func(old, new string) func(map[string]string) {
		return func(files map[string]string) {
			text := files[extension.ManifestFile]
			if !strings.Contains(text, old) {
				panic(old)
			}
			files[extension.ManifestFile] = strings.Replace(text, old, new, 1)
		}
	}
	file := func(name, text string) func(map[string]string) {
		return func(files map[string]string) { files[name] = text }
	}
	type rule struct {
		change            func(map[string]string)
		file, field, says string
	}
	rules := map[string]rule{
		"unknown field":     {set(`"name"`, `"nmae"`), "", "nmae", "not known"},
		"other case":        {set(`"agentKey"`, `"agentkey"`), "", "agentkey", "not known"},
		"twice":             {set(`"name": "Acme",`, `"name": "Acme", "name": "Evil",`), "", "name", "twice"},
		"null":              {set(`"acp"`, `null`), "", "runtime.launch.args[0]", "null"},
		"wrong kind":        {set(`["acp"]`, `"acp"`), "", "runtime.launch.args", "list"},
		"not JSON":          {file(extension.ManifestFile, "{"), "", "", "not valid"},
		"schema v1":         {set("manifest.v2", "manifest.v1"), "", "schemaVersion", "tutti.agent.manifest.v1"},
		"key":               {set(`"acme"`, `"../acme"`), "", "agentKey", "../acme"},
		"key in capitals":   {set(`"acme"`, `"Acme"`), "", "agentKey", "Acme"},
		"version":           {set(`"1.0.0"`, `"1.0"`), "", "version", "semantic"},
		"no name":           {set(`"Acme"`, `" "`), "", "name", "missing"},
		"name of two lines": {set(`"Acme"`, `"Ac\nme"`), "", "name", "control"},
		"runtime":           {set("standard-acp", "shell"), "", "runtime.kind", "shell"},
		"runner":            {set(`"npm"`, `"curl"`), "", "runtime.install.runner", "curl"},
		"not pinned":        {set("@1.2.3", "@latest"), "", "runtime.install.args", "exact version"},
		"shell":             {set(`"acp"`, `"acp; rm"`), "", "runtime.launch.args", "shell"},
		"placeholder":       {set(`"acp"`, `"${env:HOME}"`), "", "runtime.launch.args", "placeholder"},
		"outside root":      {set("${installRoot}/node_modules/.bin/acme", "/bin/sh"), "", "runtime.launch.executable", "below"},
		"out of root":       {set("node_modules/.bin/acme", "../../bin/sh"), "", "runtime.launch.executable", "below"},
		"variable":          {set(`"args": ["acp"]`, `"env": {"X": "${env:AWS_SECRET_ACCESS_KEY}"}`), "", "runtime.launch.env.X", "TUTTI"},
		"no discovery":      {set(`"discovery"`, `"capabilities"`), "", "profiles.discovery", "missing"},
		"profile":           {set(`"discovery": "`, `"themes": "profiles/discovery.json", "discovery": "`), "", "profiles.themes", "not known"},
		"profile's schema":  {file("profiles/composer.json", `{"schemaVersion": "tutti.agent.composer.v2"}`), "profiles/composer.json", "schemaVersion", "composer.v2"},
		"no range":          {file("profiles/discovery.json", `{"schemaVersion": "tutti.agent.discovery.v1", "constraint": "latest"}`), "profiles/discovery.json", "constraint", "range"},
		"profile twice":     {file("profiles/composer.json", `{"schemaVersion":"tutti.agent.composer.v1","a":{"b":1,"b":2}}`), "profiles/composer.json", "a.b", "twice"},
		"empty profile":     {file("profiles/composer.json", ""), "profiles/composer.json", "", "empty"},
		"locale is no JSON": {file("locales/en.json", "x"), "locales/en.json", "", "not valid"},
		"undeclared":        {file("profiles/more.json", "{}"), "profiles/more.json", "", "not named"},
		"script in drawing": {file("assets/icon.svg", `<svg><script>1</script></svg>`), "assets/icon.svg", "", "act"},
		"event in drawing":  {file("assets/icon.svg", `<svg onload="x()"/>`), "assets/icon.svg", "", "act"},
		"load in drawing":   {file("assets/icon.svg", `<svg><a xlink:href="https://x"/></svg>`), "assets/icon.svg", "", "act"},
		"large picture":     {file("assets/icon.svg", "<svg>"+strings.Repeat(" ", 256<<10)), "assets/icon.svg", "", "256 KiB"},
		"icon is code":      {set("assets/icon.svg", "plugins/hello.py"), "", "icon.src", "no file of the kind"},
		"plugin is binary":  {file("plugins/hello.py", "a\x00b"), "plugins/hello.py", "", "no text"},
		"plugin of nothing": {set(`"file": "plugins/hello.py", `, ``), "", "clientPlugins[0]", "neither"},
		"plugin of two":     {set(`"to": "plugins/hello`, `"tell": ["rtk"], "when": "rtk", "to": "plugins/hello`), "", "clientPlugins[0]", "both"},
		"plugin is data":    {set(`"plugins/hello.py"`, `"assets/icon.svg"`), "", "clientPlugins[0].file", "no file of the kind"},
	}
	for _, bad := range []string{"../x.json", "/etc/x.json", `..\\x.json`, "a/../../x.json", "c:/x.json", "a//x.json", "./x.json", ".git/x.json", "nul.json", "x.json\\u0000", "a/x.json.", "missing.json"} {
		rules["composer "+bad] = rule{set("profiles/composer.json", bad), "", "profiles.composer", "names"}
		rules["locale "+bad] = rule{set("locales/en.json", bad), "", "localizationInfo.defaultFile", "names"}
		rules["icon "+bad] = rule{set("assets/icon.svg", strings.Replace(bad, "json", "svg", 1)), "", "icon.src", "names"}
		rules["plugin "+bad] = rule{set("plugins/hello.py", bad), "", "clientPlugins[0].file", "names"}
		if bad != "missing.json" {
			rules["target "+bad] = rule{set("plugins/hello/__init__.py", bad), "", "clientPlugins[0].to", "has a"}
		}
	}
	for name, c := range rules {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := sample()
			c.change(files)
			content, err := extension.NewContent(bytesOf(files), nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.file == "" {
				c.file = extension.ManifestFile
			}
			found := content.Validate()
			for _, f := range found {
				if f.File == c.file && f.Field == c.field && strings.Contains(f.Rule, c.says) {
					_, err := content.UnsafeUnverified()
					refused(t, err, core.ErrPackage)
					return
				}
			}
			t.Errorf("found %+v", found)
		})
	}
}

func TestWholePackagesHaveNoFindings(t *testing.T) {
	t.Parallel()
	c, err := extension.NewContent(bytesOf(sample()), nil)
	if err != nil {
		t.Fatal(err)
	}
	if found := c.Validate(); len(found) > 0 {
		t.Errorf("found %+v", found)
	}
}
