package repo_test

import (
	"path"
	"slices"
	"strings"
	"testing"
)

// mayImport says for each module which of ours it may reach, through whatever packages. Nothing may reach a module that
// stands in no list: daemon, examples and conformance are ends.
var mayImport = map[string][]string{
	"sdk":                  nil,
	"core":                 {"sdk"},
	"gateway":              nil,
	"daemon":               {"core", "gateway", "sdk"},
	"providers/claude":     {"sdk"},
	"providers/codex":      {"sdk"},
	"providers/cursor":     {"sdk"},
	"providers/kimi":       {"sdk"},
	"providers/opencode":   {"sdk"},
	"providers/tuttiagent": {"sdk"},
	"examples/embed":       {"core", "sdk", "providers/codex"},
	"examples/extension":   nil,
	"examples/provider":    {"sdk"},
	"examples/vmhost":      {"core", "sdk"},
	"extensions/hermes":    nil,
	"conformance":          {"core", "gateway", "sdk", "providers/claude", "providers/codex", "providers/kimi", "providers/opencode", "providers/tuttiagent"},
	"keyless":              {"core", "sdk"},
	"tools":                nil,
}

// mayRequire says for each module which modules of others it may import itself; tests may use go-cmp everywhere.
var mayRequire = map[string][]string{
	"sdk": {"github.com/hashicorp/go-plugin", "github.com/hashicorp/go-hclog", "google.golang.org/grpc", "google.golang.org/protobuf"},
	"core": {
		"github.com/hashicorp/go-plugin", "github.com/hashicorp/go-hclog", "google.golang.org/grpc", "google.golang.org/protobuf",
		"github.com/Masterminds/semver/v3", "gopkg.in/yaml.v3", "github.com/pelletier/go-toml/v2",
		"golang.org/x/sys",
		"github.com/sigstore/sigstore", "github.com/secure-systems-lab/go-securesystemslib",
		"oras.land/oras-go/v2", "github.com/opencontainers/image-spec",
		"github.com/coder/acp-go-sdk",
	},
	"gateway": {"github.com/klauspost/compress"},
	"daemon": {
		"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/sys", "golang.org/x/term",
		"modernc.org/sqlite", "github.com/jackc/pgx/v5", "github.com/pressly/goose/v3", "github.com/zalando/go-keyring",
		"github.com/oapi-codegen/runtime", "gopkg.in/yaml.v3", "golang.org/x/net",
	},
	"conformance":     {"github.com/pelletier/go-toml/v2", "github.com/openai/openai-go/v3", "golang.org/x/sys"},
	"examples/vmhost": {"google.golang.org/grpc", "google.golang.org/protobuf"},
	"keyless":         {"github.com/sigstore/sigstore-go", "github.com/sigstore/protobuf-specs", "google.golang.org/protobuf"},
	"tools":           {"github.com/bufbuild/protocompile", "google.golang.org/protobuf"},
}

// testKits are packages that only tests import, and that are no tests themselves.
var testKits = map[string][]string{
	prefix + "sdk/preparertest": {"github.com/google/go-cmp", "golang.org/x/tools"},
}

// exempt modules may import anything in their tests.
func exempt(module string) bool {
	return module == "conformance" || strings.HasPrefix(module, "examples/") || strings.HasPrefix(module, "extensions/")
}

// moduleOf is the module of ours that an import path belongs to.
func moduleOf(importPath string) string {
	rel, _, _ := strings.Cut(strings.TrimPrefix(importPath, prefix), " ") // "a [a.test]"
	rel = strings.TrimSuffix(strings.TrimSuffix(rel, ".test"), "_test")
	first, rest, _ := strings.Cut(rel, "/")
	if first == "providers" || first == "examples" || first == "extensions" {
		second, _, _ := strings.Cut(rest, "/")
		return first + "/" + second
	}
	return first
}

func TestModulesImportWhatTheyMay(t *testing.T) {
	t.Parallel()
	for _, module := range modules(t) {
		allowed, known := mayImport[module]
		if !known {
			t.Errorf("%s: no rule says what this module may import", module)
			continue
		}
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			args := []string{"-deps"}
			if !exempt(module) {
				args = append(args, "-test")
			}
			found := 0
			for _, p := range list(t, module, append(args, "./...")...) {
				if !p.ours() {
					continue
				}
				if of := moduleOf(p.ImportPath); of == module {
					found++
				} else if !slices.Contains(allowed, of) {
					t.Errorf("it reaches %s", p.ImportPath)
				}
			}
			if found == 0 {
				t.Error("no package of it was found")
			}
		})
	}
}

func TestModulesRequireWhatTheyMay(t *testing.T) {
	t.Parallel()
	for _, module := range modules(t) {
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			for _, p := range list(t, module, "./...") {
				for _, imported := range slices.Concat(p.Imports, p.TestImports, p.XTestImports) {
					if !strings.Contains(strings.Split(imported, "/")[0], ".") || strings.HasPrefix(imported, prefix) {
						continue
					}
					if slices.Contains(p.TestImports, imported) || slices.Contains(p.XTestImports, imported) {
						if strings.HasPrefix(imported, "github.com/google/go-cmp/") {
							continue
						}
					}
					if !slices.ContainsFunc(slices.Concat(mayRequire[module], testKits[p.ImportPath]), func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") }) {
						t.Errorf("%s imports %s", p.ImportPath, imported)
					}
				}
			}
		})
	}
}

// The root of core knows nothing of launching; launching is built on it.
func TestCoreDoesNotLaunch(t *testing.T) {
	t.Parallel()
	for _, p := range list(t, "core", "./...") {
		launch := p.ImportPath == prefix+"core/launch" || strings.HasPrefix(p.ImportPath, prefix+"core/launch/")
		if launch {
			continue
		}
		for _, imported := range p.Imports {
			if imported == prefix+"core/launch" || strings.HasPrefix(imported, prefix+"core/launch/") {
				t.Errorf("%s imports %s", p.ImportPath, imported)
			}
		}
	}
}

// H54: what is verified is verified without a network: of what reads packages and checks signatures, ours or others', nothing
// imports one, and of oras the part that speaks to registries is not there.
func TestH54_VerifyingReachesNoNetwork(t *testing.T) {
	t.Parallel()
	checked := 0
	for _, p := range list(t, "core", "-deps", "./trust", "./extension/...") {
		ours := strings.HasPrefix(p.ImportPath, prefix+"core/trust") || strings.HasPrefix(p.ImportPath, prefix+"core/extension")
		others := slices.ContainsFunc([]string{"oras.land/", "github.com/sigstore/", "github.com/secure-systems-lab/", "github.com/opencontainers/"},
			func(of string) bool { return strings.HasPrefix(p.ImportPath, of) })
		if !ours && !others {
			continue
		}
		checked++
		if strings.HasSuffix(p.ImportPath, "/registry/remote") || slices.Contains(p.Imports, "net") || slices.Contains(p.Imports, "net/http") {
			t.Errorf("%s is linked, and reaches a network", p.ImportPath)
		}
	}
	if checked < 15 {
		t.Errorf("only %d packages were looked at", checked)
	}
}

// Adapters decide and do not act: the packages of a provider, but for the program that serves it, import nothing that
// could read a disk, a network, a clock or an environment.
func TestAdaptersCannotAct(t *testing.T) {
	t.Parallel()
	acting := []string{"os", "os/exec", "io/ioutil", "net", "net/http", "syscall", "time", "math/rand", "math/rand/v2", "crypto/rand", "unsafe", "plugin"}
	checked := 0
	for _, module := range modules(t) {
		if path.Dir(module) != "providers" && module != "examples/provider" {
			continue
		}
		for _, p := range list(t, module, "./...") {
			checked++
			if p.Name == "main" && module != "examples/provider" {
				continue
			}
			for _, imported := range p.Imports {
				if slices.Contains(acting, imported) {
					t.Errorf("%s imports %s", p.ImportPath, imported)
				}
			}
		}
	}
	if checked < 3 {
		t.Errorf("only %d packages were looked at", checked)
	}
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	for _, module := range modules(t) {
		for _, p := range list(t, module, "./...") {
			if len(p.GoFiles) > 0 && strings.TrimSpace(p.Doc) == "" {
				t.Errorf("%s has no package comment", p.ImportPath)
			}
			for _, vague := range []string{"util", "utils", "common", "helper", "helpers", "manager", "misc", "types", "shared"} {
				if p.Name == vague {
					t.Errorf("%s has a name that says nothing", p.ImportPath)
				}
			}
		}
	}
}
