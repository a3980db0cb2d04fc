//go:build unix

package thirdparty

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
)

// timed is what a tree holds, with the time at which each file and directory was last changed.
func timed(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	snapshot, err := rig.Take(dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, entry := range snapshot {
		fi, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all[name] = entry.Mode.String() + " " + entry.Sum + entry.Target + " " + fi.ModTime().String()
	}
	return all
}

// homes are a person's set-up for every client, with settings and a login for each that has them in a file.
func homes(t *testing.T, home string) {
	t.Helper()
	configs := filepath.Join(rig.Root(t, 2), "conformance", "testdata", "configs")
	for _, client := range []string{".codex", ".claude", ".cursor", ".kimi-code", ".config/opencode", ".tutti-agent", ".agents"} {
		write(t, filepath.Join(home, client, "AGENTS.md"), "of the user\n", 0o644)
		write(t, filepath.Join(home, client, "skills", "mine", "SKILL.md"), "---\nname: mine\ndescription: d\n---\n", 0o644)
	}
	for at, from := range map[string]string{
		".claude/settings.json": "claude-user-settings-switcher.json", ".codex/config.toml": "codex-full.toml", ".codex/auth.json": "codex-auth-apikey.json",
		".tutti-agent/auth.json": "codex-auth-apikey.json", ".cursor/hooks.json": "cursor-user-hooks.json",
		".kimi-code/config.toml": "kimi-config.toml", ".config/opencode/opencode.jsonc": "opencode-user.jsonc",
	} {
		data, err := os.ReadFile(filepath.Join(configs, from))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(home, at), string(data), 0o600)
	}
	write(t, filepath.Join(home, ".claude", "CLAUDE.md"), "of the user\n", 0o644)
	write(t, filepath.Join(home, ".claude.json"), `{"mcpServers":{"docs":{"command":"docs-server"}}}`, 0o600)
	write(t, filepath.Join(home, ".kimi-code", "credentials", "kimi-code.json"), `{"access_token":"a","refresh_token":"r"}`, 0o600)
	write(t, filepath.Join(home, ".local", "share", "opencode", "auth.json"), `{}`, 0o600)
}

// Preparing, preparing again, preparations that fail at changes from the first to the last, and clean-up leave the homes of the user as they
// were, with the times of their files, whatever the client.
func TestH16_TheUsersHomesStayAsTheyWere(t *testing.T) {
	t.Parallel()
	root := rig.Root(t, 2)
	entries, err := os.ReadDir(filepath.Join(root, "providers"))
	if err != nil || len(entries) < 6 {
		t.Fatalf("%d providers, %v", len(entries), err)
	}
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			home, work, state := filepath.Join(dir, "home"), filepath.Join(dir, "work"), filepath.Join(dir, "state")
			homes(t, home)
			write(t, filepath.Join(work, "AGENTS.md"), "of the project\n", 0o644)
			id, bin := rebuild(t, root, e.Name(), "")
			var failing, changes atomic.Int64 // the change that fails, 0 for none, and the last one that was made
			h, err := core.New(t.Context(), core.Config{
				StateDir: state, Home: home, Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + home},
				Adapters: []adapter.Source{{Path: bin, UnsafeAnyDigest: true}}, Commands: command.Fixed(),
				BeforeChange: func(int64, string, string) error {
					if changes.Add(1) == failing.Load() {
						return errors.New("no change is made here")
					}
					return nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { h.Close() })
			before := timed(t, home)
			same := func(what string) {
				t.Helper()
				if diff := cmp.Diff(before, timed(t, home)); diff != "" {
					t.Errorf("%s changed the homes of the user:\n%s", what, diff)
				}
			}
			session := core.Session{Workspace: "w", ID: "one", Provider: id, Cwd: work}
			prepare := func() error {
				changes.Store(0)
				_, err := h.Prepare(t.Context(), session)
				return err
			}
			for _, what := range []string{"preparing", "preparing again"} {
				if err := prepare(); err != nil {
					t.Fatal(err)
				}
				same(what)
			}
			clean := func() {
				t.Helper()
				if _, err := h.Cleanup(t.Context(), session.Ref(), core.CleanupOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			clean()
			same("clean-up")
			if err := prepare(); err != nil { // with what the host keeps in place
				t.Fatal(err)
			}
			last := changes.Load()
			clean()
			failed := 0
			for n := int64(1); n <= last; n += 1 + last/32 {
				failing.Store(n)
				err := prepare()
				failing.Store(0)
				if err != nil {
					failed++
				}
				same("a preparation that failed")
				if _, err := h.Cleanup(t.Context(), session.Ref(), core.CleanupOptions{}); err != nil && !errors.Is(err, core.ErrNotFound) {
					t.Fatal(err)
				}
			}
			if failed < 5 {
				t.Errorf("only %d of %d changes made a preparation fail", failed, last)
			}
			same("clean-up after a failure")
			if left, err := os.ReadDir(filepath.Join(state, "s")); err != nil && !errors.Is(err, fs.ErrNotExist) || len(left) > 0 {
				t.Errorf("%d sessions are left, %v", len(left), err)
			}
		})
	}
}
