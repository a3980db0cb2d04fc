package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/extension/composer"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/daemon/api/client"
)

// refused does one invocation that has to be refused by a code, and say all parts.
func (w *world) refused(code string, parts []string, args ...string) {
	w.t.Helper()
	a := w.run(args...)
	if a.status != 3 || !strings.Contains(a.errors, "["+code+"]") {
		w.t.Errorf("greenroom %s: status %d\n%s%s", strings.Join(args, " "), a.status, a.out, a.errors)
	}
	for _, part := range parts {
		if !strings.Contains(a.out+a.errors, part) {
			w.t.Errorf("greenroom %s does not say %q:\n%s%s", strings.Join(args, " "), part, a.out, a.errors)
		}
	}
}

// edit replaces a text in a file of the project.
func (w *world) edit(file, old, new string) {
	w.t.Helper()
	path := filepath.Join(w.project, file)
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	if !strings.Contains(string(data), old) {
		w.t.Fatalf("%s holds no %q", file, old)
	}
	if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(data), old, new)), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// acme makes a package and a key, and believes the key.
func acme(t *testing.T) *world {
	w := newWorld(t)
	w.must("extension", "init", "acme", "--name", "Acme")
	w.must("trust", "new-key", "acme.key")
	w.must("trust", "add-key", "acme.key.pub", "--name", "Acme Inc", "--release", "acme")
	return w
}

func TestExtensionFromNothingToASession(t *testing.T) {
	t.Parallel()
	w := acme(t)
	if got := w.must("extension", "validate", "acme"); !strings.Contains(got, "valid: 6 files") {
		t.Error(got)
	}
	w.must("extension", "sign", "acme", "--key", "acme.key")
	if got := w.must("extension", "verify", "acme"); !strings.Contains(got, "signed by Acme Inc (SHA256:") {
		t.Error(got)
	}
	for _, form := range []string{"acme.zip", "acme-oci"} {
		w.must("extension", "pack", "acme", "--output", form)
		w.must("extension", "validate", form)
		w.must("extension", "verify", form)
		w.must("extension", "install", form)
		w.refused("file_exists", nil, "extension", "pack", "acme", "--output", form)
	}
	w.must("extension", "install", "acme")
	if got := w.must("extension", "list"); !strings.Contains(got, "acme 0.1.0") {
		t.Error(got)
	}
	if got := w.must("extension", "list", "--json"); !strings.Contains(got, `"composer": {`) || !strings.Contains(got, `"prefix": "/"`) {
		t.Error(got)
	}
	if runtime.GOOS == "windows" {
		t.Skip("the agent of this test is a shell script")
	}
	w.write(filepath.Join(w.home, ".acme", "config.yaml"), "skills:\n  external_dirs: [mine]\n", 0o600)
	w.write(filepath.Join(w.bin, "acme"), "#!/bin/sh\ncat \"$ACME_HOME/config.yaml\"\n", 0o755)
	w.must("prepare", "acp:acme", "--session", "one")
	home, err := filepath.Glob(filepath.Join(w.state, "s", "one-*", "acme-home", "config.yaml"))
	if err != nil || len(home) != 1 {
		t.Fatalf("%v, %v", home, err)
	}
	data, err := os.ReadFile(home[0])
	if err != nil || !strings.Contains(string(data), filepath.Join(w.home, ".acme", "mine")) || !strings.Contains(string(data), "extension-skills") {
		t.Errorf("%s, %v", data, err)
	}
	w.must("cleanup", "one")
	// By its ID alone, where no adapter has that name.
	if got := w.must("explain", "acme"); !strings.Contains(got, "acp:acme") {
		t.Error(got)
	}
	if a := w.run("doctor"); !strings.Contains(a.out, "extension acme") || !strings.Contains(a.out, "signed by Acme Inc") || !strings.Contains(a.out, "client acp:acme") {
		t.Error(a.out)
	}
	w.must("extension", "remove", "acme")
	w.refused("release_not_found", []string{"acme", "greenroom extension install"}, "prepare", "acp:acme")
}

// What is not believed, or not any more, prepares no session, whatever is installed.
func TestExtensionsThatAreNotBelieved(t *testing.T) {
	t.Parallel()
	w := acme(t)
	w.refused("untrusted", []string{"not signed", "greenroom extension sign"}, "extension", "install", "acme")
	w.must("trust", "new-key", "other.key")
	w.must("extension", "sign", "acme", "--key", "other.key")
	w.refused("untrusted", []string{`expected is "Acme Inc"`, "add-key"}, "extension", "install", "acme")
	w.must("extension", "sign", "acme", "--key", "acme.key", "--sequence", "5")
	w.must("extension", "install", "acme")
	w.must("explain", "acp:acme")

	w.must("extension", "sign", "acme", "--key", "acme.key", "--sequence", "4")
	w.refused("release_downgrade", []string{"sequence 4", "5 was installed", "--allow-downgrade"}, "extension", "install", "acme")
	w.must("extension", "install", "acme", "--allow-downgrade")
	w.must("extension", "rollback", "acme")
	w.edit("acme/README.md", "Acme", "Evil")
	w.refused("release_tampered", []string{"README.md", "signed is"}, "extension", "install", "acme")

	w.must("trust", "revoke", "acme@0.1.0")
	w.refused("release_revoked", nil, "prepare", "acp:acme")
	if got := w.must("extension", "list"); !strings.Contains(got, "cannot be used:") {
		t.Error(got)
	}
	if got := w.must("trust", "show"); !strings.Contains(got, "extension acme 0.1.0") {
		t.Error(got)
	}
}

func TestExtensionsUnderDevelopment(t *testing.T) {
	t.Parallel()
	w := acme(t)
	if got := w.must("extension", "install", "acme", "--unsafe-unsigned"); !strings.Contains(got, "0.1.0+local.") || !strings.Contains(got, "signed by nobody") {
		t.Error(got)
	}
	w.refused("release_not_found", nil, "prepare", "acp:acme")
	w.must("explain", "acp:acme", "--unsafe-unsigned")
	if a := w.run("explain", fakeProvider, "--unsafe-unsigned"); a.status != 2 {
		t.Errorf("%+v", a)
	}
	if a := w.run("doctor"); !strings.Contains(a.out, "is signed by nobody, and used with --unsafe-unsigned only") {
		t.Error(a.out, a.errors)
	}
	if runtime.GOOS == "windows" {
		t.Skip("the agent of this test is a shell script")
	}
	w.write(filepath.Join(w.bin, "acme"), "#!/bin/sh\n", 0o755)
	w.must("prepare", "acp:acme", "--unsafe-unsigned", "--session", "one")
	if got := w.recorded().Adapter; !got.Unsafe || !strings.Contains(got.Version, "+local.") {
		t.Errorf("recorded as %+v", got)
	}
	w.must("cleanup", "one")
	w.must("extension", "sign", "acme", "--key", "acme.key")
	w.must("extension", "install", "acme")
	w.must("prepare", "acp:acme", "--session", "one")
	if got := w.recorded().Adapter; got.Unsafe || strings.Contains(got.Version, "+local.") {
		t.Errorf("recorded as %+v", got)
	}
}

// Messages say which file, which field and which rule, and how to mend it.
func TestValidateSaysWhatToMend(t *testing.T) {
	t.Parallel()
	w := acme(t)
	w.edit("acme/tutti.agent.json", `"npm"`, `"curl"`)
	w.edit("acme/profiles/composer.json", `"dirName": "acme-home"`, `"dirName": "../acme-home"`)
	w.write(filepath.Join(w.project, "acme", "notes.json"), "{}", 0o644)
	a := w.run("extension", "validate", "acme")
	if a.status != 3 {
		t.Errorf("status %d", a.status)
	}
	for _, part := range []string{"tutti.agent.json: runtime.install.runner", `is "curl"`, "npm, pnpm, uv or binary", "profiles/composer.json", "home.dirName", "lists the fields", "notes.json is not named", "hint: name it in"} {
		if !strings.Contains(a.out, part) {
			t.Errorf("it does not say %q:\n%s", part, a.out)
		}
	}
	var found struct {
		Valid    bool
		Findings []extension.Finding
	}
	if err := json.Unmarshal([]byte(w.run("extension", "validate", "acme", "--json").out), &found); err != nil || found.Valid || len(found.Findings) < 3 {
		t.Errorf("%+v, %v", found, err)
	}
	w.edit("acme/profiles/composer.json", `"sourceDefaultRel": ".acme"`, `"sourceDefaultRel": ".ssh"`)
	w.edit("acme/profiles/composer.json", `"envVar": "ACME_HOME"`, `"envVar": "PATH"`)
	if a := w.run("extension", "validate", "acme"); !strings.Contains(a.out, "home.dirName") || !strings.Contains(a.out, "home.sourceDefaultRel") || !strings.Contains(a.out, "home.envVar") {
		t.Errorf("it does not say all that is wrong at once:\n%s", a.out)
	}
	w.edit("acme/tutti.agent.json", `"agentKey"`, `"agentkey"`)
	w.refused("package_refused", []string{"tutti.agent.json line 3: agentkey", "not known"}, "extension", "sign", "acme", "--key", "acme.key")
}

func TestKeysAreKept(t *testing.T) {
	t.Parallel()
	w := acme(t)
	if info, err := os.Stat(filepath.Join(w.project, "acme.key")); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	w.refused("file_exists", nil, "trust", "new-key", "acme.key")
	w.refused("invalid_input", []string{"public key"}, "trust", "add-key", "acme.key", "--name", "x", "--release", "x")
	w.refused("invalid_input", []string{"private key"}, "extension", "sign", "acme", "--key", "acme.key.pub")
	w.refused("file_unreadable", nil, "extension", "sign", "acme", "--key", "none.key")
	if runtime.GOOS != "windows" {
		if err := os.Chmod(filepath.Join(w.project, "acme.key"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.refused("key_open_to_others", []string{"chmod 600"}, "extension", "sign", "acme", "--key", "acme.key")
	}
	for _, args := range [][]string{
		{"trust", "add-key", "acme.key.pub", "--name", "x"}, {"trust", "add-key", "acme.key.pub", "--release", "x"},
		{"trust", "add-key", "acme.key.pub", "--name", "x", "--release", "x", "--any-release"},
		{"trust", "add-key", "acme.key.pub", "--name", "x", "--release", "x", "--until", "tomorrow"},
		{"trust", "revoke", "acme"}, {"extension", "sign", "acme"}, {"extension", "init", "Acme"},
	} {
		if a := w.run(args...); a.status != 2 {
			t.Errorf("%v: status %d\n%s", args, a.status, a.errors)
		}
	}
}

// A policy that the roots have signed takes the place of the one before; a key that it revokes is believed no more.
func TestTrustIsUpdatedByItsRoots(t *testing.T) {
	t.Parallel()
	w := acme(t)
	w.must("extension", "sign", "acme", "--key", "acme.key")
	w.must("extension", "install", "acme")
	root, err := trust.GenerateSigner(trust.Ed25519)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(w.state, "trust.json")
	p, err := trust.ChangeFile(t.Context(), path, func(p *trust.Policy) error {
		p.Roots = &trust.Roots{Keys: []trust.Key{{Name: "Root", ID: root.Public().ID, PEM: root.Public().PEM()}}}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	next := *p
	next.Version, next.RevokedKeys = p.Version+5, []string{p.Keys[0].ID}
	for name, s := range map[string]*trust.Signer{"good.json": root, "bad.json": func() *trust.Signer { s, _ := trust.GenerateSigner(trust.Ed25519); return s }()} {
		e, err := trust.SignPolicy(&next, s)
		if err != nil {
			t.Fatal(err)
		}
		w.write(filepath.Join(w.project, name), string(e), 0o600)
	}
	w.refused("untrusted", []string{"Root"}, "trust", "update", "bad.json")
	w.must("explain", "acp:acme")
	w.must("trust", "update", "good.json")
	w.refused("release_revoked", []string{"a key that was revoked"}, "explain", "acp:acme")
	w.refused("release_downgrade", nil, "trust", "update", "good.json")
}

// An installed extension is a client that agents can be, with the tool and over the interface, and its agents are offered
// what it says; as soon as it is believed no more it is none.
func TestAgentsOfAnExtension(t *testing.T) {
	t.Parallel()
	w := acme(t)
	w.refused("release_not_found", []string{"acme"}, "agents", "add", "Early", "--client", "acp:acme")
	w.must("extension", "sign", "acme", "--key", "acme.key")
	w.must("extension", "install", "acme")
	w.must("agents", "add", "Writer", "--client", "acme", "--instructions", "Write.")
	at, _ := w.daemon()
	c := client.New(client.Config{BaseURL: at.BaseURL, Token: at.Token})
	defer c.Close()
	all, err := c.Agents(t.Context(), "personal")
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	offered, err := c.Composer(t.Context(), "personal", all[0].ID)
	if err != nil || offered.Profile == nil || offered.ModelSwitch {
		t.Fatalf("%+v, %v", offered, err)
	}
	var listed []struct{ Composer *composer.Profile }
	if err := json.Unmarshal([]byte(w.must("extension", "list", "--json")), &listed); err != nil || len(listed) != 1 {
		t.Fatalf("%+v, %v", listed, err)
	}
	if diff := cmp.Diff(listed[0].Composer, offered.Profile); diff != "" || offered.Profile.Skills.Prefix != "/" {
		t.Errorf("%+v\n%s", offered.Profile, diff)
	}
	ids := func() (ids []string) {
		providers, err := c.Providers(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range providers {
			ids = append(ids, p.ID)
		}
		return ids
	}
	if got := ids(); !slices.Contains(got, "acp:acme") || !slices.Contains(got, fakeProvider) {
		t.Error(got)
	}
	w.must("trust", "revoke", "acme@0.1.0")
	if got := ids(); slices.Contains(got, "acp:acme") || !slices.Contains(got, fakeProvider) {
		t.Error(got)
	}
	// Models of a plan cannot be had by an agent that says nothing of model endpoints.
	w.addPlan("P", "--model", "m")
	if a := w.run("agents", "edit", "Writer", "--plan", "P"); a.status == 0 {
		t.Error(a.out)
	}
}

// What a policy says of identities is shown as it is, and that this tool verifies no bundle; it refuses one, and says so.
func TestIdentitiesAreShownAndBundlesRefused(t *testing.T) {
	t.Parallel()
	w := acme(t)
	path := filepath.Join(w.state, "trust.json")
	root, err := trust.GenerateSigner(trust.ECDSAP256)
	if err != nil {
		t.Fatal(err)
	}
	const gone = "SHA256:of-a-key-that-is-not-there"
	if _, err := trust.ChangeFile(t.Context(), path, func(p *trust.Policy) error {
		p.Identities = []trust.Identity{{
			Name: "Zeta", Issuer: "https://issuer.example", Subject: "release@zeta.example", ValidUntil: time.Date(2030, 1, 2, 0, 0, 0, 0, time.UTC),
			Kinds: []trust.Kind{trust.Extension}, Releases: []string{"acme", "zeta"},
		}}
		p.RevokedKeys = []string{gone}
		p.Roots = &trust.Roots{Keys: []trust.Key{{Name: "Root", ID: root.Public().ID, PEM: root.Public().PEM()}}}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	shown := w.must("trust", "show")
	for _, want := range []string{
		"Acme Inc", "Zeta  release@zeta.example of https://issuer.example", "signs extensions (acme, zeta)", "until 2030-01-02", "does not verify", "keyless",
		"revoked: " + gone, "signed by 1 of these", "Root  " + root.Public().ID,
	} {
		if !strings.Contains(shown, want) {
			t.Errorf("it does not say %q:\n%s", want, shown)
		}
	}
	if got, err := trust.ParsePolicy([]byte(w.must("trust", "show", "--json"))); err != nil || len(got.Identities) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	w.write(filepath.Join(w.project, "acme", "SIGNATURE.dsse.json"), `{"mediaType":"application/vnd.dev.sigstore.bundle.v0.3+json","dsseEnvelope":{}}`, 0o644)
	for _, does := range []string{"verify", "install"} {
		w.refused("untrusted", []string{"Sigstore bundle", "this program verifies none", "signature by a key", "keyless"}, "extension", does, "acme")
	}
	w.refused("invalid_input", []string{"takes no signature besides its own", "without --add"}, "extension", "sign", "acme", "--key", "acme.key", "--add")
}

// What a publisher does in the wrong order, or with the wrong file, is refused before anything is written, and the message
// says what comes next.
func TestPublishersAreToldWhatComesNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	next := func(status int, code, says string, args ...string) {
		t.Helper()
		a := w.run(args...)
		if a.status != status || !strings.Contains(a.errors, "["+code+"]") || !strings.Contains(a.errors, says) || !strings.Contains(a.errors, "hint:") {
			t.Errorf("greenroom %s: status %d, and it does not say %q:\n%s%s", strings.Join(args, " "), a.status, says, a.out, a.errors)
		}
	}
	for _, does := range []string{"validate", "verify", "install", "pack"} {
		next(3, "file_unreadable", "greenroom extension init acme", "extension", does, "acme")
	}
	next(3, "file_unreadable", "greenroom extension init acme", "extension", "sign", "acme", "--key", "acme.key")
	w.must("extension", "init", "acme")
	next(3, "file_unreadable", "greenroom trust new-key acme.key", "extension", "sign", "acme", "--key", "acme.key")
	w.must("trust", "new-key", "acme.key")
	next(3, "invalid_input", "without .pub", "extension", "sign", "acme", "--key", "acme.key.pub")
	next(3, "invalid_input", "ends in .pub", "trust", "add-key", "acme.key", "--name", "Acme", "--release", "acme")
	next(3, "invalid_input", "without --add", "extension", "sign", "acme", "--key", "acme.key", "--add")
	next(3, "release_incompatible", "this is", "extension", "sign", "acme", "--key", "acme.key", "--host", ">=99.0.0")
	next(2, "usage", "to come", "extension", "sign", "acme", "--key", "acme.key", "--expires", "2020-01-01")
	if _, err := os.Stat(filepath.Join(w.project, "acme", "SIGNATURE.dsse.json")); !os.IsNotExist(err) {
		t.Errorf("a signature was written: %v", err)
	}
	w.must("extension", "sign", "acme", "--key", "acme.key")
	w.must("extension", "pack", "acme", "--output", "acme.zip")
	next(2, "usage", "name the directory", "extension", "sign", "acme.zip", "--key", "acme.key")
	next(3, "untrusted", "greenroom trust add-key FILE --name NAME --release ID", "extension", "install", "acme.zip")
	next(3, "adapter_not_found", "greenroom extension install", "prepare", "acme")
	for says, more := range map[string][]string{
		"may not sign \"acme\"": {"--release", "other"}, "may not sign a release of an extension": {"--release", "acme", "--kind", "adapter"}, "was valid until": {"--release", "acme", "--until", "2020-01-01"},
	} {
		w.must(append([]string{"trust", "add-key", "acme.key.pub", "--name", "Acme"}, more...)...)
		next(3, "untrusted", says, "extension", "install", "acme.zip")
	}
	next(2, "usage", "--any-release", "trust", "add-key", "acme.key.pub", "--name", "Acme", "--release", "Acme")
	next(2, "usage", "extension or adapter", "trust", "add-key", "acme.key.pub", "--name", "Acme", "--release", "acme", "--kind", "agent")
	if got := w.must("trust", "add-key", "acme.key.pub", "--name", "Acme", "--release", "acme"); !strings.Contains(got, "signs extensions (acme)") {
		t.Errorf("it does not say what the key may sign: %s", got)
	}
	next(3, "release_not_found", "extension list", "extension", "remove", "acme")
	w.must("extension", "install", "acme.zip")
	next(3, "release_not_found", "--allow-downgrade", "extension", "rollback", "acme")
	w.edit("acme/README.md", "acme", "acne")
	next(3, "release_tampered", "sign it again", "extension", "pack", "acme", "--output", "later.zip")
	if _, err := os.Stat(filepath.Join(w.project, "later.zip")); !os.IsNotExist(err) {
		t.Errorf("what is not what was signed was packed: %v", err)
	}
	for _, what := range []string{"acme", "Acme@1.0.0", "acme@1", "SHA256:short", strings.Repeat("g", 64)} {
		next(2, "usage", "trust show", "trust", "revoke", what)
	}
	next(2, "usage", "extension or adapter", "trust", "revoke", "acme@0.1.0", "--kind", "agent")
	w.must("trust", "revoke", "acme@0.1.0")
	w.must("trust", "revoke", "acme@0.1.0")
	if got := w.must("trust", "show"); strings.Count(got, "extension acme 0.1.0") != 1 {
		t.Error(got)
	}
	next(3, "release_revoked", "take another release", "prepare", "acme")
	var p trust.Policy
	if err := json.Unmarshal([]byte(w.must("trust", "show", "--json")), &p); err != nil {
		t.Fatal(err)
	}
	w.must("trust", "revoke", p.Keys[0].ID)
	next(3, "release_revoked", "by mistake", "trust", "add-key", "acme.key.pub", "--name", "Acme", "--release", "acme")
	policy := filepath.Join(w.state, "trust.json")
	w.write(policy, "{", 0o600)
	for _, args := range [][]string{{"trust", "show"}, {"extension", "list"}, {"trust", "revoke", "acme@0.1.0"}, {"extension", "install", "acme.zip"}} {
		next(3, "trust_policy_refused", policy, args...)
	}
}
