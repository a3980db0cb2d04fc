package runtimeprep_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// home is a declaration with a home of which some fields are changed; nil takes one away.
func home(t testing.TB, change map[string]any) string {
	t.Helper()
	h := map[string]any{
		"envVar": "VENDOR_HOME", "dirName": "vendor", "sourceEnvVar": "VENDOR_HOME", "sourceDefaultRel": ".vendor",
		"copyFiles": []string{"config.yaml", ".env"}, "sharedDirs": []string{"bin"}, "configFile": "config.yaml",
		"configFormat": "yaml", "externalDirsKey": []string{"skills", "external_dirs"}, "userHomeSkillDir": "skills",
		"includeSkillRoots": true, "includeUserHomeDir": true,
	}
	for k, v := range change {
		if h[k] = v; v == nil {
			delete(h, k)
		}
	}
	data, err := json.Marshal(map[string]any{"home": h})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func refused(t *testing.T, data, field string) {
	t.Helper()
	d, err := runtimeprep.Decode([]byte(data))
	if err == nil || d != nil || !errors.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "runtimePrep."+field+":") {
		t.Errorf("%s\nwant a refusal of %s, got %v", data, field, err)
	}
}

func TestC329_PublicDeclaration(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/hermes.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := runtimeprep.Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	want := &runtimeprep.Declaration{InstructionsFile: "AGENTS.md", Home: &runtimeprep.Home{
		EnvVar: "HERMES_HOME", DirName: "hermes", SourceEnvVar: "HERMES_HOME", SourceDefaultRel: ".hermes",
		CopyFiles: []string{"config.yaml", "auth.json", ".env"}, SharedDirs: []string{"bin"}, ConfigFile: "config.yaml",
		ConfigFormat: "yaml", ExternalDirsKey: []string{"skills", "external_dirs"}, UserHomeSkillDir: "skills",
		IncludeSkillRoots: true, IncludeUserHomeDir: true,
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"auth.json", ".env"}, got.Home.Copies()); diff != "" {
		t.Errorf("copies: %s", diff)
	}
	for _, data := range []string{`{}`, home(t, nil), home(t, map[string]any{"pluginsKey": []string{"plugins", "enabled"}}), `{"instructionsFile":"docs/GUIDE.md","instructionsHiddenBy":[".vendor.md"]}`} {
		if _, err := runtimeprep.Decode([]byte(data)); err != nil {
			t.Errorf("%s: %v", data, err)
		}
	}
	if found := runtimeprep.CheckRoots([]runtimeprep.Root{{Scope: "workspace", Path: ".agent_context/skills"}, {Scope: "user", Path: ".agents/skills"}}); len(found) > 0 {
		t.Error(found)
	}
}

func TestC330_WhatIsNoDeclaration(t *testing.T) {
	t.Parallel()
	for data, field := range map[string]string{
		`{"home":1}`: "home", `{"home":null}`: "home", `{"instructionsFile":["AGENTS.md"]}`: "instructionsFile", `{"InstructionsFile":"AGENTS.md"}`: "InstructionsFile",
		`{"instructionsFile":""}`: "instructionsFile", `{"instructionsHiddenBy":"x"}`: "instructionsHiddenBy", `{"instructionsHiddenBy":[1]}`: "instructionsHiddenBy[0]", `{"extra":1}`: "extra",
		home(t, map[string]any{"envVar": nil}):                                                            "home.envVar",
		home(t, map[string]any{"dirName": nil}):                                                           "home.dirName",
		home(t, map[string]any{"EnvVar": "X"}):                                                            "home.EnvVar",
		home(t, map[string]any{"copyFiles": []any{"a", nil}}):                                             "home.copyFiles[1]",
		home(t, map[string]any{"includeSkillRoots": "yes"}):                                               "home.includeSkillRoots",
		home(t, map[string]any{"configFormat": "toml"}):                                                   "home.configFormat",
		home(t, map[string]any{"externalDirsKey": []string{"plugins", "enabled"}}):                        "home.externalDirsKey",
		home(t, map[string]any{"pluginsKey": []string{"mcp_servers", "enabled"}}):                         "home.pluginsKey",
		home(t, map[string]any{"pluginsKey": []string{"plugins"}}):                                        "home.pluginsKey",
		home(t, map[string]any{"externalDirsKey": nil, "pluginsKey": []string{"plugins", "enabled"}}):     "home.externalDirsKey",
		home(t, map[string]any{"externalDirsKey": nil}):                                                   "home.externalDirsKey",
		home(t, map[string]any{"configFile": nil}):                                                        "home.configFile",
		home(t, map[string]any{"userHomeSkillDir": nil}):                                                  "home.userHomeSkillDir",
		home(t, map[string]any{"sourceEnvVar": nil, "sourceDefaultRel": nil}):                             "home",
		home(t, map[string]any{"copyFiles": strings.Split(strings.Repeat("a,", 40), ",")}):                "home.copyFiles",
		home(t, map[string]any{"loginFiles": []any{"auth.json"}}):                                         "home.loginFiles[0]",
		home(t, map[string]any{"loginFiles": []any{map[string]any{"path": "a", "x": 1}}}):                 "home.loginFiles[0].x",
		home(t, map[string]any{"loginFiles": []any{map[string]any{"path": "auth.json", "lock": "../x"}}}): "home.loginFiles[0].lock",
	} {
		refused(t, data, field)
	}
	for _, data := range []string{``, `[]`, `{"home":{"envVar":"A","envVar":"B"}}`, `{} {}`, `{"a":`} {
		if _, err := runtimeprep.Decode([]byte(data)); !errors.Is(err, fault.Unparsable) {
			t.Errorf("%q: %v", data, err)
		}
	}
	if _, err := runtimeprep.Decode([]byte(`{"x":"` + strings.Repeat("a", 70<<10) + `"}`)); !errors.Is(err, fault.Invalid) {
		t.Errorf("a large one: %v", err)
	}
}

func TestC331_NothingOverlaps(t *testing.T) {
	t.Parallel()
	for field, change := range map[string]map[string]any{
		"home.sharedDirs[1]":      {"sharedDirs": []string{"bin", "BIN"}},
		"home.sharedDirs[0]":      {"sharedDirs": []string{"config.yaml"}},
		"home.sharedDirs[2]":      {"sharedDirs": []string{"a", "b/c", "b"}},
		"home.copyFiles[2]":       {"copyFiles": []string{"config.yaml", "x", "x/y"}},
		"home.copyFiles[1]":       {"copyFiles": []string{"config.yaml", "Config.YAML"}},
		"home.configFile":         {"copyFiles": []string{}, "sharedDirs": []string{"etc"}, "configFile": "etc/c.yaml"},
		"home.loginFiles[0].path": {"loginFiles": []any{map[string]any{"path": ".env"}}},
		"home.loginFiles[0].lock": {"loginFiles": []any{map[string]any{"path": "auth.json", "lock": "auth.json"}}},
	} {
		refused(t, home(t, change), field)
	}
	refused(t, home(t, map[string]any{"sharedDirs": []string{"state"}, "copyFiles": []string{"config.yaml", "state/db"}}), "home.sharedDirs[0]")
}

func TestC334_VariablesThatAreDenied(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"PATH", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "NODE_OPTIONS", "PYTHONPATH", "GIT_DIR", "HOME", "TUTTI_AGENT_HOME", "TUTTI_X", "GREENROOM_STATE",
		"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "FTP_PROXY", "NO_PROXY", "XDG_CONFIG_HOME", "BASH_ENV", "SSH_AUTH_SOCK", "AWS_PROFILE",
		// Of what is denied by how it begins, another one.
		"LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONSTARTUP", "GIT_SSH_COMMAND", "XDG_RUNTIME_DIR", "SSH_ASKPASS", "AWS_SECRET_ACCESS_KEY", "SSL_CERT_FILE", "SSL_CERT_DIR",
		"PERL5OPT", "PERL5LIB", "RUBYOPT", "RUBYLIB", "GH_TOKEN", "GH_HOST", "TUTTI_MODEL_PLAN_API_KEY", "GREENROOM_ADAPTERS", "lower", "1X", "A B", "A=B", "Ä", "USERPROFILE", strings.Repeat("A", 65),
	} {
		refused(t, home(t, map[string]any{"envVar": name}), "home.envVar")
		refused(t, home(t, map[string]any{"sourceEnvVar": name}), "home.sourceEnvVar")
	}
}

func TestC335_NamesThatAreKept(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"extension-skills", "Extension-Skills", "sidecar-manifest.json", "RTK", "rtk/x", "skills", ".greenroom-x", ".manifest", ".LEASE", "con", "nul.txt", "aux/x", "x/com1", "a.", "x/..",
	} {
		refused(t, home(t, map[string]any{"dirName": name}), "home.dirName")
	}
}

func TestC336_InstructionsFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git/hooks/pre-commit", ".git/x.md", ".vendor/AGENTS.md", "a/.b/c.md", ".husky/x.md", "AGENTS", "run.sh", "node_modules/x.md", "Makefile", ".GIT/X.MD"} {
		refused(t, fmt.Sprintf(`{"instructionsFile":%q}`, name), "instructionsFile")
	}
	for _, name := range []string{"AGENTS.md", "docs/AGENTS.md", ".vendor.md"} {
		if _, err := runtimeprep.Decode([]byte(fmt.Sprintf(`{"instructionsFile":%q}`, name))); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// traps are paths that no declaration may have, on any system.
var traps = []string{
	"../.ssh", "..", ".", "", "/abs", "a/../b", "a//b", "a/", `..\..\up`, `a\b`, "C:", "C:/x", "c:x", "a:b", "a\x00b", "a\nb", "nul", "a /b", "a.", "ä", "\u202ea", "a/./b", "~", "~/x", "$HOME",
	strings.Repeat("a/", 300) + "a",
}

func TestH57_C337_PathsThatEscape(t *testing.T) {
	t.Parallel()
	for _, trap := range traps {
		for field, change := range map[string]map[string]any{
			"home.dirName": {"dirName": trap}, "home.sourceDefaultRel": {"sourceDefaultRel": trap}, "home.copyFiles[0]": {"copyFiles": []string{trap}},
			"home.sharedDirs[0]": {"sharedDirs": []string{trap}}, "home.configFile": {"configFile": trap, "copyFiles": []string{}}, "home.userHomeSkillDir": {"userHomeSkillDir": trap},
			"home.loginFiles[0].path": {"loginFiles": []any{map[string]any{"path": trap}}},
		} {
			if trap == "" && !strings.HasSuffix(field, "]") {
				field = strings.TrimSuffix(field, "[0]") // empty is refused as such
			}
			refused(t, home(t, change), field)
		}
		if found := runtimeprep.CheckRoots([]runtimeprep.Root{{Scope: runtimeprep.Workspace, Path: trap}}); len(found) == 0 {
			t.Errorf("skill root %q is taken", trap)
		}
		refused(t, fmt.Sprintf(`{"instructionsHiddenBy":[%s]}`, quoted(trap)), "instructionsHiddenBy[0]")
	}
	for _, dir := range []string{".ssh", ".ssh/x", ".aws", ".config", ".config/gh", ".GNUPG", ".local", ".git", ".config/autostart/x"} {
		refused(t, home(t, map[string]any{"sourceDefaultRel": dir}), "home.sourceDefaultRel")
	}
	for _, roots := range [][]runtimeprep.Root{
		{{Scope: "elsewhere", Path: "a"}}, {{Scope: "workspace", Path: ".git/hooks"}}, {{Scope: "workspace", Path: "a"}, {Scope: "workspace", Path: "A"}}, {{Path: "a"}},
	} {
		if found := runtimeprep.CheckRoots(roots); len(found) == 0 {
			t.Errorf("%v is taken", roots)
		}
	}
}

func quoted(s string) string {
	data, _ := json.Marshal(s)
	return string(data)
}
