package merge_test

import (
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func codexEdits() []merge.Edit {
	return []merge.Edit{
		{Op: preparer.OpSet, Path: key("model_provider"), Value: "greenroom"},
		{Op: preparer.OpReplace, Path: key("model_providers", "greenroom"), Value: object{
			"name": "Plan", "base_url": "http://127.0.0.1:1/v1", "env_key": "PLAN_KEY", "wire_api": "responses"}},
		{Op: preparer.OpReplace, Path: key("project_root_markers"), Value: []any{}},
		{Op: preparer.OpSplice, Path: key("developer_instructions"), Value: "Say hello."},
	}
}

// The header of our own table as text in a string is no table.
func TestC226_SectionTextInMultiLineStringUntouched(t *testing.T) {
	t.Parallel()
	base := string(fixture(t, "codex-full.toml"))
	got := parse(t, preparer.TOML, apply(t, preparer.TOML, base, codexEdits()...))
	same(t, "[model_providers.greenroom]\nmodel_provider = \"decoy inside a string\"\n", got["developer_note"].(string))
}

func TestC227_UnrelatedKeysAndArrayTablesKept(t *testing.T) {
	t.Parallel()
	for name, base := range map[string]string{
		"codex": string(fixture(t, "codex-full.toml")),
		"kimi":  string(fixture(t, "kimi-config.toml")),
		"odd": `
date = 1979-05-27T07:32:00.999-07:00
local = 1979-05-27T07:32:00
day = 1979-05-27
time = 07:32:00.5
inf = [inf, -inf, 1e300, -0.0]
max = [9223372036854775807, -9223372036854775808, 0xff, 1_000]
"quoted key".'a.b'."c\"d" = """
multi \
   line"""
raw = '''C:\x
'y' '''
inline = { a = { b = [ { c = 1 }, {} ] }, "d.e" = [] }
mixed = [ 1, "x", { y = [ ] }, [ [ ] ] ]
dotted.one.two = true
dotted.one.three = false
[[fruit]]
name = "a"
[fruit.physical]
color = "red"
[[fruit.variety]]
[[fruit.variety]]
name = "b"
[[fruit]]
[empty]
`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := apply(t, preparer.TOML, base, codexEdits()...)
			var before, after object
			if err := toml.Unmarshal([]byte(base), &before); err != nil {
				t.Fatal(err)
			}
			if err := toml.Unmarshal([]byte(out), &after); err != nil {
				t.Fatal(err)
			}
			same(t, "greenroom", after["model_provider"])
			for _, gone := range []string{"model_provider", "project_root_markers", "developer_instructions"} {
				delete(after, gone)
			}
			delete(after["model_providers"].(object), "greenroom")
			if before["model_providers"] == nil {
				delete(after, "model_providers")
			}
			same(t, before, after)
		})
	}
}

// Without root markers a client reads nothing above its directory. Whatever the user has there, it is empty afterwards, and
// what is empty already stays as they wrote it.
func TestC215_RootMarkersAreEmptied(t *testing.T) {
	t.Parallel()
	empty := merge.Edit{Op: preparer.OpSet, Path: key("project_root_markers"), Value: []any{}}
	for name, base := range map[string]string{
		"none":       "",
		"other keys": "model = 'm'\n[tui]\nnotifications = true\n",
		"one line":   "project_root_markers = ['.git']\n",
		"many lines": "project_root_markers = [ # roots\n  \".git\", # ] of a repository\n  # '.hg',\n  '.svn',\n]\nmodel = 'm'\n[tui]\nproject_root_markers = ['x']\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := parse(t, preparer.TOML, base)
			want["project_root_markers"] = []any{}
			same(t, want, parse(t, preparer.TOML, apply(t, preparer.TOML, base, empty)))
		})
	}
	for _, already := range []string{"project_root_markers = [] # mine\n", "model = 'm' # mine\nproject_root_markers = [\n  # none\n]\n"} {
		same(t, already, apply(t, preparer.TOML, already, empty))
	}
}

// Whatever spelling the old provider has, nothing of it is left.
func TestC233_ReplaceInAnySpelling(t *testing.T) {
	t.Parallel()
	for name, base := range map[string]string{
		"header":            "[model_providers.x]\nbase_url = 'http://old'\n[model_providers.x.http_headers]\nA = 'old'\n[model_providers.y]\nk = 1\n",
		"quoted header":     "[ \"model_providers\" . 'x' ]\nbase_url = 'http://old'\n[model_providers.y]\nk = 1\n",
		"inline":            "model_providers = { x = { base_url = 'http://old' }, y = { k = 1 } }\n",
		"inline provider":   "[model_providers]\nx = { base_url = 'http://old' }\ny = { k = 1 }\n",
		"dotted":            "model_providers.x.base_url = 'http://old'\nmodel_providers.\"x\".http_headers.A = 'old'\nmodel_providers.y.k = 1\n",
		"dotted in table":   "[model_providers]\nx.base_url = 'http://old'\ny.k = 1\n",
		"escaped key":       "[model_providers.\"\\u0078\"]\nbase_url = 'http://old'\n[model_providers.y]\nk = 1\n",
		"string":            "[model_providers]\nx = 'http://old'\ny.k = 1\n",
		"sub table only":    "[model_providers.x.http_headers]\nbase_url = 'http://old'\n[model_providers.y]\nk = 1\n",
		"multi-line values": "[model_providers.x]\nbase_url = '''\nhttp://old\n[model_providers.x]\n'''\n[model_providers.y]\nk = 1\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			quoted := "\"model_provider\" = \"\"\"\nold\"\"\"\n"
			out := apply(t, preparer.TOML, quoted+base,
				merge.Edit{Op: preparer.OpSet, Path: key("model_provider"), Value: "x"},
				merge.Edit{Op: preparer.OpReplace, Path: key("model_providers", "x"), Value: object{"base_url": "http://new"}})
			same(t, object{"model_provider": "x", "model_providers": object{
				"x": object{"base_url": "http://new"}, "y": object{"k": int64(1)}}}, parse(t, preparer.TOML, out))
			if strings.Contains(out, "old") {
				t.Errorf("something of the old is left:\n%s", out)
			}
		})
	}
}

// A table is one table however often we write it: what we wrote is our own base the next time, also when the client
// has written it again in its own spelling.
func TestH17_NoTableTwice(t *testing.T) {
	t.Parallel()
	base := string(fixture(t, "codex-full.toml"))
	once := apply(t, preparer.TOML, base, codexEdits()...)
	same(t, once, apply(t, preparer.TOML, once, codexEdits()...))
	rewritten, err := toml.Marshal(object{"inline": true})
	if err != nil {
		t.Fatal(err)
	}
	spelt := string(rewritten) + "model_provider='greenroom'\nmodel_providers={greenroom={name='Plan'}}\nproject_root_markers=[]\n"
	got := parse(t, preparer.TOML, apply(t, preparer.TOML, spelt, codexEdits()...))
	same(t, 1, len(got["model_providers"].(object)))
	for _, bad := range []string{
		"[a]\nx=1\n[a]\ny=2\n", "a=1\na=2\n", "a={b=1}\n[a.c]\n", "[a]\nb.c=1\n[a.b]\n", "a={b=1,b=2}\n", "[[a]]\n[a]\n",
	} {
		refused(t, preparer.TOML, bad, fault.Unparsable, []string{"home:x/config", "line "})
	}
}

func TestDeleteIfEqualMindsComments(t *testing.T) {
	t.Parallel()
	legacy := object{"name": "Old", "u": "#no comment"}
	x := merge.Edit{Op: preparer.OpDeleteIfEqual, Path: key("p", "old"), Value: legacy}
	body := "name = \"Old\"\nu = \"#no comment\"\n"
	for name, c := range map[string]struct {
		base string
		gone bool
	}{
		"alone":                      {"[p.old]\n" + body, true},
		"comment above":              {"# mine\n[p.old]\n" + body, true},
		"comment of the next table":  {"[p.old]\n" + body + "\n# next\n[q]\n", true},
		"comment in another table":   {"[q]\n#x\nk = 1 # y\n[p.old]\n" + body + "[r]\n# z\n", true},
		"inline":                     {"p.old = {name = 'Old', u = '#no comment'}\n", true},
		"comment beside the header":  {"[p.old] # mine\n" + body, false},
		"comment beside a key":       {"[p.old]\nname = 'Old' # mine\nu = '#no comment'\n", false},
		"comment between":            {"[p.old]\nname = 'Old'\n\n# v = 1\n\nu = '#no comment'\n", false},
		"key commented out at end":   {"[p.old]\n" + body + "# v = 1\n[q]\n", false},
		"comment beside the inline":  {"p.old = {name = 'Old', u = '#no comment'} # mine\n", false},
		"comment in a parent inline": {"p = {old = {name = 'Old', u = '#no comment'}} # mine\n", false},
		"one key more":               {"[p.old]\n" + body + "v = 1\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := parse(t, preparer.TOML, apply(t, preparer.TOML, c.base, x))
			_, there := got["p"].(object)["old"]
			same(t, c.gone, !there)
		})
	}
}

// A table goes together with the keys of the root that lead to it, or all of them stay.
func TestC252_AllOrNothingIsDeleted(t *testing.T) {
	t.Parallel()
	x := merge.Edit{Op: preparer.OpDeleteIfEqual, Path: key("p", "old"), Value: object{"name": "Old"},
		Names: []string{"use", "model"}, Items: []any{"old", "m"}}
	for name, c := range map[string]struct {
		base string
		gone bool
	}{
		"all":                {"use = 'old'\nmodel = 'm'\n[p.old]\nname = 'Old'\n[p.new]\n", true},
		"another spelling":   {"'use' = \"old\"\nmodel = 'm'\np = {old = {name = 'Old'}, new = {}}\n", true},
		"a key is missing":   {"use = 'old'\n[p.old]\nname = 'Old'\n[p.new]\n", false},
		"another value":      {"use = 'old'\nmodel = 'other'\n[p.old]\nname = 'Old'\n[p.new]\n", false},
		"the table has more": {"use = 'old'\nmodel = 'm'\n[p.old]\nname = 'Old'\nx = 1\n[p.new]\n", false},
		"no table":           {"use = 'old'\nmodel = 'm'\n[p.new]\n", false},
		"a comment":          {"use = 'old' # mine\nmodel = 'm'\n[p.old]\nname = 'Old'\n[p.new]\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before, got := parse(t, preparer.TOML, c.base), parse(t, preparer.TOML, apply(t, preparer.TOML, c.base, x))
			if c.gone {
				same(t, object{"p": object{"new": object{}}}, got)
			} else {
				same(t, before, got)
			}
		})
	}
}

func TestH18_UnparsableTOML(t *testing.T) {
	t.Parallel()
	for base, parts := range map[string][]string{
		"a = 1\nb = sk-canary-1\n":     {"line 2", "column"},
		"a = 1\n[b\n":                  {"line 2"},
		"a = \"sk-canary":              {"line 1"},
		"sk-canary = 1\n\nsk-canary=2": {"line 3", "twice"},
		"a = 99999999999999999999\n":   {"line 1"},
		"a = \"\xff\"":                 {"line 1, column 6", "utf-8"},
	} {
		_, err := merge.Apply(preparer.TOML, []byte(base), codexEdits(), merge.Env{Label: "home:codex/config.toml"})
		wantError(t, err, fault.Unparsable, append(parts, "home:codex/config.toml")...)
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("the message holds a part of the file: %v", err)
		}
	}
}
