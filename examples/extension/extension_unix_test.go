//go:build unix

package extension_test

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// tool is the directory that greenroom lies in, and all that these tests take of the repository but the example itself.
var tool string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "greenroom-extension-test-")
	if err == nil {
		cmd := exec.Command("go", "build", "-o", dir, "./cmd/greenroom")
		cmd.Dir, cmd.Stderr = filepath.Join("..", "..", "daemon"), os.Stderr
		err = cmd.Run()
	}
	code := 1
	if tool = dir; err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// author is somebody with a copy of the example, who uses the agent and is set up in it.
type author struct {
	t         *testing.T
	dir, home string
}

func newAuthor(t *testing.T) author {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a := author{t, filepath.Join(root, "example"), filepath.Join(root, "home")}
	for _, part := range []string{"package", "client"} {
		if err := os.CopyFS(filepath.Join(a.dir, part), os.DirFS(part)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(filepath.Join(a.dir, "package", "SIGNATURE.dsse.json")); err != nil { // of somebody who tried it here
		t.Fatal(err)
	}
	a.write("settings.yaml", "voice: low # as at night\nskills:\n  external_dirs:\n    - /srv/skills\n")
	a.write("login.json", `{"token":"of the user"}`)
	a.write("keys.json", `{"enter":"send"}`)
	a.write("skills/mine/SKILL.md", "---\nname: mine\ndescription: of the user\n---\n")
	a.write("models/tiny.bin", "m")
	return a
}

// write makes a file in the user's home of the agent.
func (a author) write(name, text string) {
	a.t.Helper()
	path := filepath.Join(a.home, ".understudy", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		a.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		a.t.Fatal(err)
	}
}

// sh runs lines of a shell in the copy, and gives what they said.
func (a author) sh(lines string) (string, error) {
	cmd := exec.CommandContext(a.t.Context(), "/bin/sh", "-e")
	cmd.Dir, cmd.Stdin = a.dir, strings.NewReader(lines)
	cmd.Env = []string{"HOME=" + a.home, "PATH=" + tool + ":/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (a author) must(lines string) string {
	a.t.Helper()
	out, err := a.sh(lines)
	if err != nil {
		a.t.Fatalf("%s\n%v\n%s", lines, err, out)
	}
	return out
}

// tree is every file below a directory by its mode and text.
func (a author) tree(dir string) map[string]string {
	a.t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		what := info.Mode().String()
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			what += " " + string(data)
		case info.Mode()&fs.ModeSymlink != 0:
			to, _ := os.Readlink(path)
			what += " -> " + to
		}
		rel, _ := filepath.Rel(dir, path)
		all[rel] = what
		return nil
	})
	if err != nil {
		a.t.Fatal(err)
	}
	return all
}

func TestTheReadmeIsTrue(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(text), "<!-- run -->\n```sh\n")
	list, _, found := strings.Cut(list, "```\n")
	if !found || strings.Count(list, "\n") > 10 {
		t.Fatalf("the README has the list\n%s", list)
	}
	a := newAuthor(t)
	before := a.tree(filepath.Join(a.home, ".understudy"))
	out := a.must(list)
	for _, want := range []string{
		"valid: 7 files", "signed understudy 1.0.0", "verified: understudy 1.0.0", "installed understudy 1.0.0",
		"instructions: 1", "plugin: cue", `login: {"token":"of the user"}`, "models: tiny.bin", "skill: greenroom-handoff", "skill: mine", "removed understudy",
	} {
		if strings.Count(out, want) != 1 {
			t.Errorf("it does not say %q once:\n%s", want, out)
		}
	}
	if diff := cmp.Diff(before, a.tree(filepath.Join(a.home, ".understudy"))); diff != "" {
		t.Errorf("the user's home changed (-before +after):\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(a.dir, "AGENTS.md")); err == nil {
		t.Error("AGENTS.md is left in the project")
	}
}

// What comes before an installation, and the installation.
const (
	sign    = "greenroom trust new-key understudy.key\ngreenroom extension sign package --key understudy.key\n"
	pack    = "greenroom extension pack package --output understudy-oci\n"
	believe = "greenroom trust add-key understudy.key.pub --name Understudy --release understudy\n"
	install = "greenroom extension install understudy-oci\n"
)

// What a session holds, and that files of the agent's plugin language are copied and never run: the client is not there.
func TestWhatASessionHolds(t *testing.T) {
	t.Parallel()
	a := newAuthor(t)
	a.must(sign + pack + believe + install + "greenroom prepare acp:understudy --session first")
	dirs, err := filepath.Glob(filepath.Join(a.home, ".local/state/greenroom/s/first-*"))
	if err != nil || len(dirs) != 1 {
		t.Fatalf("%v, %v", dirs, err)
	}
	got, user := a.tree(filepath.Join(dirs[0], "understudy")), filepath.Join(a.home, ".understudy")
	skills := filepath.Join(dirs[0], "extension-skills", ".understudy", "skills")
	plugin, err := os.ReadFile("package/plugins/cue.lua")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		".": "drwx------", "keys.json": `-rw------- {"enter":"send"}`, "plugins": "drwx------", "plugins/cue.lua": "-rw------- " + string(plugin),
		"login.json": "Lrwxrwxrwx -> " + filepath.Join(user, "login.json"), "models": "Lrwxrwxrwx -> " + filepath.Join(user, "models"),
		"settings.yaml": fmt.Sprintf("-rw------- voice: low # as at night\nskills:\n  external_dirs:\n    - /srv/skills\n    - %s\n    - %s\n", skills, filepath.Join(user, "skills")),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	a.must("greenroom cleanup first")
}

// Each of these is refused, by a message that says how to go on, and leaves nothing installed.
func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	const altered = "echo >>package/README.md\n"
	const other = "greenroom trust new-key other.key\ngreenroom extension sign package --key other.key\n"
	for name, c := range map[string]struct {
		before string
		spoil  bool // a byte of the layout
		does   string
		says   []string
	}{
		"nobody believes the key": {sign + pack, false, install, []string{"[untrusted]", "greenroom trust add-key"}},
		"another key signed":      {sign + other + pack + believe, false, install, []string{"[untrusted]", `expected is "Understudy"`}},
		"a byte of the layout":    {sign + pack + believe, true, install, []string{"[package_refused]", "plugins/cue.lua", "digest"}},
		"a file after signing":    {sign + altered + believe, false, "greenroom extension install package\n", []string{"[release_tampered]", "README.md"}},
		"packed after a change":   {sign + altered + believe, false, pack, []string{"[release_tampered]", "README.md", "sign it again"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := newAuthor(t)
			a.must(c.before)
			if c.spoil {
				a.spoil()
			}
			out, err := a.sh(c.does)
			if err == nil {
				t.Errorf("it was done:\n%s", out)
			}
			for _, part := range c.says {
				if !strings.Contains(out, part) {
					t.Errorf("it does not say %q:\n%s", part, out)
				}
			}
			if got := a.must("greenroom extension list"); !strings.Contains(got, "No extensions.") {
				t.Errorf("installed is\n%s", got)
			}
		})
	}
}

// spoil changes one byte of the plugin in the layout.
func (a author) spoil() {
	a.t.Helper()
	blobs := filepath.Join(a.dir, "understudy-oci", "blobs", "sha256")
	for name, what := range a.tree(blobs) {
		if text, ok := strings.CutPrefix(what, "-rw-r--r-- "); ok && strings.Contains(text, "on_turn") {
			if err := os.WriteFile(filepath.Join(blobs, name), []byte(strings.Replace(text, "ready", "reedy", 1)), 0o644); err != nil {
				a.t.Fatal(err)
			}
			return
		}
	}
	a.t.Fatal("the plugin is not in the layout")
}

// The package is what `init` makes, with a plugin and other words in the files.
func TestItBeganWithTheTool(t *testing.T) {
	t.Parallel()
	a := newAuthor(t)
	a.must("greenroom extension init begun --id understudy --name Understudy")
	names := func(dir string) (list []string) {
		for name, what := range a.tree(filepath.Join(a.dir, dir)) {
			if what[0] == '-' {
				list = append(list, name)
			}
		}
		slices.Sort(list)
		return list
	}
	want := append(names("begun"), "plugins/cue.lua")
	slices.Sort(want)
	if diff := cmp.Diff(want, names("package")); diff != "" {
		t.Error(diff)
	}
}
