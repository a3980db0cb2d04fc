package input

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// tree writes files below a scratch folder, by path.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for rel, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(rel))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func take(t *testing.T, dir string, inputs ...preparer.Input) *Snapshot {
	t.Helper()
	s, err := Take(t.Context(), inputs, Roots{
		User: filepath.Join(dir, "user"), Workspace: filepath.Join(dir, "repo", "sub"), Homes: map[string]string{"tool": filepath.Join(dir, "user/.tool")},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestAdapterLearnsWhatItAskedForAndNoMore(t *testing.T) {
	t.Parallel()
	const config = "secret = \"canary\"\nmodel = \"m\"\nn = 3\nf = 1.5\nyes = true\nlist = [1]\n[servers.a]\ntype = \"x\"\n[servers.\"b/c\"]\ntype = \"y\"\n"
	dir := tree(t, map[string]string{"user/.tool/config.toml": config, "user/.tool/auth.json": `{"token":"canary"}`})
	at := []preparer.Location{preparer.At("tool", "config.toml")}
	keys := []preparer.KeyPath{preparer.Key("servers", "*", "type")}
	for _, k := range []string{"model", "n", "f", "yes", "list", "none"} {
		keys = append(keys, preparer.Key(k))
	}
	auth := preparer.Input{Name: "auth", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("tool", "auth.json")}, Secret: true}
	values := auth
	values.Name, values.Learn, values.Format, values.Values = "auth values", preparer.LearnValues, preparer.JSON, []preparer.KeyPath{preparer.Key("token")}
	auth.Learn = preparer.LearnContent
	found := take(t, dir,
		preparer.Input{Name: "exists", Kind: preparer.InputFile, At: at},
		preparer.Input{Name: "values", Kind: preparer.InputFile, At: at, Learn: preparer.LearnValues, Format: preparer.TOML, Values: keys,
			Carries: []preparer.Carry{
				{Kind: preparer.MCPServers, Keys: []preparer.KeyPath{preparer.Key("servers", "*")}},
				{Kind: preparer.ModelSettings, Keys: []preparer.KeyPath{preparer.Key("secret")}},
			}},
		preparer.Input{Name: "content", Kind: preparer.InputFile, At: at, Learn: preparer.LearnContent},
		auth, values,
		preparer.Input{Name: "second", Kind: preparer.InputFile, At: append([]preparer.Location{preparer.At("tool", "none"), preparer.AtUser("none")}, at...)},
		preparer.Input{Name: "none", Kind: preparer.InputFile, At: []preparer.Location{preparer.AtUser("none"), preparer.At("tool", "config.toml/below")}},
		preparer.Input{Name: "other home", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("unknown", "x")}},
	).Found()
	want := map[string]preparer.Found{
		"exists": {Exists: true},
		"values": {Exists: true, Values: map[string]preparer.Value{
			"model": preparer.String("m"), "n": preparer.Int(3), "f": preparer.Float(1.5), "yes": preparer.Bool(true),
			"servers/a/type": preparer.String("x"), "servers/b~1c/type": preparer.String("y"),
		}},
		"content": {Exists: true, Content: []byte(config)}, "auth": {Exists: true}, "auth values": {Exists: true},
		"second": {Exists: true, Index: 2}, "none": {}, "other home": {},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
}

func TestNamesOfAllPlacesTogether(t *testing.T) {
	t.Parallel()
	const md = "---\nname: title\ndescription: d\n---\n"
	dir := tree(t, map[string]string{
		"user/.tool/skills/b/SKILL.md": md, "user/.tool/skills/a/SKILL.md": md, "user/.agents/skills/a/SKILL.md": md, "user/.agents/skills/c/SKILL.md": md,
		"repo/.git/HEAD": "", "repo/.tool/skills/root/SKILL.md": md, "repo/sub/.tool/skills/near/SKILL.md": md, ".tool/skills/outside/SKILL.md": md,
		"user/.tool/agents/x.toml": "", "user/.tool/agents/y.md": "", "user/.tool/agents/.z.toml": "", "user/.tool/agents/d/in.toml": "",
	})
	s := take(t, dir,
		preparer.Input{Name: "skills", Kind: preparer.InputNames, Filter: preparer.FilterSkills, Learn: preparer.LearnValues,
			At: []preparer.Location{preparer.At("tool", "skills"), preparer.AtUser(".agents/skills"), preparer.AtWorkspace(".tool/skills").UpToGitRoot()}},
		preparer.Input{Name: "files", Kind: preparer.InputNames, Filter: ".toml", Learn: preparer.LearnValues, At: []preparer.Location{preparer.At("tool", "agents")}},
		preparer.Input{Name: "dirs", Kind: preparer.InputNames, Filter: preparer.FilterDirs, Learn: preparer.LearnValues, At: []preparer.Location{preparer.At("tool", "agents")}},
		preparer.Input{Name: "told less", Kind: preparer.InputNames, Filter: preparer.FilterDirs, At: []preparer.Location{preparer.At("tool", "agents")}},
		preparer.Input{Name: "near only", Kind: preparer.InputNames, Filter: preparer.FilterSkills, Learn: preparer.LearnValues, At: []preparer.Location{preparer.AtWorkspace(".tool/skills")}},
	)
	want := map[string][]string{"skills": {"a", "b", "c", "near", "root"}, "files": {"x.toml"}, "dirs": {"d"}, "told less": nil, "near only": {"near"}}
	for name, f := range s.Found() {
		if !slices.Equal(f.Names, want[name]) || !f.Exists {
			t.Errorf("%s: %v, want %v", name, f.Names, want[name])
		}
	}
	for _, c := range s.Items["skills"].Names {
		if c.Name == "a" && !strings.HasPrefix(c.Path, filepath.Join(dir, "user/.tool")) {
			t.Errorf("a is that of %s, want the first", c.Path)
		}
	}
}

func TestChanged(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(dir string) error
		want   bool
	}{
		"nothing":      {func(string) error { return nil }, false},
		"another file": {func(dir string) error { return os.WriteFile(filepath.Join(dir, "user/.tool/other"), nil, 0o644) }, false},
		"content": {func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "user/.tool/a"), []byte("longer"), 0o644)
		}, true},
		"same size":         {func(dir string) error { return later(filepath.Join(dir, "user/.tool/a"), "y") }, true},
		"replaced":          {func(dir string) error { return replaced(filepath.Join(dir, "user/.tool/a"), "x") }, true},
		"removed":           {func(dir string) error { return os.Remove(filepath.Join(dir, "user/.tool/a")) }, true},
		"appeared":          {func(dir string) error { return os.WriteFile(filepath.Join(dir, "user/.tool/first"), nil, 0o644) }, true},
		"a child more":      {func(dir string) error { return os.Mkdir(filepath.Join(dir, "user/.tool/dirs/new"), 0o755) }, true},
		"a directory there": {func(dir string) error { return os.Mkdir(filepath.Join(dir, "user/.tool/none"), 0o755) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, map[string]string{"user/.tool/a": "x", "user/.tool/dirs/d/f": ""})
			s := take(t, dir,
				preparer.Input{Name: "file", Kind: preparer.InputFile, At: []preparer.Location{preparer.At("tool", "first"), preparer.At("tool", "a")}},
				preparer.Input{Name: "names", Kind: preparer.InputNames, Filter: preparer.FilterDirs, At: []preparer.Location{preparer.At("tool", "dirs"), preparer.At("tool", "none")}},
			)
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			if got := s.Changed(); got != c.want {
				t.Errorf("changed: %v, want %v", got, c.want)
			}
		})
	}
}

// later writes a file of the same size at another time.
func later(path, text string) error {
	when := time.Now().Add(time.Second)
	return errors.Join(os.WriteFile(path, []byte(text), 0o644), os.Chtimes(path, when, when))
}

// replaced puts an equal file of the same time in the place of another.
func replaced(path, text string) error {
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	return errors.Join(os.WriteFile(path+".new", []byte(text), 0o644), os.Chtimes(path+".new", fi.ModTime(), fi.ModTime()), os.Rename(path+".new", path))
}
