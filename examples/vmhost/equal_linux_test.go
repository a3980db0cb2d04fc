package vmhost_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/examples/vmhost"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// asked are the sessions that both machines prepare: each client as it is, and on an endpoint where it can be bound to one.
func asked(cwd string) []core.Session {
	var list []core.Session
	for _, a := range adapters() {
		d := a.InProcess.Describe()
		s := core.Session{Workspace: "w", ID: "plain-" + d.Provider, Provider: d.Provider, Cwd: cwd,
			TrustWorkspace: preparer.HostCreated,
			Agent:          canon.Agent{Name: "Reviewer", Instructions: "Look twice."},
			Connectors:     &connector.Context{EnabledConnectors: []string{"mail"}},
			ExtraSkills:    []capability.SkillSpec{{Skill: skill.Skill{Name: "extra", Files: map[string][]byte{"SKILL.md": []byte("---\nname: extra\ndescription: one more\n---\n\x00\xff")}}}}}
		list = append(list, s)
		protocol := d.Model.Protocol
		if d.Model.Endpoint == preparer.ResponsesToChatGateway {
			protocol = preparer.Responses
		}
		if protocol != "" {
			s.ID = "bound-" + d.Provider
			s.Inherit.Preset = core.Automation
			s.Endpoint = &modelendpoint.Endpoint{Name: "Plan", Protocol: protocol, BaseURL: "http://127.0.0.1:9/v1", Key: modelendpoint.NewKey("secret-of-the-plan"),
				Models: []modelendpoint.Model{{ID: "m1", ContextTokens: 100000}}, UnsafeKeyInFile: true}
			list = append(list, s)
		}
	}
	return list
}

// The same request gives the same session here and on another machine, whatever the client.
func TestSessionsAreEqualHereAndThere(t *testing.T) {
	t.Parallel()
	here, there := t.TempDir(), shortDir(t)
	bin := launchtest.Install(t)
	furnish(t, here)
	furnish(t, there)
	environ := func(dir string) []string {
		return []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + bin + ":/usr/bin:/bin", "LANG=C"}
	}
	client, root := elsewhere(t, there, environ(there))
	host, err := hostAt(t.Context(), here, environ(here))
	if err != nil {
		t.Fatal(err)
	}
	defer host.Close()
	if _, err := os.Stat(filepath.Join(there, "mnt/app")); err == nil {
		t.Fatal("what the machine has mounted is seen here")
	}
	// A client may file the workspace by a digest of its path, which cannot be mapped.
	filed := func(cwd string) string { sum := sha256.Sum256([]byte(cwd)); return hex.EncodeToString(sum[:6]) }
	local := strings.NewReplacer(filepath.Join(here, "work"), "/projects", here, "<machine>", filed(filepath.Join(here, "work/app")), "<digest>")
	distant := strings.NewReplacer(filepath.Join(there, "mnt"), "/projects", there, "<machine>", filed(filepath.Join(there, "mnt/app")), "<digest>")
	mine, theirs := asked(filepath.Join(here, "work/app")), asked("/projects/app")
	for i := range mine {
		t.Run(mine[i].ID, func(t *testing.T) {
			p, err := host.Prepare(t.Context(), mine[i])
			if err != nil {
				t.Fatal(err)
			}
			q, err := client.Prepare(t.Context(), theirs[i])
			if err != nil {
				t.Fatal(err)
			}
			if q.Cwd != "/projects/app" {
				t.Errorf("it works in %s", q.Cwd)
			}
			// Its own JSON has the first prompt too, which travels nowhere else.
			p.Diagnostics = append([]core.Diagnostic{}, p.Diagnostics...)
			if diff := cmp.Diff(document(t, p, local), document(t, q, distant)); diff != "" {
				t.Errorf("prepared (-here +there):\n%s", diff)
			}
			a, err := host.Session(t.Context(), p.Ref)
			if err != nil {
				t.Fatal(err)
			}
			b, err := client.Session(t.Context(), p.Ref)
			if err != nil {
				t.Fatal(err)
			}
			b.Created, b.Updated = a.Created, a.Updated
			if diff := cmp.Diff(document(t, a, local), document(t, b, distant)); diff != "" {
				t.Errorf("session (-here +there):\n%s", diff)
			}
			files := tree(t, p.Dir, local)
			if diff := cmp.Diff(files, tree(t, filepath.Join(root, q.Dir), distant)); diff != "" || len(files) == 0 && p.FirstPrompt() == "" {
				t.Errorf("%d files (-here +there):\n%s", len(files), diff)
			}
			if diff := cmp.Diff(tree(t, filepath.Join(here, "work"), local), tree(t, filepath.Join(there, "work"), distant)); diff != "" {
				t.Errorf("workspace (-here +there):\n%s", diff)
			}
			if _, err := host.Cleanup(t.Context(), p.Ref, core.CleanupOptions{}); err != nil {
				t.Error(err)
			}
			if r, err := client.Cleanup(t.Context(), p.Ref, core.CleanupOptions{}); err != nil || len(r.Kept) > 0 {
				t.Errorf("clean up there: %+v, %v", r, err)
			}
		})
	}
	t.Run("driven", func(t *testing.T) {
		s, _, err := client.Open(t.Context(), core.Session{Workspace: "w", ID: "driven", Provider: launchtest.Provider, Cwd: "/projects/app"}, "", vmhost.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if said, _ := turn(t, s, "env HOME"); said != filepath.Join(there, "home") {
			t.Errorf("the agent there says %q", said)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// shortDir is a directory whose name leaves room for that of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "vm")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// document is a value as a JSON document, with paths as both machines call them.
func document(t *testing.T, v any, names *strings.Replacer) (doc map[string]any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal([]byte(names.Replace(string(data))), &doc)
	}
	if err != nil {
		t.Fatal(err)
	}
	delete(doc, "firstPrompt")
	return doc
}

// marker is what managed blocks stand between. It names the state directory by a digest of its path.
var marker = regexp.MustCompile(`GREENROOM (BEGIN|END) [0-9a-f]{8}`)

// tree is every file below a directory, with its kind, mode and content.
func tree(t *testing.T, dir string, names *strings.Replacer) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		text := ""
		switch {
		case d.Type()&fs.ModeSymlink != 0:
			text, err = os.Readlink(path)
		case d.Type().IsRegular():
			var data []byte
			data, err = os.ReadFile(path)
			text = string(data)
		}
		files[names.Replace(rel)] = info.Mode().String() + " " + marker.ReplaceAllString(names.Replace(text), "GREENROOM $1 <state>")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}
