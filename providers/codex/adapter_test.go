package codex_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/providers/codex"
	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

func all() p.Inherit { return choose(p.All) }

func none() p.Inherit { return choose(p.None) }

func choose(m p.Mode) p.Inherit {
	in := p.Inherit{}
	for _, k := range p.Kinds() {
		in[k] = p.Choice{Mode: m}
	}
	return in
}

// with is in with one choice changed.
func with(in p.Inherit, k p.Kind, m p.Mode, names ...string) p.Inherit {
	in[k] = p.Choice{Mode: m, Names: names}
	return in
}

func request(in p.Inherit) p.Request {
	r := p.Request{
		Target:       p.Target{OS: "linux", Arch: "amd64", ClientVersion: "0.171.0"},
		Instructions: p.Document{Name: "instructions"},
		Skills:       p.SkillSet{Count: 2},
		Options:      p.Options{Inherit: in},
		Inputs:       map[string]p.Found{},
	}
	for _, i := range (codex.Adapter{}).Describe().Inputs {
		r.Inputs[i.Name] = p.Found{}
	}
	return r
}

func prepare(t *testing.T, r p.Request) *p.Layout {
	t.Helper()
	l, err := codex.Adapter{}.Prepare(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// entry is the one entry of its type at a place of the session, and whether there is one.
func entry[E p.Entry](l *p.Layout, path string) (E, bool) {
	for _, e := range l.Entries {
		if found, ok := e.(E); ok && e.Place() == p.Session(path) {
			return found, true
		}
	}
	var none E
	return none, false
}

// editsAt are the edits of config.toml that name exactly this key path.
func editsAt(t *testing.T, l *p.Layout, path ...string) (found []p.Edit) {
	t.Helper()
	config, ok := entry[p.Merge](l, "codex/config.toml")
	if !ok {
		t.Fatal("no config.toml")
	}
	for _, e := range config.Edits {
		if slices.Equal(e.Path, path) {
			found = append(found, e)
		}
	}
	return found
}

func codes(l *p.Layout) (list []string) {
	for _, d := range l.Diagnostics {
		list = append(list, d.Code)
	}
	return list
}

func TestC232_NothingStandsOutsideTheSession(t *testing.T) {
	t.Parallel()
	for _, in := range []p.Inherit{all(), none()} {
		for _, e := range prepare(t, request(in)).Entries {
			if e.Place().Root != p.RootSession {
				t.Errorf("%T at %v", e, e.Place())
			}
			if link, ok := e.(p.Link); ok && link.To.Root == p.RootHome {
				t.Errorf("%v leads into a home of the user", link.At)
			}
		}
	}
}

func TestH09_TheHomeOfTheMachineStays(t *testing.T) {
	t.Parallel()
	l := prepare(t, request(all()))
	want := []p.EnvOp{{Name: "CODEX_HOME", Op: p.EnvSet, Value: p.Session("codex").Value()}}
	if diff := cmp.Diff(want, l.Env); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"CODEX_API_KEY", "CODEX_ACCESS_TOKEN", "OPENAI_API_KEY"} {
		if slices.Contains(l.Launch.Strip, name) {
			t.Errorf("%s, which is a login, is stripped", name)
		}
	}
}

func TestC216_ServiceTierIsMended(t *testing.T) {
	t.Parallel()
	for given, want := range map[string][]p.Edit{
		"":         {p.Delete(p.Key("service_tier"))},
		"fast":     nil,
		"flex":     nil,
		"priority": {p.Set(p.Key("service_tier"), p.S("fast"))},
		"default":  {p.Delete(p.Key("service_tier"))},
		"standard": {p.Delete(p.Key("service_tier"))},
	} {
		r := request(all())
		r.Inputs["config"] = p.Found{Exists: true, Values: map[string]p.Value{"service_tier": p.S(given)}}
		if diff := cmp.Diff(want, editsAt(t, prepare(t, r), "service_tier")); diff != "" {
			t.Errorf("%q: %s", given, diff)
		}
	}
	if got := editsAt(t, prepare(t, request(all())), "service_tier"); got != nil {
		t.Errorf("absent: %v", got)
	}
	// That of a profile is none of ours.
	r := request(all())
	r.Inputs["config"] = p.Found{Exists: true, Values: map[string]p.Value{"profiles/fast/service_tier": p.S("priority")}}
	config, _ := entry[p.Merge](prepare(t, r), "codex/config.toml")
	for _, e := range config.Edits {
		if slices.Contains(e.Path, "service_tier") || slices.Contains(e.Path, "profiles") {
			t.Errorf("of a profile: %v", e)
		}
	}
}

// A cache of models is good for one configuration and one account, so that another of either begins with none.
func TestC221_ModelsAreOfOneConfigurationAndOneAccount(t *testing.T) {
	t.Parallel()
	got, ok := entry[p.Link](prepare(t, request(all())), "codex/models_cache.json")
	want := p.Cache("codex-models", "models_cache.json", "config", "auth#tokens/account_id")
	if diff := cmp.Diff(want, got.To); !ok || diff != "" {
		t.Errorf("placed: %v, and it leads to (-want +got):\n%s", ok, diff)
	}
}

// A service that outlives its run would have the credentials of that one for all later ones, whatever the user likes at home.
func TestNoServiceIsLeftInTheHome(t *testing.T) {
	t.Parallel()
	want := []p.Edit{p.Set(p.Key("features", "daemon_auto_start"), p.Bool(false))}
	for name, r := range map[string]p.Request{"everything": request(all()), "nothing": request(none())} {
		if diff := cmp.Diff(want, editsAt(t, prepare(t, r), "features", "daemon_auto_start")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestC229_WindowsSandboxIsPinned(t *testing.T) {
	t.Parallel()
	r := request(all())
	if got := editsAt(t, prepare(t, r), "windows", "sandbox"); got != nil {
		t.Errorf("on linux: %v", got)
	}
	r.Target.OS = "windows"
	want := []p.Edit{p.Set(p.Key("windows", "sandbox"), p.S("unelevated"))}
	if diff := cmp.Diff(want, editsAt(t, prepare(t, r), "windows", "sandbox")); diff != "" {
		t.Error(diff)
	}
}

func TestH28_ServersOfTheUser(t *testing.T) {
	t.Parallel()
	key := []string{"mcp_servers"}
	for name, c := range map[string]struct {
		choice     p.Choice
		edits      []p.Edit
		connectors bool
		login      bool
	}{
		"all":   {p.Choice{Mode: p.All}, nil, true, true},
		"named": {p.Choice{Mode: p.Only, Names: []string{"docs"}}, []p.Edit{p.Keep(key, "docs")}, false, true},
		"none":  {p.Choice{Mode: p.None}, []p.Edit{p.Delete(key)}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := all()
			in[p.MCPServers] = c.choice
			l := prepare(t, request(in))
			if diff := cmp.Diff(c.edits, editsAt(t, l, key...)); diff != "" {
				t.Error(diff)
			}
			if got := len(editsAt(t, l, "features", "apps")) == 0; got != c.connectors {
				t.Errorf("connectors of the account left on: %v", got)
			}
			if _, got := entry[p.Login](l, "codex/.credentials.json"); got != c.login {
				t.Errorf("logins of the servers: %v", got)
			}
		})
	}
}

func TestAutomationKeepsOnlyWhatAPersonSees(t *testing.T) {
	t.Parallel()
	l := prepare(t, request(none()))
	keep := editsAt(t, l)
	if len(keep) != 1 || keep[0].Op != p.OpKeep {
		t.Fatalf("edits of the root: %v", keep)
	}
	for _, key := range []string{"model", "model_provider", "mcp_servers", "hooks", "notify", "skills", "plugins",
		"developer_instructions", "projects", "agents", "memories", "features", "approval_policy"} {
		if slices.Contains(keep[0].Names, key) {
			t.Errorf("%s comes along", key)
		}
	}
	for _, e := range l.Entries {
		switch e := e.(type) {
		case p.Expose, p.Copy, p.Share:
			t.Errorf("%T at %v", e, e.Place())
		}
	}
	if _, ok := entry[p.Login](l, "codex/auth.json"); !ok {
		t.Error("the login is missing, and it is of no kind that can be left out")
	}
}

// Each kind alone: what it brings is there when it is asked for and gone when it is not, with all else as it was.
func TestEachKindAlone(t *testing.T) {
	t.Parallel()
	r := request(all())
	r.Inputs["hooks"] = p.Found{Exists: true}
	brings := map[p.Kind][]string{
		p.Instructions: {"codex/prompts"},
		p.Skills:       {"codex/skills"},
		p.Hooks:        {"codex/hooks.json"},
		p.Plugins:      {"codex/plugins/cache", "codex/plugins/data", "codex/plugins/.plugin-appserver"},
		p.ModelSettings: {
			"codex/agents", "codex/rules", "codex/.env",
		},
		p.MCPServers: {"codex/.credentials.json"},
	}
	places := func(in p.Inherit) map[string]bool {
		q, set := r, map[string]bool{}
		q.Options.Inherit = in
		for _, e := range prepare(t, q).Entries {
			set[e.Place().Path] = true
		}
		return set
	}
	whole := places(all())
	for kind, paths := range brings {
		want := map[string]bool{}
		for path := range whole {
			// A profile can hold any kind, so it comes along only with all of them.
			if path != "codex" && !slices.Contains(paths, path) {
				want[path] = true
			}
		}
		for _, path := range paths {
			if !whole[path] {
				t.Errorf("%s: %s is missing with everything", kind, path)
			}
		}
		if diff := cmp.Diff(want, places(with(all(), kind, p.None))); diff != "" {
			t.Errorf("without %s: %s", kind, diff)
		}
	}
}

func TestC231_InstructionsBeginWithTheUsers(t *testing.T) {
	t.Parallel()
	text := []p.Value{p.Text{Document: "instructions"}}
	for name, c := range map[string]struct {
		in   p.Inherit
		base []p.Base
	}{
		"all":  {all(), []p.Base{p.FromInput("instructions"), p.Empty()}},
		"none": {with(all(), p.Instructions, p.None), []p.Base{p.Empty()}},
	} {
		got, _ := entry[p.Block](prepare(t, request(c.in)), "codex/AGENTS.md")
		want := p.Block{At: p.Session("codex/AGENTS.md"), Base: c.base, Body: text}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The client reads AGENTS.override.md in place of AGENTS.md, unless it is blank, and never a file of the project for the
// user's.
func TestH04_OneFileOfTheUsersHome(t *testing.T) {
	t.Parallel()
	for _, in := range (codex.Adapter{}).Describe().Inputs {
		if in.Name != "instructions" {
			continue
		}
		want := []p.Location{p.At("codex", "AGENTS.override.md"), p.At("codex", "AGENTS.md")}
		if diff := cmp.Diff(want, in.At); diff != "" {
			t.Error(diff)
		}
		if !in.NotBlank {
			t.Error("a blank override would hide the instructions that the client reads")
		}
	}
}

// The user's hooks run where the user trusts them, and the file that they lie in has moved.
func TestH28_TrustInHooksMovesWithThem(t *testing.T) {
	t.Parallel()
	state := p.Key("hooks", "state")
	want := []p.Edit{p.Rekey(state, "codex", p.Session("codex"))}
	r := request(all())
	r.Inputs["hooks"] = p.Found{Exists: true}
	l := prepare(t, r)
	if diff := cmp.Diff(want, editsAt(t, l, state...)); diff != "" {
		t.Error(diff)
	}
	if hooks, ok := entry[p.Copy](l, "codex/hooks.json"); !ok || hooks.Input != "hooks" {
		t.Error("trust without the hooks that it is for")
	}
	for _, d := range l.Diagnostics {
		if strings.Contains(d.Code, "hooks") {
			t.Errorf("said of hooks that run: %s", d.Code)
		}
	}

	r.Options.Inherit = with(all(), p.Hooks, p.None)
	l = prepare(t, r)
	if diff := cmp.Diff([]p.Edit{p.Delete(p.Key("hooks"))}, editsAt(t, l, "hooks")); diff != "" {
		t.Error(diff)
	}
	if _, ok := entry[p.Copy](l, "codex/hooks.json"); ok {
		t.Error("hooks that stay at home came along")
	}
}

// The trust in hooks lies among them, and is no hook.
func TestH28_TrustIsNotReportedAsAHook(t *testing.T) {
	t.Parallel()
	var events []string
	for _, in := range (codex.Adapter{}).Describe().Inputs {
		for _, carry := range in.Carries {
			for _, key := range carry.Keys {
				if key[0] == "hooks" {
					events = append(events, strings.Join(key[1:], "/"))
				}
			}
		}
	}
	if !slices.Contains(events, "PreToolUse") || slices.Contains(events, "state") || slices.Contains(events, "*") {
		t.Errorf("hooks are %q", events)
	}
}

// The client looks for skills in folders too. The user's lie behind one link for each folder.
func TestH03_SkillsInFolders(t *testing.T) {
	t.Parallel()
	filters := map[string]string{}
	for _, in := range (codex.Adapter{}).Describe().Inputs {
		filters[in.Name] = in.Filter
	}
	if filters["skills"] != p.FilterSkillTrees {
		t.Errorf("skills of the home are listed by %q", filters["skills"])
	}
	l := prepare(t, request(with(all(), p.Skills, p.Only, "group")))
	want := p.Expose{At: p.Session("codex/skills"), Input: "skills", Only: []string{"group"}}
	if got, _ := entry[p.Expose](l, "codex/skills"); !cmp.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// Skills below the user's home are found by the client itself, and only single ones can be switched off.
func TestSharedFoldersCannotBeSwitchedOff(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		choice p.Choice
		trees  []string
		warn   bool
	}{
		"no folder":          {p.Choice{Mode: p.None}, []string{"a", "c"}, false},
		"a folder":           {p.Choice{Mode: p.None}, []string{"a", "c", "group"}, true},
		"all come along":     {p.Choice{Mode: p.All}, []string{"a", "c", "group"}, false},
		"the folder's named": {p.Choice{Mode: p.Only, Names: []string{"group"}}, []string{"a", "c", "group"}, false},
		"another is named":   {p.Choice{Mode: p.Only, Names: []string{"a"}}, []string{"a", "c", "group"}, true},
	} {
		r := request(all())
		r.Options.Inherit[p.Skills] = c.choice
		r.Inputs["shared-skills"] = p.Found{Exists: true, Names: []string{"a", "c"}}
		r.Inputs["shared-trees"] = p.Found{Exists: true, Names: c.trees}
		if got := slices.Contains(codes(prepare(t, r)), "codex.grouped-skills-stay"); got != c.warn {
			t.Errorf("%s: said %v", name, got)
		}
	}
}

// A session that leaves the user's settings at home is not counted, whatever they say.
func TestCountingFollowsTheSettings(t *testing.T) {
	t.Parallel()
	off := []p.Edit{p.Set(p.Key("analytics", "enabled"), p.Bool(false))}
	if got := editsAt(t, prepare(t, request(none())), "analytics", "enabled"); !cmp.Equal(got, off) {
		t.Errorf("automation: %v", got)
	}
	if got := editsAt(t, prepare(t, request(all())), "analytics", "enabled"); got != nil {
		t.Errorf("the user's choice is changed: %v", got)
	}
}

func TestC219_SkillsOneByOne(t *testing.T) {
	t.Parallel()
	r := request(with(all(), p.Skills, p.Only, "a"))
	r.Inputs["shared-skills"] = p.Found{Exists: true, Names: []string{"a", "c"}}
	l := prepare(t, r)

	expose, _ := entry[p.Expose](l, "codex/skills")
	want := p.Expose{At: p.Session("codex/skills"), Input: "skills", Only: []string{"a"}}
	if diff := cmp.Diff(want, expose); diff != "" {
		t.Error(diff)
	}
	// The client finds these through HOME, so they can only be switched off.
	off := []p.Edit{p.Upsert(p.Key("skills", "config"), "path", p.Object{
		"path": p.Concat{p.InputPath{Input: "shared-skills"}, p.S("/c/SKILL.md")}, "enabled": p.Bool(false)})}
	if diff := cmp.Diff(off, editsAt(t, l, "skills", "config")); diff != "" {
		t.Error(diff)
	}
}

func TestH03_OursStandBesideTheUsers(t *testing.T) {
	t.Parallel()
	r := request(all())
	if _, ok := entry[p.PlaceSkills](prepare(t, r), "codex/skills/greenroom"); !ok {
		t.Error("no skills of ours")
	}
	if r.Skills.Count = 0; slices.ContainsFunc(prepare(t, r).Entries, func(e p.Entry) bool {
		_, ok := e.(p.PlaceSkills)
		return ok
	}) {
		t.Error("a place for no skills")
	}
}

func TestDiagnosticsSayWhatDoesNotWork(t *testing.T) {
	t.Parallel()
	keyring := func(r *p.Request) {
		r.Inputs["config"] = p.Found{Exists: true, Values: map[string]p.Value{"cli_auth_credentials_store": p.S("keyring")}}
	}
	for name, c := range map[string]struct {
		in     p.Inherit
		change func(*p.Request)
		want   []string
	}{
		"nothing to say":  {with(all(), p.Memories, p.None), func(*p.Request) {}, nil},
		"memories":        {all(), func(*p.Request) {}, []string{"codex.memories-stay"}},
		"keyring":         {with(all(), p.Memories, p.None), keyring, []string{"codex.keyring-login"}},
		"keyring dropped": {none(), keyring, nil},
	} {
		r := request(c.in)
		c.change(&r)
		if diff := cmp.Diff(c.want, codes(prepare(t, r))); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
