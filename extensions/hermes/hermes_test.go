package hermes_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/rtk"
	"github.com/greenroom-agents/greenroom/core/trust"
	"github.com/greenroom-agents/greenroom/extensions/hermes"
)

var update = flag.Bool("update", false, "sign the package again")

var issued = time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)

// terms are those of a host on the day after.
var terms = trust.Terms{Now: issued.Add(24 * time.Hour), Host: "0.1.0"}

// signer is the committed test key.
func signer(t testing.TB) *trust.Signer {
	t.Helper()
	text, err := os.ReadFile("testdata/test-signing-key.pem")
	if err != nil {
		t.Fatal(err)
	}
	s, err := trust.ParseSigner(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// believing is a policy that believes the test key in the releases of one agent.
func believing(t testing.TB, key string) *trust.Policy {
	t.Helper()
	public := signer(t).Public()
	p := &trust.Policy{Version: 1, Keys: []trust.Key{{Name: "test", ID: public.ID, PEM: public.PEM(), Kinds: []trust.Kind{trust.Extension}, Releases: []string{key}}}}
	if err := p.Complete(); err != nil {
		t.Fatal(err)
	}
	return p
}

// content is the package without its signature, with words replaced.
func content(t testing.TB, words *strings.Replacer) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	err := fs.WalkDir(hermes.Files, "package", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == extension.SignatureFile {
			return err
		}
		data, err := hermes.Files.ReadFile(p)
		if words != nil {
			data = []byte(words.Replace(string(data)))
		}
		files[strings.TrimPrefix(p, "package/")] = data
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func sign(t testing.TB, files map[string][]byte, key string) []byte {
	t.Helper()
	c, err := extension.NewContent(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range c.Validate() {
		t.Errorf("%+v", f)
	}
	envelope, err := trust.Sign(trust.Extension, trust.Release{ID: key, Version: "1.0.0", Sequence: 1, IssuedAt: issued}, c.Digests(), signer(t))
	if err != nil {
		t.Fatal(err)
	}
	return envelope
}

func TestPackageIsSigned(t *testing.T) {
	if *update {
		if err := os.WriteFile("package/"+extension.SignatureFile, sign(t, content(t, nil), "hermes"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	pkg, err := extension.Verify(t.Context(), "package", believing(t, "hermes"), terms)
	if err != nil {
		t.Fatalf("%v (after a change: go test . -update)", err)
	}
	if pkg.Provider() != "acp:hermes" || pkg.Unsafe() {
		t.Errorf("provider %s, unsafe %v", pkg.Provider(), pkg.Unsafe())
	}
}

// The key is for tests: whoever believes nobody believes it neither.
func TestNobodyBelievesTheTestKey(t *testing.T) {
	t.Parallel()
	if _, err := extension.Verify(t.Context(), "package", &trust.Policy{}, terms); !errors.Is(err, core.ErrUntrusted) {
		t.Errorf("the policy that trusts nobody: %v", err)
	}
	id := []byte(signer(t).Public().ID)
	body := bytes.ReplaceAll([]byte(signer(t).Public().PEM()), []byte("\n"), nil)
	body = body[len("-----BEGIN PUBLIC KEY-----") : len(body)-len("-----END PUBLIC KEY-----")]
	looked := 0
	err := filepath.WalkDir("../..", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == ".git" || name == "node_modules" || name == ".cache" || name == "testdata" || name == "bin") {
			return fs.SkipDir
		}
		if !d.Type().IsRegular() || strings.HasSuffix(name, "_test.go") || name == extension.SignatureFile {
			return nil
		}
		data, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		looked++
		if bytes.Contains(data, id) || bytes.Contains(bytes.ReplaceAll(data, []byte("\n"), nil), body) {
			t.Errorf("%s names the test key, so that something that is shipped could believe it", p)
		}
		return nil
	})
	if err != nil || looked < 500 {
		t.Errorf("%d files were looked at: %v", looked, err)
	}
}

// session prepares a session of an agent, with rtk or without, and describes all that it comes to, in terms that hold no path
// of the machine.
func session(t *testing.T, files map[string][]byte, key, variable string, withRTK bool) map[string]string {
	t.Helper()
	c, err := extension.NewContent(files, sign(t, files, key))
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := c.Verify(believing(t, key), terms)
	if err != nil {
		t.Fatal(err)
	}
	o, err := pkg.Overlay()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	home, work, state := filepath.Join(dir, "home"), filepath.Join(dir, "work"), filepath.Join(dir, "state")
	for name, text := range map[string]string{
		"config.yaml": "# mine\nmodel: x/y\nskills:\n  external_dirs:\n    - /srv/a\n    - ../b\n", ".env": "KEY=1\n", "auth.json": `{"providers":{}}`,
		"skills/mine/SKILL.md": "---\nname: mine\ndescription: of the user\n---\n", "state.db": "x", "bin/tirith": "program",
	} {
		p := filepath.Join(home, "."+key, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(p), 0o755), os.WriteFile(p, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("rtk"))
	if err := os.WriteFile(filepath.Join(dir, "rtk"), []byte("rtk"), 0o755); err != nil {
		t.Fatal(err)
	}
	h, err := core.New(t.Context(), core.Config{StateDir: state, Home: home, Environ: []string{"PATH=/nowhere"}, Commands: command.Fixed(),
		RTK: rtk.Fixed(rtk.Artefact{Path: filepath.Join(dir, "rtk"), SHA256: hex.EncodeToString(sum[:])})})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	p, err := h.Prepare(context.Background(), core.Session{Workspace: "w", ID: "one", Provider: pkg.Provider(), ExtensionRuntimePrep: o, Cwd: work, RTK: withRTK})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"environment": strings.Join(slices.Sorted(slices.Values(p.Environ(nil))), "\n"), "instructions": p.FirstPrompt()}
	for root, at := range map[string]string{"session": p.Dir, "work": work} {
		err := filepath.WalkDir(at, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			rel, _ := filepath.Rel(at, path)
			text := d.Type().String()
			switch {
			case d.Type()&fs.ModeSymlink != 0:
				to, _ := os.Readlink(path)
				text += " -> " + to
			case d.Type().IsRegular():
				data, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				text += string(data)
			}
			all[root+":"+filepath.ToSlash(rel)] = text
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range all {
		delete(all, name)
		plain := strings.NewReplacer(p.Dir, "SESSION", dir, "DIR", variable, "VARIABLE", key, "KEY", filepath.Base(dir), "DIR").Replace
		all[plain(name)] = plain(text)
	}
	return all
}

// Nothing knows this agent by its name: renamed, and signed again, it is prepared alike.
func TestRenamedAndSignedAgainItIsTheSame(t *testing.T) {
	t.Parallel()
	zeta := strings.NewReplacer("hermes", "zeta", "HERMES", "ZETA", "Hermes", "Zeta")
	same := cmp.Comparer(func(a, b string) bool { return alike(a) == alike(b) })
	shortening := session(t, content(t, nil), "hermes", "HERMES_HOME", true)
	if diff := cmp.Diff(shortening, session(t, content(t, zeta), "zeta", "ZETA_HOME", true), same); diff != "" {
		t.Errorf("with rtk (-hermes +zeta):\n%s", diff)
	}
	own := session(t, content(t, nil), "hermes", "HERMES_HOME", false)
	if diff := cmp.Diff(own, session(t, content(t, zeta), "zeta", "ZETA_HOME", false), same); diff != "" {
		t.Errorf("(-hermes +zeta):\n%s", diff)
	}
	// What a session with rtk has more is this, and nothing of it without.
	var more []string
	for name := range shortening {
		if _, both := own[name]; !both {
			more = append(more, name)
		}
	}
	slices.Sort(more)
	if diff := cmp.Diff([]string{
		"session:KEY/plugins", "session:KEY/plugins/session-rtk", "session:KEY/plugins/session-rtk/__init__.py",
		"session:KEY/plugins/session-rtk/plugin.yaml", "session:KEY/plugins/session-rtk/session.json",
		"session:rtk", "session:rtk/RTK.md", "session:rtk/bin", "session:rtk/bin/rtk", "session:rtk/data", "session:rtk/tee",
	}, more); diff != "" {
		t.Errorf("C305: %s", diff)
	}
	if got := shortening["session:KEY/plugins/session-rtk/session.json"]; !strings.Contains(got, `"SESSION/rtk/bin/rtk"`) {
		t.Errorf("C305: the plugin is told %s", got)
	}
	for _, want := range []string{"session:KEY/config.yaml", "session:KEY/.env", "session:KEY/auth.json", "session:KEY/auth.lock", "session:KEY/bin", "work:AGENTS.md"} {
		if own[want] == "" {
			t.Errorf("%s is not there", want)
		}
	}
	if len(own) < 20 || !strings.Contains(own["environment"], "VARIABLE=SESSION/KEY") {
		t.Errorf("%d things, environment:\n%s", len(own), own["environment"])
	}
}

// marker takes the id of the state directory out of a managed block, and the order out of the environment.
var marker = regexp.MustCompile(`(GREENROOM (BEGIN|END) )[0-9a-f]+`)

func alike(s string) string {
	lines := strings.Split(marker.ReplaceAllString(s, "${1}ID"), "\n")
	if strings.Contains(s, "TUTTI_AGENT_CWD=") {
		slices.Sort(lines)
	}
	return strings.Join(lines, "\n")
}
