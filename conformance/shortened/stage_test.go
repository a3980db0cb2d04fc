//go:build unix

package shortened

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/rtk"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// theirs is what a user has who set up every client, some of it in the line breaks of Windows.
var theirs = map[string]string{
	".codex/AGENTS.md":               "# Mine\r\nrules of the user\r\n",
	".codex/config.toml":             "model = \"x\"\r\n",
	".tutti/agent/AGENTS.md":         "# Mine\r\nrules of the user\r\n",
	".claude/CLAUDE.md":              "rules of the user\n",
	".claude/settings.json":          `{"permissions": {"deny": ["Bash(git push:*)"], "ask": ["Bash(rm:*)"]}}`,
	".config/opencode/AGENTS.md":     "rules of the user\n",
	".config/opencode/opencode.json": `{"permission": {"bash": {"git push*": "deny"}}}`,
	".cursor/hooks.json":             `{"version": 1, "hooks": {"preToolUse": [{"command": "/opt/audit", "matcher": "Shell"}]}}`,
	".kimi-code/config.toml":         "default_model = \"x\"\n",
	".hermes/config.yaml":            "# mine\nplugins:\n  enabled: [theirs]\n  disabled: [unwanted]\n",
	".hermes/plugins/theirs/x.py":    "",
	".config/rtk/config.toml":        "[tracking]\n",
	".local/share/rtk/history.db":    "theirs",
}

// providers are all that there are: those of adapters, and the one that a package describes.
var providers = []string{"claude", "codex", "cursor", "kimi", "opencode", "tutti-agent", "acp:hermes"}

// scene is a user with a home and a project, and a host with rtk.
type scene struct {
	*testing.T
	root, dir, home, cwd string
	host                 *core.Host
	hermes               *extension.Package
	users                rig.Snapshot
}

func newScene(t *testing.T, provider string) *scene {
	t.Helper()
	dir := t.TempDir()
	s := &scene{T: t, root: rig.Root(t, 2), dir: dir, home: filepath.Join(dir, "home"), cwd: filepath.Join(dir, "work")}
	for name, text := range theirs {
		rig.Write(t, filepath.Join(s.home, name), text)
	}
	rig.Write(t, filepath.Join(s.cwd, "AGENTS.md"), "rules of the project\r\n")
	rig.Write(t, filepath.Join(s.dir, "resources/rtk"), "#!/bin/sh\nexit 1\n")
	sum := sha256.Sum256([]byte("#!/bin/sh\nexit 1\n"))
	config := core.Config{
		Commands: command.Fixed(), StateDir: filepath.Join(dir, "state"), Home: s.home,
		Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + s.home},
		RTK:     rtk.Fixed(rtk.Artefact{Path: filepath.Join(dir, "resources/rtk"), SHA256: hex.EncodeToString(sum[:])}),
	}
	if provider == "acp:hermes" {
		s.hermes = s.verified()
	} else {
		config.Adapters = []adapter.Source{{Path: s.build(provider), UnsafeAnyDigest: true}}
	}
	h, err := core.New(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	s.host, s.users = h, s.ofUsers()
	return s
}

func (s *scene) build(provider string) string {
	s.Helper()
	bin := filepath.Join(s.dir, "adapter")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/...")
	cmd.Dir = filepath.Join(s.root, "providers", strings.ReplaceAll(provider, "-", ""))
	if out, err := cmd.CombinedOutput(); err != nil {
		s.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// verified is the package for Hermes Agent, by the key of its tests.
func (s *scene) verified() *extension.Package {
	s.Helper()
	at := filepath.Join(s.root, "extensions", "hermes")
	text, err := os.ReadFile(filepath.Join(at, "testdata", "test-signing-key.pem"))
	if err != nil {
		s.Fatal(err)
	}
	signer, err := trust.ParseSigner(text)
	if err != nil {
		s.Fatal(err)
	}
	policy := &trust.Policy{Version: 1, Keys: []trust.Key{{Name: "test", ID: signer.Public().ID, PEM: signer.Public().PEM(),
		Kinds: []trust.Kind{trust.Extension}, Releases: []string{"hermes"}}}}
	if err := policy.Complete(); err != nil {
		s.Fatal(err)
	}
	pkg, err := extension.Verify(s.Context(), filepath.Join(at, "package"), policy, trust.Terms{Now: time.Now(), Host: "0.1.0"})
	if err != nil {
		s.Fatal(err)
	}
	return pkg
}

func (s *scene) take(dir string) rig.Snapshot {
	s.Helper()
	snapshot, err := rig.Take(dir)
	if err != nil {
		s.Fatal(err)
	}
	return snapshot
}

// ofUsers is everything of the user's.
func (s *scene) ofUsers() rig.Snapshot {
	s.Helper()
	all := s.take(s.home)
	for name, entry := range s.take(s.cwd) {
		all["project/"+name] = entry
	}
	return all
}

// state is all that a preparation comes to.
type state struct {
	p     *core.Prepared
	files rig.Snapshot
	env   string
}

func (s *scene) session(provider string) core.Session {
	s.Helper()
	ses := core.Session{Workspace: "w", ID: "one", Provider: provider, Cwd: s.cwd}
	if s.hermes != nil {
		o, err := s.hermes.Overlay()
		if err != nil {
			s.Fatal(err)
		}
		ses.ExtensionRuntimePrep = o
	}
	return ses
}

func (s *scene) prepare(ses core.Session) state {
	s.Helper()
	p, err := s.host.Prepare(s.Context(), ses)
	if err != nil {
		s.Fatal(err)
	}
	env := p.Environ([]string{"PATH=/usr/bin:/bin", "HOME=" + s.home})
	slices.Sort(env)
	files := s.take(p.Dir)
	for name, entry := range s.take(s.cwd) {
		files["project/"+name] = entry
	}
	return state{p, files, strings.Join(env, "\n")}
}

// gone ends the session, and demands that nothing of it is left and nothing of the user's was changed.
func (s *scene) gone(ses core.Session, dir string) {
	s.Helper()
	if _, err := s.host.Cleanup(s.Context(), core.Ref{Workspace: ses.Workspace, ID: ses.ID}, core.CleanupOptions{}); err != nil {
		s.Fatal(err)
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		s.Errorf("the session's directory is left: %v", err)
	}
	if changes := s.users.Changes(s.ofUsers(), ".hermes/bin"); len(changes) > 0 {
		s.Errorf("of the user's: %v", changes)
	}
}
