package extension_test

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/extension/index"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// house publishes releases in the public format. Its policy believes it, and a publisher whose packages are signed besides.
type house struct {
	publisher
	key ed25519.PrivateKey
	dir string
	all []map[string]any
}

func newHouse(t testing.TB) *house {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := trust.NewSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{publisher: newPublisher(t), key: key, dir: t.TempDir()}
	h.policy.Keys = append(h.policy.Keys, trust.Key{Name: "acme-house", ID: s.Public().ID, PEM: s.Public().PEM(), Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme"}})
	if err := h.policy.Complete(); err != nil {
		t.Fatal(err)
	}
	return h
}

// publish puts a release into the directory. The files hold a signature or not.
func (h *house) publish(t testing.TB, version string, files map[string]string, at time.Time) {
	t.Helper()
	zip, err := content(t, files).Zip()
	if err != nil {
		t.Fatal(err)
	}
	place(t, h.dir, map[string]string{version + "/acme.zip": string(zip)})
	sum := sha256.Sum256(zip)
	release := map[string]any{
		"schemaVersion": "tutti.agent.release.v1", "agentKey": "acme", "version": version, "manifest": json.RawMessage(files[extension.ManifestFile]),
		"artifactUrl": "https://releases.example/acme/acme.zip", "artifactSha256": hex.EncodeToString(sum[:]), "artifactSizeBytes": len(zip),
		"publishedAt": at.Format(time.RFC3339), "gitSha": "",
	}
	var plain any
	if err := json.Unmarshal(encoded(t, release), &plain); err != nil { // so that names of the manifest are sorted
		t.Fatal(err)
	}
	release["signature"] = map[string]any{"algorithm": "ed25519", "keyId": "acme-house", "value": base64.StdEncoding.EncodeToString(ed25519.Sign(h.key, encoded(t, plain)))}
	h.all = append(h.all, map[string]any{"version": version, "minTuttiVersion": "0.0.0", "requiredHostCapabilities": []string{}, "status": "active", "release": release})
	place(t, h.dir, map[string]string{index.VersionsFile: string(encoded(t, map[string]any{"schemaVersion": "tutti.agent.versions.v1", "agentKey": "acme", "versions": h.all}))})
}

func encoded(t testing.TB, v any) []byte {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func unsigned(version string) map[string]string {
	files := sample()
	files[extension.ManifestFile] = strings.Replace(files[extension.ManifestFile], `"1.0.0"`, `"`+version+`"`, 1)
	return files
}

// update installs what fits from the directory.
func (h *house) update(t testing.TB, s *extension.Store, w index.Wanted) (*extension.Package, []index.Left, error) {
	t.Helper()
	var err error
	if w.Have, err = s.Newest(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	c, left, err := extension.Find(t.Context(), "acme", h.policy, terms(), w, index.Directory(h.dir))
	if err != nil {
		return nil, left, err
	}
	pkg, err := s.Install(t.Context(), c, h.policy, terms(), extension.InstallOptions{AllowDowngrade: w.AllowDowngrade})
	return pkg, left, err
}

func TestReleasesOfAnIndexAreInstalledAndVerifiedAgain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s, dir := storeAt(t)
	h.publish(t, "1.0.0", unsigned("1.0.0"), now.Add(-2*time.Hour))
	if _, _, err := h.update(t, s, index.Wanted{}); err != nil {
		t.Fatal(err)
	}
	h.publish(t, "1.1.0", unsigned("1.1.0"), now.Add(-time.Hour))
	pkg, left, err := h.update(t, s, index.Wanted{})
	if err != nil || len(left) != 0 {
		t.Fatalf("%+v, %v", left, err)
	}
	for _, store := range []*extension.Store{s, s, extension.OpenStore(dir, nil)} {
		got := load(t, store, h.publisher)
		if got.Digest() != pkg.Digest() || got.Release().Version != "1.1.0" || got.Signers()[0].Name != "acme-house" || got.Unsafe() {
			t.Errorf("got %+v, %v", got.Release(), got.Signers())
		}
		if _, err := got.Overlay(); err != nil {
			t.Error(err)
		}
	}
	_, _, err = h.update(t, s, index.Wanted{Version: "1.0.0"})
	refused(t, err, core.ErrDowngrade, "there is 1.1.0, and wanted is 1.0.0")
	if old, _, err := h.update(t, s, index.Wanted{Version: "1.0.0", AllowDowngrade: true}); err != nil || old.Release().Version != "1.0.0" {
		t.Fatal(err)
	}
	if back, err := s.Rollback(t.Context(), "acme", h.policy, terms()); err != nil || back.Release().Version != "1.1.0" {
		t.Errorf("%v", err)
	}
	h.policy.Keys = h.policy.Keys[:1]
	_, err = s.Load(t.Context(), "acme", h.policy, terms())
	refused(t, err, core.ErrUntrusted, `called "acme-house"`)
	if newest, err := s.Newest(t.Context(), "zeta"); newest != "" || err != nil {
		t.Errorf("%q, %v", newest, err)
	}
}

// C346: what the store keeps of a release is held to it at every load, byte by byte.
func TestC346_ReleasesInTheStoreAreHeldToTheirDocument(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are those of Unix")
	}
	h := newHouse(t)
	h.publish(t, "1.0.0", unsigned("1.0.0"), now.Add(-time.Hour))
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	change := func(path string, f func([]byte) []byte) {
		data, err := os.ReadFile(path)
		must(err)
		must(os.Chmod(path, 0o600))
		must(os.WriteFile(path, f(data), 0o600))
		must(os.Chmod(path, 0o400))
	}
	flip := func(data []byte) []byte { data[len(data)/2] ^= 1; return data }
	for name, attack := range map[string]func(object string){
		"the zip file": func(object string) { change(object+"/ARTIFACT.zip", flip) },
		"behind it":    func(object string) { change(object+"/ARTIFACT.zip", func(d []byte) []byte { return append(d, 0) }) },
		"the document": func(object string) { change(object+"/RELEASE.json", flip) },
		"what it says": func(object string) {
			change(object+"/RELEASE.json", func(d []byte) []byte { return []byte(strings.Replace(string(d), `"Acme"`, `"Evil"`, 1)) })
		},
		"without a document": func(object string) { must(os.Remove(object + "/RELEASE.json")) },
		"without a zip file": func(object string) { must(os.Remove(object + "/ARTIFACT.zip")) },
		"a file more":        func(object string) { must(os.WriteFile(object+"/more.json", []byte("{}"), 0o400)) },
		"a link": func(object string) {
			must(os.Rename(object+"/ARTIFACT.zip", filepath.Dir(object)+"/a.zip"))
			must(os.Symlink("../a.zip", object+"/ARTIFACT.zip"))
		},
		"unpacked": func(object string) {
			must(os.Remove(object + "/RELEASE.json"))
			must(os.Remove(object + "/ARTIFACT.zip"))
			place(t, object, unsigned("1.0.0"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, dir := storeAt(t)
			pkg, _, err := h.update(t, s, index.Wanted{})
			must(err)
			load(t, s, h.publisher)
			object := filepath.Join(dir, "objects", pkg.Digest())
			must(os.Chmod(object, 0o700))
			attack(object)
			for _, store := range []*extension.Store{s, extension.OpenStore(dir, nil)} {
				_, err := store.Load(t.Context(), "acme", h.policy, later())
				if name == "unpacked" {
					refused(t, err, core.ErrUntrusted, "not signed")
				} else {
					refused(t, err, core.ErrTampered)
				}
			}
			if _, _, err := h.update(t, s, index.Wanted{}); err != nil {
				t.Fatal(err)
			}
			load(t, s, h.publisher)
		})
	}
}

// A package that is signed besides is held to both signatures; one that has expired by its own is left out like one that
// was withdrawn.
func TestSignedPackagesOfAnIndexAreHeldToBothSignatures(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	s, _ := storeAt(t)
	h.publish(t, "1.0.0", h.signed(t, "1.0.0", 7), now.Add(-time.Hour))
	expired := unsigned("1.1.0")
	e, err := trust.Sign(trust.Extension, trust.Release{ID: "acme", Version: "1.1.0", Sequence: 8, IssuedAt: now.Add(-time.Hour), ExpiresAt: now}, content(t, expired).Digests(), h.signer)
	if err != nil {
		t.Fatal(err)
	}
	h.publish(t, "1.1.0", with(expired, extension.SignatureFile, string(e)), now.Add(-time.Hour))
	pkg, left, err := h.update(t, s, index.Wanted{})
	if err != nil {
		t.Fatal(err)
	}
	if r := load(t, s, h.publisher).Release(); pkg.Release().Version != "1.0.0" || r.Sequence != 7 {
		t.Errorf("got %+v", r)
	}
	if diff := cmp.Diff([]index.Left{{Version: "1.1.0", Code: core.ErrExpired, Reason: "it expired at 2026-03-01T12:00:00Z, and now is 2026-03-01T12:00:00Z"}}, left); diff != "" {
		t.Error(diff)
	}
	_, _, err = h.update(t, s, index.Wanted{Version: "1.1.0"})
	refused(t, err, core.ErrExpired, `no release "1.1.0" that fits`)

	other := newPublisher(t)
	h.publish(t, "1.2.0", other.signed(t, "1.2.0", 9), now)
	_, _, err = h.update(t, s, index.Wanted{})
	refused(t, err, core.ErrUntrusted, "expected is")
	if load(t, s, h.publisher).Release().Version != "1.0.0" {
		t.Error("the one before is not active")
	}
}

// broken is a source that cannot be read.
type broken struct{}

func (broken) Versions(context.Context) ([]byte, error) { return nil, errors.New("no network") }
func (broken) Artifact(context.Context, *index.Release) ([]byte, error) {
	return nil, errors.New("no network")
}

// scripted gives the list of a directory, and for every release the same zip file.
type scripted struct {
	index.Directory
	artifact []byte
	err      error
}

func (s scripted) Artifact(context.Context, *index.Release) ([]byte, error) { return s.artifact, s.err }

// C346: the first list that can be read is the one that counts; the next is asked only when it cannot.
func TestC346_TheFirstIndexThatCanBeReadCounts(t *testing.T) {
	t.Parallel()
	h, empty := newHouse(t), newHouse(t)
	h.publish(t, "1.0.0", unsigned("1.0.0"), now.Add(-time.Hour))
	none := index.Directory(t.TempDir())
	place(t, empty.dir, map[string]string{index.VersionsFile: `{"schemaVersion":"tutti.agent.versions.v1","agentKey":"acme","versions":[]}`})
	odd := t.TempDir()
	place(t, odd, map[string]string{index.VersionsFile: `{}`})
	good := index.Directory(h.dir)
	zip, err := os.ReadFile(filepath.Join(h.dir, "1.0.0", "acme.zip"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		sources []index.Source
		id      string
		code    core.Code
		says    string
	}{
		"one":                 {sources: []index.Source{good}},
		"after one that is":   {sources: []index.Source{broken{}, none, good}},
		"by a script":         {sources: []index.Source{scripted{good, zip, nil}}},
		"empty first":         {sources: []index.Source{index.Directory(empty.dir), good}, code: core.ErrNotInstalled, says: "no release that fits"},
		"no list first":       {sources: []index.Source{index.Directory(odd), good}, code: core.ErrPackage, says: "schemaVersion"},
		"none":                {sources: []index.Source{none}, code: core.ErrNotInstalled, says: "there is no versions.json"},
		"none of two":         {sources: []index.Source{none, broken{}}, code: core.ErrNotInstalled, says: "none of 2 can be read: 1. there is no versions.json; 2. "},
		"not given":           {code: core.ErrInvalid},
		"of another agent":    {sources: []index.Source{good}, id: "zeta", code: core.ErrPackage, says: "is that of acme"},
		"another zip file":    {sources: []index.Source{scripted{good, append(zip, 0), nil}}, code: core.ErrTampered, says: "bytes, signed are"},
		"the zip file is out": {sources: []index.Source{scripted{good, nil, errors.New("no network")}, good}, code: core.ErrInternal, says: "no network"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.id == "" {
				c.id = "acme"
			}
			got, _, err := extension.Find(t.Context(), c.id, h.policy, terms(), index.Wanted{}, c.sources...)
			if c.code == "" {
				if err != nil || got == nil {
					t.Fatal(err)
				}
				return
			}
			if core.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.says) || got != nil {
				t.Errorf("got %v [%s]", err, core.CodeOf(err))
			}
		})
	}
}
