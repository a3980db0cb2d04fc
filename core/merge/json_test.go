package merge_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestOpenCodePermissionOrderKept(t *testing.T) {
	t.Parallel()
	base := string(fixture(t, "opencode-user.jsonc"))
	out := apply(t, preparer.JSONC, base, merge.Edit{Op: preparer.OpSet, Path: key("permission", "edit"), Value: "deny"},
		merge.Edit{Op: preparer.OpSet, Path: key("share"), Value: "disabled"})
	last := -1
	for _, part := range []string{`"$schema"`, `"model"`, `"provider"`, `"permission"`, `"*": "ask"`, `"git *": "allow"`, `"rm *": "deny"`, `"edit": "deny"`, `"mcp"`, `"instructions"`, `"share"`} {
		i := strings.Index(out, part)
		if i <= last {
			t.Errorf("%s is out of order:\n%s", part, out)
		}
		last = i
	}
	want, got := parse(t, preparer.JSONC, base), parse(t, preparer.JSON, out)
	want["permission"].(object)["edit"] = "deny"
	want["share"] = "disabled"
	same(t, want, got)
	same(t, "Shelf // not a comment", got["provider"].(object)["shelf"].(object)["name"].(string))
}

func TestJSONFixturesKept(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude-user-settings-switcher.json", "claude-project-settings-redirect.json", "cursor-user-hooks.json"} {
		base := string(fixture(t, name))
		same(t, base, apply(t, preparer.JSON, base))
		out := apply(t, preparer.JSON, base, merge.Edit{Op: preparer.OpSet, Path: key("ours", "x"), Value: true}, merge.Edit{Op: preparer.OpDelete, Path: key("ours")})
		same(t, string(jsonTokens(t, []byte(base))), string(jsonTokens(t, []byte(out))))
	}
}

func TestJSONKeepsWhatGoCannotHold(t *testing.T) {
	t.Parallel()
	base := `{"big":12345678901234567890123,"exact":0.10,"e":1E400,"half":"\ud800x","line":"\u2028","slash":"\/","nul":"\u0000","fffd":"\ufffd"}`
	out := apply(t, preparer.JSON, base, merge.Edit{Op: preparer.OpSet, Path: key("ours"), Value: int64(1)})
	for _, part := range []string{": 12345678901234567890123,", ": 0.10,", ": 1E400,", `: "\ud800x",`, `"nul": "\u0000"`} {
		if !strings.Contains(out, part) {
			t.Errorf("%q is gone:\n%s", part, out)
		}
	}
	out = apply(t, preparer.JSON, out, merge.Edit{Op: preparer.OpDelete, Path: key("ours")})
	same(t, string(jsonTokens(t, []byte(base))), string(jsonTokens(t, []byte(out))))
	same(t, "\ufffdx", parse(t, preparer.JSON, base)["half"].(string))
}

func TestH18_UnparsableJSON(t *testing.T) {
	t.Parallel()
	for base, parts := range map[string][]string{
		"{\"a\": sk-canary}":               {"line 1, column 7"},
		"{\n\"a\": 1\n\"b\": 2}":           {"line 3, column 1", "comma"},
		"{\"a\": 1,}":                      {"line 1, column 9"},
		"{\"a\": 1 // c\n}":                {"line 1, column 9"},
		"{\"a\": 1":                        {"line 1, column 1"},
		"{\"a\": \"sk-canary":              {"line 1, column 7", "end"},
		"{\"a\": \"x\ny\"}":                {"control character"},
		"{\"a\": \"\\x\"}":                 {"escape"},
		"{\"a\": 01}":                      {"number"},
		"{\"a\": 1} x":                     {"column 10"},
		"{a: 1}":                           {"double quotes"},
		"{\"a\" 1}":                        {"colon"},
		"{\n\"a\": 1,\n\"a\": \"canary\"}": {`"a"`, "lines 2 and 3"},
		"{\"a\":{\"b\":1,\"\\u0062\":2}}":  {`"b"`, "twice"},
		"[1]":                              {"a list"},
		"null":                             {"null"},
		"tru":                              {"not a value"},
		"{\"\\ud800\": 1}":                 {"surrogate"},
		"\"\xff\"":                         {"utf-8", "column 2"},
	} {
		_, err := merge.Apply(preparer.JSON, []byte(base), nil, merge.Env{Label: "home:x/a.json"})
		wantError(t, err, fault.Unparsable, append(parts, "home:x/a.json")...)
		if err != nil && strings.Contains(err.Error(), "canary") {
			t.Errorf("the message holds a part of the file: %v", err)
		}
	}
	for _, base := range []string{"{\"a\": 1 /* c }", "{/}", "{,}", "{\"a\":1,,}", "{\"a\":[1,,2]}"} {
		refused(t, preparer.JSONC, base, fault.Unparsable, []string{"line 1"})
	}
}

func TestJSONComments(t *testing.T) {
	t.Parallel()
	got := parse(t, preparer.JSONC, "// a\n/* b */ { /**/ \"x\" /*:*/ : // c\r\n [ 1, /* d */ ], \"s\": \"/* no */ // no\", }\n// e")
	same(t, object{"x": []any{int64(1)}, "s": "/* no */ // no"}, got)
}
