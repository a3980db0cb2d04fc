package extension_test

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/trust"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// sample is a whole package, as files by their path.
func sample() map[string]string {
	return map[string]string{
		"tutti.agent.json": `{
  "schemaVersion": "tutti.agent.manifest.v2",
  "agentKey": "acme",
  "version": "1.0.0",
  "name": "Acme",
  "icon": {"type": "asset", "src": "assets/icon.svg"},
  "runtime": {
    "kind": "standard-acp",
    "install": {"runner": "npm", "args": ["install", "--prefix", "${installRoot}", "@acme/agent@1.2.3"]},
    "launch": {"executable": "${installRoot}/node_modules/.bin/acme", "args": ["acp"]}
  },
  "profiles": {"composer": "profiles/composer.json", "discovery": "profiles/discovery.json"},
  "localizationInfo": {"defaultLocale": "en", "defaultFile": "locales/en.json"},
  "clientPlugins": [{"file": "plugins/hello.py", "to": "plugins/hello/__init__.py"}]
}
`,
		"assets/icon.svg":         `<svg xmlns="http://www.w3.org/2000/svg"><circle r="4"/></svg>`,
		"profiles/composer.json":  `{"schemaVersion": "tutti.agent.composer.v1", "runtimePrep": {"home": {"envVar": "ACME_HOME", "dirName": "acme"}}}`,
		"profiles/discovery.json": `{"schemaVersion": "tutti.agent.discovery.v1"}`,
		"locales/en.json":         `{"name": "Acme"}`,
		"plugins/hello.py":        "def register(ctx): pass\n",
		"README.md":               "# Acme\n",
	}
}

func bytesOf(files map[string]string) map[string][]byte {
	out := map[string][]byte{}
	for name, text := range files {
		out[name] = []byte(text)
	}
	return out
}

// place writes files into a directory.
func place(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// publisher signs packages, and is trusted by its policy.
type publisher struct {
	signer *trust.Signer
	policy *trust.Policy
}

func newPublisher(t testing.TB) publisher {
	t.Helper()
	s, err := trust.GenerateSigner(trust.Ed25519)
	if err != nil {
		t.Fatal(err)
	}
	p := &trust.Policy{Version: 1, Keys: []trust.Key{{Name: "Acme", ID: s.Public().ID, PEM: s.Public().PEM(),
		Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme"}}}}
	if err := p.Complete(); err != nil {
		t.Fatal(err)
	}
	return publisher{s, p}
}

func terms() trust.Terms { return trust.Terms{Now: now, Host: "0.1.0"} }

// later are terms at a time by which a store remembers what was installed in this test.
func later() trust.Terms { return trust.Terms{Now: time.Now().Add(time.Hour), Host: "0.1.0"} }

// sign is the envelope of files as a release.
func (p publisher) sign(t testing.TB, files map[string]string, version string, sequence uint64) string {
	files = without(files, extension.SignatureFile)
	t.Helper()
	c, err := extension.NewContent(bytesOf(files), nil)
	if err != nil {
		t.Fatal(err)
	}
	e, err := trust.Sign(trust.Extension, trust.Release{ID: "acme", Version: version, Sequence: sequence, IssuedAt: now.Add(-time.Hour)}, c.Digests(), p.signer)
	if err != nil {
		t.Fatal(err)
	}
	return string(e)
}

// signed is the sample as a release of a version, with its signature.
func (p publisher) signed(t testing.TB, version string, sequence uint64) map[string]string {
	t.Helper()
	files := sample()
	files[extension.ManifestFile] = strings.Replace(files[extension.ManifestFile], `"1.0.0"`, `"`+version+`"`, 1)
	files[extension.SignatureFile] = p.sign(t, files, version, sequence)
	return files
}

func with(files map[string]string, name, text string) map[string]string {
	files = maps.Clone(files)
	files[name] = text
	return files
}

func without(files map[string]string, name string) map[string]string {
	files = maps.Clone(files)
	delete(files, name)
	return files
}

// refused expects an error of a code whose text holds all parts.
func refused(t *testing.T, err error, code core.Code, parts ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v [%s], want %s", err, core.CodeOf(err), code)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}
