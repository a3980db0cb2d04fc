//go:build unix

package thirdparty

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
)

// another is the id that adapters are given in the place of their own.
const another = "another-51c2"

var providerID = regexp.MustCompile(`(Provider:\s+)"([a-z0-9-]+)"`)

// rebuild builds an adapter from its source, under another id when one is given, and gives its own id and the binary.
func rebuild(t *testing.T, root, module, as string) (id, bin string) {
	t.Helper()
	dir := t.TempDir()
	source := filepath.Join(root, "providers", module)
	err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, "_test.go") || strings.Contains(path, "testdata") {
			return err
		}
		rel, _ := filepath.Rel(source, path)
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		if found := providerID.FindStringSubmatch(text); found != nil && strings.HasSuffix(path, ".go") {
			id = found[2]
			if as != "" {
				text = providerID.ReplaceAllString(text, `${1}"`+as+`"`)
			}
		}
		text = strings.ReplaceAll(text, "=> ../../sdk", "=> "+filepath.Join(root, "sdk"))
		write(t, filepath.Join(dir, rel), text, 0o644)
		return nil
	})
	if err != nil || id == "" {
		t.Fatalf("%s: its id was not found: %v", module, err)
	}
	bin = filepath.Join(dir, "adapter")
	cmd := exec.Command("go", "build", "-o", bin, "./cmd/greenroom-"+id)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build %s: %v\n%s", module, err, out)
	}
	return id, bin
}

// session is all that a session of an adapter comes to, with the state directory and the adapter's id taken out.
func session(t *testing.T, dir, id, bin string) map[string]string {
	t.Helper()
	home, work, state := filepath.Join(dir, "home"), filepath.Join(dir, "work"), filepath.Join(t.TempDir(), "state")
	h, err := core.New(t.Context(), core.Config{
		StateDir: state, Home: home, Environ: []string{"PATH=/usr/bin:/bin", "HOME=" + home},
		Adapters: []adapter.Source{{Path: bin, UnsafeAnyDigest: true}}, Commands: command.Fixed(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	p, err := h.Prepare(t.Context(), core.Session{Workspace: "w", ID: "one", Provider: id, Cwd: work})
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{"first prompt": p.FirstPrompt(), "arguments": strings.Join(p.Args, "\n") + "\n--\n" + strings.Join(p.ArgsAfter, "\n")}
	for _, v := range p.Env {
		all["env "+v.Name] = string(v.Op) + " " + v.Value
	}
	for _, s := range p.Skills {
		all["skill "+s.ID] = s.Name + " " + s.Path
	}
	for _, d := range p.Diagnostics {
		all["diagnostic "+d.Code] = d.Text
	}
	err = filepath.WalkDir(p.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(p.Dir, path)
		fi, err := d.Info()
		if err != nil {
			return err
		}
		what := fi.Mode().String()
		if d.Type()&fs.ModeSymlink != 0 {
			to, _ := os.Readlink(path)
			what += " " + to
		} else if d.Type().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += " " + string(data)
		}
		all["file "+rel] = what
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range all {
		text = strings.ReplaceAll(text, state, "STATE")
		if key == "env TUTTI_AGENT_PROVIDER" {
			text = strings.ReplaceAll(text, id, "ID")
		}
		// Blocks are marked by the state directory that they are of.
		all[key] = regexp.MustCompile(`GREENROOM (BEGIN|END)[^\n]*`).ReplaceAllString(text, "GREENROOM $1")
	}
	return all
}

// Nothing but the adapter knows what a client is: under another id it prepares the same session.
func TestRenamedProvidersPrepareTheSame(t *testing.T) {
	t.Parallel()
	root := rig.Root(t, 2)
	entries, err := os.ReadDir(filepath.Join(root, "providers"))
	if err != nil || len(entries) < 3 {
		t.Fatalf("%d providers, %v", len(entries), err)
	}
	for _, e := range entries {
		module := e.Name()
		t.Run(module, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			home := filepath.Join(dir, "home")
			// Something of the user's for every client, so that more than the plain case is compared.
			for _, client := range []string{".codex", ".claude", ".cursor", ".kimi-code", ".config/opencode", ".tutti-agent"} {
				write(t, filepath.Join(home, client, "AGENTS.md"), "of the user\n", 0o644)
				write(t, filepath.Join(home, client, "skills", "mine", "SKILL.md"), "---\nname: mine\ndescription: d\n---\n", 0o644)
			}
			write(t, filepath.Join(home, ".codex", "config.toml"), "model = \"m\"\n[mcp_servers.docs]\ncommand = \"x\"\n", 0o644)
			write(t, filepath.Join(dir, "work", "AGENTS.md"), "of the project\n", 0o644)

			id, own := rebuild(t, root, module, "")
			_, renamed := rebuild(t, root, module, another)
			want, got := session(t, dir, id, own), session(t, dir, another, renamed)
			if len(want) < 8 {
				t.Errorf("only %d things to compare", len(want))
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("under another id the session is another one:\n%s", diff)
			}
		})
	}
}
