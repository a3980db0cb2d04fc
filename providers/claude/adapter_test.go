package claude_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/providers/claude"
	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

var (
	prompt   = p.Session("claude/system-prompt.md")
	plugin   = p.Session("claude/plugin")
	settings = p.Session("claude/settings.json")
)

func choose(m p.Mode) p.Inherit {
	in := p.Inherit{}
	for _, k := range p.Kinds() {
		in[k] = p.Choice{Mode: m}
	}
	return in
}

// desktop is everything but memories, with changes.
func desktop(changes p.Inherit) p.Inherit {
	in := choose(p.All)
	in[p.Memories] = p.Choice{Mode: p.None}
	for k, c := range changes {
		in[k] = c
	}
	return in
}

// request is one of a user who has something of everything.
func request(in p.Inherit) p.Request {
	return p.Request{
		Target:       p.Target{OS: "linux", Arch: "amd64", ClientVersion: "2.1.197"},
		Instructions: p.Document{Name: "instructions"},
		Skills:       p.SkillSet{Count: 2},
		Options:      p.Options{Inherit: in, TrustWorkspace: p.UserSaidYes},
		Inputs: map[string]p.Found{
			"instructions": {Exists: true},
			"rules":        {Exists: true},
			"rule-folders": {Exists: true},
			"skills":       {Exists: true, Names: []string{"deploy", "notes"}},
			"commands":     {Exists: true, Names: []string{"ship.md"}},
			"agents":       {Exists: true},
			"settings": {Exists: true, Values: map[string]p.Value{
				"enabledPlugins/review@corner-market": p.Bool(true), "enabledPlugins/lint@corner-market": p.Bool(true)}},
			"state": {Exists: true, Values: map[string]p.Value{
				"mcpServers/docs/command": p.S("npx"), "mcpServers/docs/type": p.S("stdio"), "mcpServers/a~1b/type": p.S("http")}},
			"project-mcp": {Exists: true},
		},
	}
}

func prepare(t *testing.T, r p.Request) *p.Layout {
	t.Helper()
	l, err := claude.Adapter{}.Prepare(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// document is the structured file at a place, or nil.
func document(l *p.Layout, at p.Place) p.Object {
	for _, e := range l.Entries {
		if d, ok := e.(p.TypedDocument); ok && d.At == at {
			return d.Root
		}
	}
	return nil
}

func codes(l *p.Layout) (list []string) {
	for _, d := range l.Diagnostics {
		list = append(list, d.Code)
	}
	return list
}

func TestC240_PromptPluginAndBudget(t *testing.T) {
	t.Parallel()
	l := prepare(t, request(desktop(nil)))

	want := []p.Value{p.S("--append-system-prompt-file"), prompt.Value(), p.S("--plugin-dir"), plugin.Value()}
	if diff := cmp.Diff(want, l.Launch.Before); diff != "" {
		t.Error(diff)
	}
	manifest := document(l, plugin.Join(".claude-plugin/plugin.json"))
	if manifest["name"] != p.S("tutti-cli") || manifest["author"] == nil {
		t.Errorf("the plugin says of itself %v", manifest)
	}
	if !hasCheck(l, plugin, p.CheckDir) {
		t.Error("a missing plugin would go unseen")
	}
	budget := p.EnvOp{Name: "SLASH_COMMAND_TOOL_CHAR_BUDGET", Op: p.EnvSet, Value: p.S("40000")}
	if !slices.ContainsFunc(l.Env, func(e p.EnvOp) bool { return cmp.Equal(e, budget) }) {
		t.Errorf("no budget in %v", l.Env)
	}
}

func hasCheck(l *p.Layout, at p.Place, kind p.CheckKind) bool {
	return slices.ContainsFunc(l.Entries, func(e p.Entry) bool {
		c, ok := e.(p.Check)
		return ok && c.At == at && c.Kind == kind
	})
}

// H08 is the other half: what the user has set comes through as it is, since nothing strips it.
func TestC241_H08_TheHomeVariableIsNeverTouched(t *testing.T) {
	t.Parallel()
	for _, in := range []p.Inherit{choose(p.All), desktop(nil), choose(p.None)} {
		l := prepare(t, request(in))
		for _, op := range l.Env {
			switch op.Name {
			case "CLAUDE_CONFIG_DIR", "HOME", "USERPROFILE":
				t.Errorf("%s is changed", op.Name)
			}
		}
		for _, name := range l.Launch.Strip {
			if strings.HasSuffix(name, "*") || name == "CLAUDE_CONFIG_DIR" || strings.Contains(name, "TOKEN") ||
				strings.HasPrefix(name, "ANTHROPIC_") || strings.HasPrefix(name, "CLAUDE_CODE_USE_") {
				t.Errorf("%s is stripped", name)
			}
		}
	}
	for _, name := range (claude.Adapter{}).Describe().Env {
		if name == "CLAUDE_CONFIG_DIR" || strings.HasSuffix(name, "*") && name != "TUTTI_MCP_HEADER_*" {
			t.Errorf("%s is declared", name)
		}
	}
}

func TestC242_TheOverrideNamesTheExecutable(t *testing.T) {
	t.Parallel()
	want := p.Client{Executables: []string{"claude"}, Override: "CLAUDE_CODE_EXECUTABLE"}
	got := claude.Adapter{}.Describe().Client
	if got.Override != want.Override || !slices.Equal(got.Executables, want.Executables) {
		t.Errorf("got %v and %q", got.Executables, got.Override)
	}
}

func TestC232_NothingStandsOutsideTheSession(t *testing.T) {
	t.Parallel()
	for _, e := range prepare(t, request(choose(p.All))).Entries {
		if e.Place().Root != p.RootSession {
			t.Errorf("%T at %v", e, e.Place())
		}
	}
}

// While the user's source stays on, each kind goes out by the finest means that the client has.
func TestOneKindLeftOut(t *testing.T) {
	t.Parallel()
	off := p.S("off")
	for name, c := range map[string]struct {
		changes p.Inherit
		want    p.Object
		args    []p.Value
		codes   []string
	}{
		"nothing": {},
		"instructions": {
			changes: p.Inherit{p.Instructions: {Mode: p.None}},
			want: p.Object{"claudeMdExcludes": p.List{
				p.InputPath{Input: "instructions"}, p.Concat{p.InputPath{Input: "rules"}, p.S("/@(**)")}}},
		},
		"hooks": {
			changes: p.Inherit{p.Hooks: {Mode: p.None}},
			want:    p.Object{"disableAllHooks": p.Bool(true)},
			codes:   []string{"claude.all-hooks-left-out"},
		},
		"hooks by name, which cannot": {
			changes: p.Inherit{p.Hooks: {Mode: p.Only, Names: []string{"Stop"}}},
			want:    p.Object{"disableAllHooks": p.Bool(true)},
			codes:   []string{"claude.all-hooks-left-out"},
		},
		"skills": {
			changes: p.Inherit{p.Skills: {Mode: p.None}},
			want:    p.Object{"skillOverrides": p.Object{"deploy": off, "notes": off, "ship": off}},
		},
		"skills but the named": {
			changes: p.Inherit{p.Skills: {Mode: p.Only, Names: []string{"notes", "ship"}}},
			want:    p.Object{"skillOverrides": p.Object{"deploy": off}},
		},
		"plugins": {
			changes: p.Inherit{p.Plugins: {Mode: p.None}},
			want: p.Object{"enabledPlugins": p.Object{
				"review@corner-market": p.Bool(false), "lint@corner-market": p.Bool(false)}},
		},
		"plugins but the named": {
			changes: p.Inherit{p.Plugins: {Mode: p.Only, Names: []string{"lint@corner-market"}}},
			want:    p.Object{"enabledPlugins": p.Object{"review@corner-market": p.Bool(false)}},
		},
		"servers but the named": {
			changes: p.Inherit{p.MCPServers: {Mode: p.Only, Names: []string{"docs"}}},
			want: p.Object{"deniedMcpServers": p.List{p.Object{"serverName": p.S("a/b")}},
				"disableClaudeAiConnectors": p.Bool(true)},
		},
		"servers": {
			changes: p.Inherit{p.MCPServers: {Mode: p.None}},
			args:    []p.Value{p.S("--strict-mcp-config")},
			codes:   []string{"claude.project-mcp-left-out"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := prepare(t, request(desktop(c.changes)))
			if diff := cmp.Diff(c.want, document(l, settings)); diff != "" {
				t.Error(diff)
			}
			args, want := c.args, c.codes
			if c.want != nil {
				args = append(args, p.S("--settings"), settings.Value())
				want = append(slices.Clone(want), "claude.one-settings-flag")
			}
			if diff := cmp.Diff(args, withoutOurs(l.Launch.Before)); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(want, codes(l)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// withoutOurs are arguments without the two flags, and their values, that every session has.
func withoutOurs(args []p.Value) []p.Value {
	at := slices.Index(args, p.Value(p.S("--append-system-prompt-file")))
	return append(append([]p.Value(nil), args[:at]...), args[at+4:]...)
}

// Rules lie in the folder for them or in folders of it, and one pattern covers both.
func TestRulesInFoldersAreLeftOutToo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gone []string
		want p.Value
	}{
		"both":         {nil, p.InputPath{Input: "rules"}},
		"only files":   {[]string{"rule-folders"}, p.InputPath{Input: "rules"}},
		"only folders": {[]string{"rules"}, p.InputPath{Input: "rule-folders"}},
		"no rules":     {[]string{"rules", "rule-folders"}, nil},
	} {
		r := request(desktop(p.Inherit{p.Instructions: {Mode: p.None}}))
		for _, input := range c.gone {
			r.Inputs[input] = p.Found{}
		}
		want := p.List{p.InputPath{Input: "instructions"}}
		if c.want != nil {
			want = append(want, p.Concat{c.want, p.S("/@(**)")})
		}
		if diff := cmp.Diff(want, document(prepare(t, r), settings)["claudeMdExcludes"]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestCommandsInFoldersCannotBeSwitchedOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in      p.Inherit
		folders bool
		want    bool
	}{
		"no skills":            {desktop(p.Inherit{p.Skills: {Mode: p.None}}), true, true},
		"named skills":         {desktop(p.Inherit{p.Skills: {Mode: p.Only, Names: []string{"notes"}}}), true, true},
		"no folders":           {desktop(p.Inherit{p.Skills: {Mode: p.None}}), false, false},
		"everything":           {desktop(nil), true, false},
		"all of the user's go": {choose(p.None), true, false},
	} {
		r := request(c.in)
		r.Inputs["command-folders"] = p.Found{Exists: true} // so is the directory of those that are in none
		if c.folders {
			r.Inputs["command-folders"] = p.Found{Exists: true, Names: []string{"team"}}
		}
		if got := slices.Contains(codes(prepare(t, r)), "claude.grouped-commands-stay"); got != c.want {
			t.Errorf("%s: said %v", name, got)
		}
	}
}

// The report of a session goes by this list.
func TestSettingsSayWhatGoesWithThem(t *testing.T) {
	t.Parallel()
	for kind, ex := range (claude.Adapter{}).Describe().Inherit {
		var want []p.Kind
		if kind == p.ModelSettings {
			want = []p.Kind{p.Instructions, p.Skills, p.MCPServers, p.Hooks, p.Plugins}
		}
		if diff := cmp.Diff(want, ex.With); diff != "" {
			t.Errorf("%s: %s", kind, diff)
		}
	}
}

func TestSettingsTakeAllWithThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   p.Inherit
		warn bool
	}{
		"automation":         {choose(p.None), false},
		"settings":           {desktop(p.Inherit{p.ModelSettings: {Mode: p.None}}), true},
		"settings and hooks": {desktop(p.Inherit{p.ModelSettings: {Mode: p.None}, p.Hooks: {Mode: p.None}}), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := prepare(t, request(c.in))
			at := slices.Index(l.Launch.Before, p.Value(p.S("--setting-sources")))
			if at < 0 || l.Launch.Before[at+1] != p.S("project,local") {
				t.Errorf("arguments %v", l.Launch.Before)
			}
			if document(l, settings) != nil {
				t.Error("settings of ours have nothing to switch off")
			}
			if got := slices.Contains(codes(l), "claude.left-out-together"); got != c.warn {
				t.Errorf("said that more stays out than was asked: %v", got)
			}
			if slices.Contains(codes(l), "claude.all-hooks-left-out") {
				t.Error("the hooks of the project stay, since another flag is used")
			}
			if !slices.Contains(codes(l), "claude.settings-left-out") {
				t.Error("permissions went without a word")
			}
		})
	}
}

func TestMemoriesStayInThemselves(t *testing.T) {
	t.Parallel()
	off := func(in p.Inherit) bool {
		return slices.ContainsFunc(prepare(t, request(in)).Env, func(e p.EnvOp) bool {
			return e.Name == "CLAUDE_CODE_DISABLE_AUTO_MEMORY"
		})
	}
	if !off(desktop(nil)) || off(choose(p.All)) {
		t.Error("memories follow another choice than theirs")
	}
}

func onPlan(in p.Inherit) p.Request {
	r := request(in)
	r.Endpoint = &p.Endpoint{
		Name: "Plan", Protocol: p.Anthropic, BaseURL: "https://relay.example", Default: "plan-large", Key: p.Secret{Name: "key"},
		Models: []p.EndpointModel{{ID: "plan-large", Name: "Large"}, {ID: "plan-small"}},
	}
	return r
}

func TestC263_AnEndpointThatCannotBeServedIsRefused(t *testing.T) {
	t.Parallel()
	diverts := func(input string) func(*p.Request) {
		return func(r *p.Request) {
			r.Inputs[input] = p.Found{Exists: true, Values: map[string]p.Value{"env/ANTHROPIC_UNIX_SOCKET": p.S("/x")}}
		}
	}
	for name, c := range map[string]struct {
		code  string
		spoil func(*p.Request)
	}{
		"openai":         {"claude.endpoint-protocol", func(r *p.Request) { r.Endpoint.Protocol = p.OpenAI }},
		"responses":      {"claude.endpoint-protocol", func(r *p.Request) { r.Endpoint.Protocol = p.Responses }},
		"no URL":         {"claude.endpoint-incomplete", func(r *p.Request) { r.Endpoint.BaseURL = "" }},
		"no key":         {"claude.endpoint-incomplete", func(r *p.Request) { r.Endpoint.Key = p.Secret{} }},
		"no models":      {"claude.endpoint-incomplete", func(r *p.Request) { r.Endpoint.Models = nil }},
		"no default":     {"claude.endpoint-incomplete", func(r *p.Request) { r.Endpoint.Default = "" }},
		"user diverts":   {"claude.endpoint-diverted", diverts("settings")},
		"project does":   {"claude.endpoint-diverted", diverts("project-settings")},
		"local settings": {"claude.endpoint-diverted", diverts("local-settings")},
	} {
		r := onPlan(choose(p.All))
		c.spoil(&r)
		_, err := claude.Adapter{}.Prepare(context.Background(), r)
		var refusal *p.Refusal
		if !errors.As(err, &refusal) || refusal.Code != c.code {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Of the two variables one has the key and the other is there and empty, whatever of the user's comes along.
func TestC266_H31_OneCredentialVariable(t *testing.T) {
	t.Parallel()
	for auth, want := range map[p.Auth][2]string{
		p.Bearer: {"ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"}, p.APIKey: {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
	} {
		for _, in := range []p.Inherit{choose(p.All), desktop(nil), choose(p.None)} {
			r := onPlan(in)
			r.Endpoint.Auth = auth
			ops := map[string]p.EnvOp{}
			l := prepare(t, r)
			for _, op := range l.Env {
				ops[op.Name] = op
			}
			if ops[want[0]].Value != r.Endpoint.Key || ops[want[1]].Op != p.EnvSetEmpty {
				t.Errorf("%q: %v", auth, l.Env)
			}
			if ops["CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST"].Value != p.S("1") {
				t.Error("settings files win over the environment")
			}
			if guard := document(l, settings); guard["apiKeyHelper"] != p.S("") || !slices.Contains(l.Launch.Before, p.Value(settings.Value())) {
				t.Errorf("the settings do not guard: %v", guard)
			}
		}
	}
}
