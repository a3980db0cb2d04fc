package merge_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestH12_Rebase(t *testing.T) {
	t.Parallel()
	home := filepath.FromSlash("/home/dev/.client")
	if filepath.Separator == '\\' {
		home = `C:\Users\dev\.client`
	}
	for value, want := range map[string]string{
		"roles/a.toml":   filepath.Join(home, "roles", "a.toml"),
		"./roles/a.toml": filepath.Join(home, "roles", "a.toml"),
		".":              home,
		"../skills":      home + string(filepath.Separator) + "../skills", // the home may be a link
		"a/../../b":      home + string(filepath.Separator) + "a/../../b",
		"..hidden":       filepath.Join(home, "..hidden"),
		"~/x":            "~/x",
		"~dev":           "~dev",
		"$HOME/x":        "$HOME/x",
		"${X}":           "${X}",
		"/abs":           "/abs",
		`\\host\share`:   `\\host\share`,
		`C:\x`:           `C:\x`,
		"c:x":            "c:x",
		"":               "",
	} {
		for _, format := range formats {
			base, err := merge.Encode(format, object{"agents": object{"a": object{"file": value, "n": int64(1)}, "b": "no table"},
				"list": []any{value, int64(2)}, "objects": []any{object{"root": value}}})
			if err != nil {
				t.Fatal(err)
			}
			out := apply(t, format, string(base),
				merge.Edit{Op: preparer.OpRebase, Path: key("agents", "*", "file"), RebaseTo: home},
				merge.Edit{Op: preparer.OpRebase, Path: key("list"), RebaseTo: home},
				merge.Edit{Op: preparer.OpRebase, Path: key("objects", "*", "root"), RebaseTo: home},
				merge.Edit{Op: preparer.OpRebase, Path: key("absent", "*"), RebaseTo: home},
				merge.Edit{Op: preparer.OpRebase, Path: key("agents", "*", "n"), RebaseTo: home})
			same(t, object{"agents": object{"a": object{"file": want, "n": int64(1)}, "b": "no table"},
				"list": []any{want, int64(2)}, "objects": []any{object{"root": want}}}, parse(t, format, out))
		}
	}
}

func TestC222_Require(t *testing.T) {
	t.Parallel()
	base := filepath.Join(t.TempDir(), "home")
	env := merge.Env{Label: "home:codex/config.toml", Base: base, Stat: func(path string) (dir, file bool) {
		return path == filepath.Join(base, "roles"), path == filepath.Join(base, "catalog.json") || path == filepath.Join(base, "roles", "a.toml")
	}}
	for name, c := range map[string]struct {
		value  string // of a key "k" in TOML
		target string
		parts  []string // of the error; none: fine
	}{
		"file":           {"'catalog.json'", "file", nil},
		"file below":     {"'./roles/a.toml'", "file", nil},
		"absolute":       {"'" + filepath.Join(base, "catalog.json") + "'", "file", nil},
		"dir":            {"'roles'", "dir", nil},
		"list":           {"['catalog.json', 'roles/a.toml']", "file", nil},
		"client's own":   {"['~/x', '$HOME/x']", "file", nil},
		"missing":        {"'deep/none.json'", "file", []string{"key k at line 2", `"none.json"`, "regular file"}},
		"absent dir":     {"'" + filepath.Join(base, "gone") + "'", "dir", []string{`"gone"`, "directory"}},
		"dir, not file":  {"'roles'", "file", []string{`"roles"`}},
		"file, not dir":  {"'catalog.json'", "dir", []string{`"catalog.json"`}},
		"climbing":       {"'roles/../catalog.json'", "file", []string{`"catalog.json"`, ".."}},
		"empty":          {"''", "file", []string{"empty"}},
		"number":         {"1", "file", []string{"key k", "a number"}},
		"number in list": {"['catalog.json', 1]", "file", []string{"key k/1", "a number"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := "# c\nk = " + c.value + "\n"
			x := []merge.Edit{{Op: preparer.OpRequire, Path: key("k"), Target: c.target}, {Op: preparer.OpRequire, Path: key("absent", "*"), Target: c.target}}
			out, err := merge.Apply(preparer.TOML, []byte(doc), x, env)
			if c.parts == nil {
				if err != nil {
					t.Fatal(err)
				}
				same(t, doc, string(out))
				return
			}
			wantError(t, err, fault.ConfigDependency, append(c.parts, env.Label)...)
			if strings.Contains(err.Error(), base) {
				t.Errorf("the message holds a path: %v", err)
			}
		})
	}
	// Without a resolver nothing stands anywhere.
	refused(t, preparer.JSON, `{"k":"x"}`, fault.ConfigDependency, []string{`"x"`}, merge.Edit{Op: preparer.OpRequire, Path: key("k"), Target: "file"})
}

func TestC222_RebaseThenRequire(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	var asked []string
	_, err := merge.Apply(preparer.TOML, []byte("[agents.a]\nconfig_file = 'r/a.toml'\n"), []merge.Edit{
		{Op: preparer.OpRebase, Path: key("agents", "*", "config_file"), RebaseTo: home},
		{Op: preparer.OpRequire, Path: key("agents", "*", "config_file"), Target: "file"},
	}, merge.Env{Base: "/elsewhere", Stat: func(p string) (bool, bool) { asked = append(asked, p); return false, true }})
	if err != nil {
		t.Fatal(err)
	}
	same(t, []string{filepath.Join(home, "r", "a.toml")}, asked)
}

func TestValues(t *testing.T) {
	t.Parallel()
	for format, base := range map[preparer.Format]string{
		preparer.TOML: "a.b = 1\nd = 2026-01-05\n[m.'x/y']\nk = 'v'\n[m.'z~']\nk = true\n[[l]]\nk = 1.5\n[[l]]\n[[l]]\nk = []\n",
		preparer.JSON: `{"a":{"b":1,"n":null},"d":"2026-01-05","m":{"x/y":{"k":"v"},"z~":{"k":true}},"l":[{"k":1.5},{},{"k":[]}]}`,
		preparer.YAML: "a: {b: 1, n: ~}\nd: 2026-01-05\nm: {x/y: {k: v}, z~: {k: true}}\nl: [{k: 1.5}, {}, {k: []}]\n",
	} {
		got, err := merge.Values(format, []byte(base), []preparer.KeyPath{
			key("a", "b"), key("a", "n"), key("d"), key("m", "*", "k"), key("l", "*", "k"), key("l", "0"), key("l", "00", "k"), key("l", "7"), key("absent", "*"), key("a", "b", "c"),
		}, "x")
		if err != nil {
			t.Fatal(err)
		}
		same(t, object{"a/b": int64(1), "d": "2026-01-05", "m/x~1y/k": "v", "m/z~0/k": true,
			"l/0/k": 1.5, "l/2/k": []any{}, "l/0": object{"k": 1.5}}, got)
	}
	_, err := merge.Values(preparer.JSON, []byte("{"), nil, "home:x/y.json")
	wantError(t, err, fault.Unparsable, "home:x/y.json", "line 1")
}
