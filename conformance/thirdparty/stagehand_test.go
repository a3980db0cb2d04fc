//go:build unix

package thirdparty

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
)

// client is a program that tells what a session gave it.
const client = `#!/bin/sh
if [ "$1" = --version ]; then echo "stagehand 1.4.0"; exit; fi
echo "welcome: $(cat "$STAGEHAND_HOME/stagehand.json")"
echo "told: $(grep -c 'GREENROOM BEGIN' AGENTS.md)"
for s in "$STAGEHAND_HOME"/skills/*/SKILL.md "$STAGEHAND_HOME"/skills/*/*/SKILL.md; do
	[ -f "$s" ] && sed -n 's/^name: /skill: /p' "$s"
done
`

// build makes the adapter's binary and says its digest.
func build(t *testing.T) adapter.Source {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "greenroom-stagehand")
	cmd := exec.Command("go", "build", "-buildvcs=false", "-o", bin, ".")
	cmd.Dir = filepath.Join("..", "..", "examples", "provider")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	data, err := os.ReadFile(bin)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	return adapter.Source{Path: bin, SHA256: hex.EncodeToString(sum[:])}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestC256_AdapterOfAThirdParty(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	home, work, bin := filepath.Join(dir, "home"), filepath.Join(dir, "work"), filepath.Join(dir, "bin")
	write(t, filepath.Join(bin, "stagehand"), client, 0o755)
	write(t, filepath.Join(home, ".stagehand", "stagehand.json"), `{"theme":"dark"}`, 0o644)
	write(t, filepath.Join(home, ".stagehand", "skills", "mine", "SKILL.md"), "---\nname: mine\ndescription: d\n---\n", 0o644)
	const rules = "rules of the project\r\n"
	write(t, filepath.Join(work, "AGENTS.md"), rules, 0o644)
	base := []string{"PATH=" + bin + ":/usr/bin:/bin", "HOME=" + home}

	h, err := core.New(t.Context(), core.Config{
		StateDir: filepath.Join(dir, "state"), Home: home, Environ: base, Adapters: []adapter.Source{build(t)}, Commands: command.Fixed(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	ses := core.Session{Workspace: "w", ID: "one", Provider: "stagehand", Cwd: work}
	p, err := h.Prepare(t.Context(), ses)
	if err != nil {
		t.Fatal(err)
	}
	if p.Version != "1.4.0" {
		t.Errorf("version of the client is %q", p.Version)
	}
	lease, err := h.Hold(t.Context(), ses.Ref())
	if err != nil {
		t.Fatal(err)
	}
	cmd, err := p.Command(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	said := strings.Join(strings.Fields(string(out)), "")
	for _, want := range []string{`"theme":"dark"`, `"welcome_shown":true`, "told:1", "skill:tutti-handoff", "skill:mine"} {
		if strings.Count(said, want) != 1 {
			t.Errorf("the client does not say %s once:\n%s", want, out)
		}
	}
	if _, err := h.Cleanup(t.Context(), ses.Ref(), core.CleanupOptions{}); !errors.Is(err, core.ErrRunning) {
		t.Errorf("clean-up of a running session: %v, want %v", err, core.ErrRunning)
	}
	if _, err := lease.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Cleanup(t.Context(), ses.Ref(), core.CleanupOptions{}); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(work, "AGENTS.md")); err != nil || string(got) != rules {
		t.Errorf("the project's rules are %q after clean-up: %v", got, err)
	}
}
