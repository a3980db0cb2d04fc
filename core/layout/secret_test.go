package layout

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/input"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const canary = "sk-canary-4711"

// scene is a user's home and a session's directory.
type scene struct {
	t    *testing.T
	dir  string
	root *fsroot.Tree
	d    preparer.Descriptor
}

func newScene(t *testing.T, o fsroot.Options) *scene {
	t.Helper()
	s := &scene{t: t, dir: t.TempDir(), d: descriptor()}
	s.d.Model.SecretFile = true
	for rel, text := range map[string]string{
		"home/.prop/config.toml": "api_key = \"" + canary + "\"\n", "home/.prop/auth.json": `{"token":"` + canary + `"}`, "home/.prop/skills/a/SKILL.md": canary,
	} {
		path := filepath.Join(s.dir, rel)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(s.dir, "session"), 0o700); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.root, err = fsroot.OpenWith(filepath.Join(s.dir, "session"), o); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.root.Close() })
	return s
}

func (s *scene) compile(build func(l *preparer.Layout)) *Tree {
	s.t.Helper()
	l := preparer.NewLayout()
	build(l)
	if err := Check(s.d, l); err != nil {
		s.t.Fatal(err)
	}
	homes := map[string]string{"prop": filepath.Join(s.dir, "home/.prop")}
	roots := Roots{Session: filepath.Join(s.dir, "session"), User: filepath.Join(s.dir, "home"), Cache: filepath.Join(s.dir, "cache"), Homes: homes}
	in, err := input.Take(s.t.Context(), s.d.Inputs, input.Roots{User: roots.User, Homes: homes}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	tree, err := Compile(context.Background(), Source{
		Descriptor: s.d, Layout: l, Marker: merge.Marker{ID: "x"},
		Handles: Handles{Roots: roots, Inputs: in, Secrets: map[string]string{"key": canary}, SecretsInFiles: true, Texts: map[string]Text{"doc": {Whole: "text"}}},
		Current: func(string) ([]byte, error) { return nil, fs.ErrNotExist },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return tree
}

func TestI11_SecretsLeaveNoTraceInTheRecord(t *testing.T) {
	t.Parallel()
	s := newScene(t, fsroot.Options{})
	for i := range s.d.Inputs {
		s.d.Inputs[i].Secret = true
	}
	at := preparer.Session
	key := preparer.Secret{Name: "key"}
	input := []preparer.Base{preparer.FromInput("config")}
	secret := map[string]bool{"file": true, "quoted": true, "doc.json": true, "edited.json": true, "copy": true, "merged.toml": true, "block.md": true, "names/a": true, "plain": false}
	tree := s.compile(func(l *preparer.Layout) {
		l.File(at("file"), preparer.S("key="), key)
		l.File(at("quoted"), preparer.Quote(preparer.Shell, preparer.Concat{preparer.S("x"), key}))
		l.Document(at("doc.json"), preparer.JSON, preparer.Object{"list": preparer.List{preparer.Object{"key": key}}})
		l.Merge(at("edited.json"), preparer.JSON, []preparer.Base{preparer.Empty()}, preparer.Append(preparer.Key("keys"), preparer.ListIDs, key))
		l.Copy(at("copy"), "auth")
		l.Merge(at("merged.toml"), preparer.TOML, input, preparer.Set(preparer.Key("ours"), preparer.Bool(true)))
		l.Block(at("block.md"), input, preparer.Text{Document: "doc"})
		l.File(at("plain"), preparer.S("x"))
		l.Set("PROP_KEY", key)
		l.Set("PROP_AUTH", preparer.Concat{preparer.S("Bearer "), key})
		l.Set("PROP_X", preparer.S("x"))
	})
	delete(secret, "names/a") // a directory is not copied
	entries := tree.Entries()
	for _, e := range entries {
		if want, ok := secret[e.Path]; ok && (e.Digest == "") != want {
			t.Errorf("%s has digest %q", e.Path, e.Digest)
		}
	}
	data, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(data, []byte(canary)) {
		t.Errorf("the record holds the secret: %s", data)
	}
	for _, v := range tree.Env {
		if v.Secret != strings.Contains(v.Value, canary) {
			t.Errorf("%s is secret: %v", v.Name, v.Secret)
		}
	}
	if err := tree.Everything().Apply(s.root); err != nil {
		t.Fatal(err)
	}
	for path, want := range secret {
		text, err := os.ReadFile(filepath.Join(s.dir, "session", path))
		if err != nil || bytes.Contains(text, []byte(canary)) != want {
			t.Errorf("%s is %q, %v", path, text, err)
		}
		if fi, err := os.Stat(filepath.Join(s.dir, "session", path)); err == nil && fi.Mode() != 0o600 {
			t.Errorf("%s has mode %v", path, fi.Mode())
		}
	}
}

// noLinks is a system without symbolic links.
type noLinks struct{ works *bool }

func (n noLinks) Symlink(dir *os.Root, target, name string) error {
	if *n.works {
		return os.Symlink(target, filepath.Join(dir.Name(), name))
	}
	return syscall.EPERM
}

func (n noLinks) Junction(dir *os.Root, target, name string) error {
	return n.Symlink(dir, target, name)
}
func (n noLinks) Hard(dir *os.Root, target, name string) error { return n.Symlink(dir, target, name) }

func TestH20_LoginIsACopyWhereLinksFail(t *testing.T) {
	t.Parallel()
	works := false
	s := newScene(t, fsroot.Options{Linker: noLinks{&works}})
	build := func(l *preparer.Layout) {
		l.Login(preparer.Login{At: preparer.Session("auth.json"), Input: "auth", JSON: true})
	}
	tree := s.compile(build)
	if err := tree.Everything().Apply(s.root); err != nil {
		t.Fatal(err)
	}
	l := tree.Logins[0]
	if !l.Copy || l.Baseline != manifest.Digest([]byte(`{"token":"`+canary+`"}`)) {
		t.Errorf("recorded as %+v", l)
	}
	path := filepath.Join(s.dir, "session/auth.json")
	if fi, err := os.Lstat(path); err != nil || fi.Mode() != 0o600 {
		t.Fatalf("the copy is %v, %v", fi, err)
	}
	again := s.compile(build)
	again.Logins[0].Copy = true // as the host carries over
	c, err := again.Compare(s.root, tree.Entries())
	if err != nil {
		t.Fatal(err)
	}
	if c.Any() || len(c.Displaced) != 0 {
		t.Errorf("preparing again would write %v and displace %v", c.write, c.Displaced)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	works = true
	if c, err = again.Compare(s.root, tree.Entries()); err != nil {
		t.Fatal(err)
	}
	if err := c.Apply(s.root); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(path); err != nil || target != l.Source || again.Logins[0].Copy {
		t.Errorf("once links work it is a link to %q, %v, recorded as %+v", target, err, again.Logins[0])
	}
}

func TestH20_OtherLinksFailWithTheCause(t *testing.T) {
	t.Parallel()
	works := false
	s := newScene(t, fsroot.Options{Linker: noLinks{&works}})
	tree := s.compile(func(l *preparer.Layout) { l.Link(preparer.Session("a"), preparer.Session("b")) })
	err := tree.Everything().Apply(s.root)
	if !errors.Is(err, fsroot.ErrNoLinks) || !strings.Contains(err.Error(), syscall.EPERM.Error()) {
		t.Errorf("error %v, want one that says what the system said", err)
	}
}

func TestCacheIsAnotherForOtherKeys(t *testing.T) {
	t.Parallel()
	s := newScene(t, fsroot.Options{})
	where := func(keys ...string) string {
		tree := s.compile(func(l *preparer.Layout) { l.Link(preparer.Session("m"), preparer.Cache("models", "m.json", keys...)) })
		return tree.Nodes[0].Target
	}
	plain, byConfig, byValue := where(), where("config"), where("config#api_key")
	if plain == byConfig || byConfig == byValue {
		t.Error("different keys share a cache")
	}
	if diff := cmp.Diff([]string{plain, byConfig, byValue}, []string{where(), where("config"), where("config#api_key")}); diff != "" {
		t.Errorf("equal keys give another cache:\n%s", diff)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "home/.prop/config.toml"), []byte("api_key = \""+canary+"\"\nmodel = 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if where("config") == byConfig || where("config#api_key") != byValue || where() != plain {
		t.Error("a change of the content has to change what is keyed by it, and no more")
	}
	for _, path := range []string{plain, byConfig, byValue} {
		if strings.Contains(path, canary) {
			t.Error("the path holds the secret")
		}
	}
}
