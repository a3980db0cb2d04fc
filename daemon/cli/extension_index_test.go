package cli_test

import (
	"crypto/ed25519"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/extension"
)

// mirror is a list of releases in files, as a publisher keeps them, with a key that is believed by the name acme-v1.
type mirror struct {
	*world
	key ed25519.PrivateKey
	all []map[string]any
	at  string // the address below which the releases lie
}

func newMirror(t *testing.T) *mirror {
	t.Helper()
	public, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	m := &mirror{world: newWorld(t), key: key, at: "https://releases.example/acme"}
	m.write(filepath.Join(m.project, "v1.pub"), string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})), 0o644)
	m.must("trust", "add-key", "v1.pub", "--name", "acme-v1", "--release", "acme")
	m.must("extension", "init", "acme", "--name", "Acme")
	return m
}

// publish adds a release of the package acme to the directory mirror.
func (m *mirror) publish(version, minimum, status string) {
	m.t.Helper()
	manifest := filepath.Join(m.project, "acme", "tutti.agent.json")
	must := func(err error) {
		if err != nil {
			m.t.Fatal(err)
		}
	}
	encoded := func(v any) []byte {
		data, err := json.Marshal(v)
		must(err)
		return data
	}
	text, err := os.ReadFile(manifest)
	must(err)
	var fields map[string]any
	must(json.Unmarshal(text, &fields))
	fields["version"] = version
	must(os.WriteFile(manifest, encoded(fields), 0o644))
	c, err := extension.ReadDirectory(m.ctx, filepath.Join(m.project, "acme"))
	must(err)
	artifact, err := c.Zip() // which nobody has signed but by the document of the release
	must(err)
	m.write(filepath.Join(m.project, "mirror", version, "acme-"+version+".zip"), string(artifact), 0o644)
	sum := sha256.Sum256(artifact)
	release := map[string]any{
		"schemaVersion": "tutti.agent.release.v1", "agentKey": "acme", "version": version, "manifest": fields,
		"artifactUrl": m.at + "/" + version + "/acme-" + version + ".zip", "artifactSha256": hex.EncodeToString(sum[:]),
		"artifactSizeBytes": len(artifact), "publishedAt": time.Now().Add(-time.Hour + time.Duration(len(m.all))*time.Minute).UTC().Format(time.RFC3339), "gitSha": "",
	}
	release["signature"] = map[string]any{"algorithm": "ed25519", "keyId": "acme-v1", "value": base64.StdEncoding.EncodeToString(ed25519.Sign(m.key, encoded(release)))}
	m.all = append(m.all, map[string]any{"version": version, "minTuttiVersion": minimum, "requiredHostCapabilities": []string{}, "status": status, "release": release})
	m.write(filepath.Join(m.project, "mirror", "versions.json"), string(encoded(map[string]any{"schemaVersion": "tutti.agent.versions.v1", "agentKey": "acme", "versions": m.all})), 0o644)
}

func TestExtensionsAreInstalledFromAnIndex(t *testing.T) {
	t.Parallel()
	m := newMirror(t)
	m.publish("1.0.0", "0.0.0", "active")
	m.publish("1.1.0", "9.0.0", "active")
	m.publish("1.2.0", "0.0.0", "withdrawn")
	m.publish("2.0.0-rc.1", "0.0.0", "active")
	got := m.must("extension", "install", "acme", "--index", "mirror")
	for _, want := range []string{"installed acme 1.0.0", "signed by acme-v1", "left out 2.0.0-rc.1: it is a pre-release", "left out 1.2.0: its publisher withdrew it", "left out 1.1.0: it is for version 9.0.0"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not say %q:\n%s", want, got)
		}
	}
	m.must("explain", "acp:acme")
	var told struct {
		Version string
		LeftOut []struct{ Version, Code, Reason string }
	}
	if err := json.Unmarshal([]byte(m.must("extension", "install", "acme", "--index", "mirror/versions.json", "--host-version", "9.1.0", "--json")), &told); err != nil || told.Version != "1.1.0" || len(told.LeftOut) != 2 {
		t.Errorf("%+v, %v", told, err)
	}
	m.refused("release_downgrade", []string{"there is 1.1.0, and the newest that fits is 1.0.0", "--allow-downgrade"}, "extension", "install", "acme", "--index", "mirror")
	m.must("extension", "install", "acme", "--index", "mirror", "--version", "1.0.0", "--allow-downgrade")
	if got := m.must("extension", "install", "acme", "--index", "nowhere", "--index", "mirror", "--pre-release"); !strings.Contains(got, "acme 2.0.0-rc.1") {
		t.Error(got)
	}
	m.must("trust", "revoke", "acme@2.0.0-rc.1")
	m.refused("release_revoked", nil, "prepare", "acp:acme")
	m.refused("release_not_found", []string{"no versions.json"}, "extension", "install", "acme", "--index", "nowhere")
	m.edit("mirror/versions.json", `"status":"withdrawn"`, `"status":"active","more":1`)
	m.refused("package_refused", []string{"more: is a field that is not known"}, "extension", "install", "acme", "--index", "mirror")
	for _, args := range [][]string{
		{"acme.zip", "--version", "1.0.0"}, {"acme.zip", "--pre-release"}, {"../acme", "--index", "mirror"}, {"acme", "--index", "http://releases.example"},
		{"acme", "--index", "mirror", "--version", "1.x"}, {"acme", "--index", "mirror", "--unsafe-unsigned"}, {"acme", "--index", "mirror", "--host-version", "new"},
	} {
		if a := m.run(append([]string{"extension", "install"}, args...)...); a.status != 2 {
			t.Errorf("%v: status %d\n%s", args, a.status, a.errors)
		}
	}
}
