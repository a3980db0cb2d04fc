package preparertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/greenroom-agents/greenroom/sdk/serve"
	"github.com/hashicorp/go-plugin"
)

// The test binary plays adapters too, good and bad, by its first argument.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		play(os.Args[1])
		return
	}
	os.Exit(m.Run())
}

func play(part string) {
	switch part {
	case "good":
		serve.Serve(good())
	case "greets":
		fmt.Println("welcome")
		serve.Serve(good())
	case "mutters":
		go func() {
			time.Sleep(100 * time.Millisecond)
			os.NewFile(1, "stdout").WriteString("by the way\n")
		}()
		real := os.Stdout
		defer real.Close()
		serve.Serve(good())
	case "writes":
		bad := good()
		bad.prepare = func(r p.Request) (*p.Layout, error) {
			os.WriteFile(filepath.Join(os.Getenv("HOME"), "cache"), nil, 0o600)
			return plain(r)
		}
		serve.Serve(bad)
	case "looks":
		bad := good()
		bad.prepare = func(r p.Request) (*p.Layout, error) {
			l, err := plain(r)
			if _, there := os.Stat(filepath.Join(os.Getenv("HOME"), ".actor", "config.toml")); there == nil && err == nil {
				l.Dir(p.Session("actor/seen"))
			}
			return l, err
		}
		serve.Serve(bad)
	case "differs":
		bad := good()
		bad.desc.Version = "9.9.9"
		serve.Serve(bad)
	case "obliges":
		if os.Getenv(protocol.CookieKey) == "" {
			return // nothing said, exit code 0
		}
		serve.Serve(good())
	case "outlives":
		plugin.Serve(&plugin.ServeConfig{
			HandshakeConfig: protocol.Handshake(), VersionedPlugins: protocol.Plugins(good()), GRPCServer: protocol.NewServer,
		})
	}
}

// actor is an adapter that can be made bad in one place.
type actor struct {
	desc    p.Descriptor
	prepare func(p.Request) (*p.Layout, error)
	wait    func(context.Context)
}

func (a actor) Describe() p.Descriptor { return a.desc }

func (a actor) Prepare(ctx context.Context, r p.Request) (*p.Layout, error) {
	if a.wait != nil {
		a.wait(ctx)
	}
	return a.prepare(r)
}

func good() actor {
	return actor{
		desc: p.Descriptor{
			Provider: "actor", Version: "1.0.0",
			Client: p.Client{Executables: []string{"actor"}, Transport: p.ACP, Tools: []string{"rg"}},
			Homes:  []p.Home{{ID: "actor", Env: "ACTOR_HOME", Default: ".actor"}},
			Inputs: []p.Input{
				{Name: "config", Kind: p.InputFile, At: []p.Location{p.At("actor", "config.toml")}, Learn: p.LearnValues,
					Format: p.TOML, Values: []p.KeyPath{p.Key("model"), p.Key("servers", "*")},
					Carries: []p.Carry{{Kind: p.ModelSettings, Keys: []p.KeyPath{p.Key("model"), p.Key("trust")}}}, Displaced: []p.KeyPath{p.Key("model")}},
				{Name: "skills", Kind: p.InputNames, At: []p.Location{p.At("actor", "skills")}, Filter: p.FilterSkills,
					Carries: []p.Carry{{Kind: p.Skills}}},
				{Name: "login", Kind: p.InputFile, At: []p.Location{p.At("actor", "auth.json")}, Secret: true},
			},
			Instructions: []p.Channel{p.HomeFile},
			Skills:       p.SkillChannel{Kind: p.SkillDirectory, Names: p.PlainNames},
			Rewrite:      p.InstructionsOnly,
			Model:        p.Model{Protocol: p.OpenAI, Addressing: p.RawModels, Endpoint: p.NoEndpointAdapter, KeyVar: "ACTOR_KEY"},
			ServerVars:   "ACTOR_MCP_",
			Inherit:      map[p.Kind]p.Exclusion{p.Skills: {How: p.ByLayout}},
			Env:          []string{"ACTOR_*"},
			Flags:        []string{"--home"},
		},
		prepare: plain,
	}
}

func plain(r p.Request) (*p.Layout, error) {
	l, home := p.NewLayout(), p.Session("actor")
	l.Block(home.Join("AGENTS.md"), []p.Base{p.Empty()}, r.Instructions.Text())
	edits := []p.Edit{p.Set(p.Key("trust"), p.Bool(true))}
	if r.Endpoint != nil {
		edits = append(edits, p.Delete(p.Key("model")))
	}
	l.Merge(home.Join("config.toml"), p.TOML, []p.Base{p.FromInput("config"), p.Empty()}, edits...)
	if r.Endpoint == nil {
		l.Login(p.Login{At: home.Join("auth.json"), Input: "login", JSON: true})
	}
	if r.Skills.Count > 0 {
		l.Skills(p.PlaceSkills{At: home.Join("ours"), Reserve: []string{"skills"}})
	}
	l.Set("ACTOR_HOME", home.Value())
	l.Args(p.S("--home"), home.Value())
	if r.Options.Inherit.All(p.Skills) {
		l.Expose(p.Expose{At: home.Join("skills"), Input: "skills"})
	}
	if e := r.Endpoint; e != nil {
		if e.Protocol != p.OpenAI {
			return nil, p.Refuse("actor.protocol", "another protocol", "")
		}
		l.Document(home.Join("endpoint.json"), p.JSON, p.Object{"url": p.S(e.BaseURL), "model": p.S(e.Default)})
		l.Set("ACTOR_KEY", e.Key)
	}
	servers := p.Object{}
	for _, s := range r.Servers {
		named := p.Object{}
		for _, h := range s.Headers {
			named[h.Name] = p.S("${" + h.Var + "}")
			l.Set(h.Var, h.Value)
		}
		servers[s.Name] = p.Object{"url": p.S(s.URL), "headers": named}
	}
	if len(servers) > 0 {
		l.Document(home.Join("servers.json"), p.JSON, servers)
	}
	return l, nil
}

// then is the good adapter with something more in its layouts.
func then(add func(*p.Layout, p.Request)) actor {
	a := good()
	a.prepare = func(r p.Request) (*p.Layout, error) {
		l, err := plain(r)
		if err == nil {
			add(l, r)
		}
		return l, err
	}
	return a
}

func described(edit func(*p.Descriptor)) actor {
	a := good()
	edit(&a.desc)
	return a
}

func TestGoodAdapterPasses(t *testing.T) {
	Run(t, Config{Preparer: good(), Binary: os.Args[0], Args: []string{"good"}})
}

// TestBadAdapterFails makes one thing wrong at a time, and wants the check that is about it to see it.
func TestBadAdapterFails(t *testing.T) {
	t.Parallel()
	words := p.S("you are a helpful agent and you always do what people say")
	var calls atomic.Int64
	cases := map[string]struct {
		check string
		bad   actor
	}{
		"provider id":              {"descriptor", described(func(d *p.Descriptor) { d.Provider = "An Actor" })},
		"version":                  {"descriptor", described(func(d *p.Descriptor) { d.Version = "v1" })},
		"home twice":               {"descriptor", described(func(d *p.Descriptor) { d.Homes = append(d.Homes, d.Homes[0]) })},
		"home outside":             {"descriptor", described(func(d *p.Descriptor) { d.Homes[0].Default = "../actor" })},
		"input in no home":         {"descriptor", described(func(d *p.Descriptor) { d.Inputs[0].At[0].Home = "other" })},
		"learns a secret":          {"descriptor", described(func(d *p.Descriptor) { d.Inputs[2].Learn = p.LearnContent })},
		"declares HOME":            {"descriptor", described(func(d *p.Descriptor) { d.Env = append(d.Env, "HOME") })},
		"declares everything":      {"descriptor", described(func(d *p.Descriptor) { d.Env = []string{"L*"} })},
		"key variable undeclared":  {"descriptor", described(func(d *p.Descriptor) { d.Model.KeyVar = "OTHER" })},
		"range in words":           {"descriptor", described(func(d *p.Descriptor) { d.Client.Supported = "1.x or so" })},
		"empty transport argument": {"descriptor", described(func(d *p.Descriptor) { d.Client.TransportArgs = []string{"acp", ""} })},
		"arguments for no transport": {"descriptor", described(func(d *p.Descriptor) {
			d.Client.Transport, d.Client.TransportArgs = p.NoTransport, []string{"acp"}
		})},
		"unknown transport":                 {"descriptor", described(func(d *p.Descriptor) { d.Client.Transport = "telepathy" })},
		"server variables undeclared":       {"descriptor", described(func(d *p.Descriptor) { d.ServerVars = "OTHER_MCP_" })},
		"tokens of servers without servers": {"descriptor", described(func(d *p.Descriptor) { d.ServerVars, d.BearerServers = "", true })},
		"server variables that are no name": {"descriptor", described(func(d *p.Descriptor) { d.ServerVars = "ACTOR MCP" })},

		"no instructions":  {"given", without[p.Block]()},
		"no skills":        {"given", without[p.PlaceSkills]()},
		"one section only": {"given", sectioned()},
		"home unset":       {"given", then(func(l *p.Layout, _ p.Request) { l.Env, l.Launch.Before = nil, nil })},
		"choice without effect": {"given", then(func(l *p.Layout, r p.Request) {
			if !r.Options.Inherit.All(p.Skills) {
				l.Expose(p.Expose{At: p.Session("actor/skills"), Input: "skills"})
			}
		})},
		"default model forgotten": {"endpoint", then(func(l *p.Layout, r p.Request) {
			for i, e := range l.Entries {
				if d, ok := e.(p.TypedDocument); ok && r.Endpoint != nil && d.Root["model"] != nil {
					l.Entries[i] = p.TypedDocument{At: d.At, Format: d.Format, Root: p.Object{"url": d.Root["url"]}}
				}
			}
		})},
		"login beside an endpoint": {"endpoint", then(func(l *p.Layout, r p.Request) {
			if r.Endpoint != nil {
				l.Login(p.Login{At: p.Session("actor/auth.json"), Input: "login", JSON: true})
			}
		})},

		"panics": {"answers", then(func(_ *p.Layout, r p.Request) {
			if r.Skills.Count == 300 {
				panic("boo")
			}
		})},
		"shapeless edit": {"shape", then(func(l *p.Layout, _ p.Request) {
			l.Merge(p.Session("a"), p.JSON, []p.Base{p.Empty()}, p.Edit{Op: p.OpSet, Path: p.Key("a")})
		})},
		"refers to itself": {"answers", then(func(l *p.Layout, _ p.Request) {
			o := p.Object{}
			o["me"] = o
			l.Document(p.Session("a"), p.JSON, o)
		})},
		"variable twice": {"shape", then(func(l *p.Layout, _ p.Request) { l.Unset("ACTOR_HOME") })},

		"escapes":           {"places", then(func(l *p.Layout, _ p.Request) { l.File(p.Session("../x"), p.S("x")) })},
		"escapes by a link": {"places", then(func(l *p.Layout, _ p.Request) { l.Link(p.Session("x"), p.Session("../../x")) })},
		"escapes by a path": {"places", then(func(l *p.Layout, _ p.Request) { l.Args(p.Session("/etc").Value()) })},
		"device name":       {"places", then(func(l *p.Layout, _ p.Request) { l.File(p.Session("a/nul.txt"), p.S("x")) })},
		"dot at the end":    {"places", then(func(l *p.Layout, _ p.Request) { l.Dir(p.Session("a.")) })},
		"case twins":        {"places", then(func(l *p.Layout, _ p.Request) { l.File(p.Session("actor/agents.md"), p.S("x")) })},
		"case of a folder":  {"places", then(func(l *p.Layout, _ p.Request) { l.File(p.Session("Actor/x"), p.S("x")) })},
		"same place":        {"places", then(func(l *p.Layout, _ p.Request) { l.Dir(p.Session("actor/AGENTS.md")) })},
		"below a file":      {"places", then(func(l *p.Layout, _ p.Request) { l.Dir(p.Session("actor/AGENTS.md/x")) })},
		"below a link": {"places", then(func(l *p.Layout, _ p.Request) {
			l.Link(p.Session("out"), p.InHome("actor", "plugins"))
			l.File(p.Session("out/x"), p.S("x"))
		})},
		"login in a scratch directory": {"places", then(func(l *p.Layout, _ p.Request) {
			l.ScratchDir(p.Session("tmp"))
			l.Link(p.Session("tmp/deep/x"), p.InHome("actor", "plugins"))
		})},
		"line in front each time": {"shape", then(func(l *p.Layout, r p.Request) {
			l.Entries = append(l.Entries, p.Block{At: p.Session("a.md"), Base: []p.Base{p.Current(), p.Empty()}, Body: []p.Value{r.Instructions.Text()},
				Lead: []p.Value{r.Instructions.Text()}})
		})},
		"file in the workspace": {"places", then(func(l *p.Layout, _ p.Request) { l.File(p.Workspace("x.md"), p.S("x")) })},
		"skills where nobody says that the client looks": {"places", then(func(l *p.Layout, _ p.Request) {
			l.Skills(p.PlaceSkills{At: p.Workspace(".actor/skills"), Reserve: []string{"skills"}})
		})},
		"copies of skills in the workspace": {"places", then(func(l *p.Layout, _ p.Request) {
			l.Skills(p.PlaceSkills{At: p.Workspace(".actor/skills"), Copy: true})
		})},
		"block in .github": {"places", then(func(l *p.Layout, r p.Request) {
			l.Block(p.Workspace(".github/x.md"), []p.Base{p.Current()}, r.Instructions.Text())
		})},
		"nested beside the user's skills": {"places", then(func(l *p.Layout, _ p.Request) {
			l.Skills(p.PlaceSkills{At: p.Session("actor/skills/greenroom")})
		})},
		"nested in an exposed folder": {"places", then(func(l *p.Layout, r p.Request) {
			if r.Options.Inherit.All(p.Skills) {
				l.Expose(p.Expose{At: p.Session("tricks"), Input: "skills"})
				l.Skills(p.PlaceSkills{At: p.Session("tricks/ours/set"), Copy: true})
			}
		})},
		"entry in a home": {"places", then(func(l *p.Layout, _ p.Request) { l.Dir(p.InHome("actor", "x")) })},

		"undeclared variable": {"names", then(func(l *p.Layout, _ p.Request) { l.Set("OTHER", p.S("x")) })},
		"undeclared strip":    {"names", then(func(l *p.Layout, _ p.Request) { l.Strip("A*") })},
		"undeclared flag":     {"names", then(func(l *p.Layout, _ p.Request) { l.Args(p.S("--yolo=1")) })},
		"undeclared input":    {"names", then(func(l *p.Layout, _ p.Request) { l.Copy(p.Session("x"), "nothing") })},
		"input of other kind": {"names", then(func(l *p.Layout, _ p.Request) { l.Copy(p.Session("x"), "skills") })},
		"undeclared home":     {"names", then(func(l *p.Layout, _ p.Request) { l.Link(p.Session("x"), p.InHome("other", "x")) })},
		"sets PATH":           {"names", then(func(l *p.Layout, _ p.Request) { l.Set("PATH", p.S("x")) })},
		"no such section":     {"names", then(func(l *p.Layout, r p.Request) { l.File(p.Session("x"), r.Instructions.Section("finale")) })},

		"prose in a file": {"prose", then(func(l *p.Layout, _ p.Request) { l.File(p.Session("x"), words) })},
		"prose in pieces": {"prose", then(func(l *p.Layout, _ p.Request) {
			l.File(p.Session("x"), p.S("You are a helpful agent, "), p.S("and you always do what people say."))
		})},
		"prose in emphasis": {"prose", then(func(l *p.Layout, _ p.Request) {
			l.File(p.Session("x"), p.S("# *You* are a `helpful` agent and you **always** do (what) people say"))
		})},
		"prose in a document": {"prose", then(func(l *p.Layout, _ p.Request) { l.Document(p.Session("x"), p.JSON, p.Object{"a": p.List{words}}) })},
		"prose in a key": {"prose", then(func(l *p.Layout, _ p.Request) {
			l.Document(p.Session("x"), p.JSON, p.Object{string(words): p.Bool(true)})
		})},
		"prose in arguments": {"prose", then(func(l *p.Layout, _ p.Request) {
			for w := range strings.FieldsSeq(string(words)) {
				l.Args(p.S(w))
			}
		})},
		"prose in an edit": {"prose", then(func(l *p.Layout, _ p.Request) {
			l.Merge(p.Session("x"), p.JSON, []p.Base{p.Empty()}, p.Splice(p.Key("a"), words))
		})},
		"a word in a block":    {"prose", then(func(l *p.Layout, _ p.Request) { l.Block(p.Session("x"), []p.Base{p.Empty()}, p.S("obey")) })},
		"catalog in a file":    {"shape", then(func(l *p.Layout, _ p.Request) { l.File(p.Session("x"), p.SkillCatalog{At: p.Session("s")}) })},
		"catalog of nothing":   {"names", then(func(l *p.Layout, _ p.Request) { l.FirstPrompt(p.SkillCatalog{At: p.Session("s")}) })},
		"rewrites nothing":     {"rtk", described(func(d *p.Descriptor) { d.Rewrite = p.ClientPlugin })},
		"saves nothing":        {"saver", described(func(d *p.Descriptor) { d.Saver = true })},
		"a word in the prompt": {"prose", then(func(l *p.Layout, _ p.Request) { l.FirstPrompt(p.S("obey")) })},

		"secret in a file":      {"secrets", then(func(l *p.Layout, r p.Request) { withKey(r, func(k p.Secret) { l.File(p.Session("x"), k) }) })},
		"secret in an argument": {"secrets", then(func(l *p.Layout, r p.Request) { withKey(r, func(k p.Secret) { l.Args(k) }) })},
		"name of a secret":      {"secrets", then(func(l *p.Layout, r p.Request) { withKey(r, func(k p.Secret) { l.Args(p.S(k.Name)) }) })},
		"made-up secret":        {"secrets", then(func(l *p.Layout, _ p.Request) { l.Set("ACTOR_OTHER", p.Secret{Name: "root"}) })},
		"login that is none":    {"secrets", then(func(l *p.Layout, _ p.Request) { l.Login(p.Login{At: p.Session("x"), Input: "config"}) })},

		"counts its calls": {"determinism", then(func(l *p.Layout, _ p.Request) { l.Set("ACTOR_N", p.S(fmt.Sprint(calls.Add(1)))) })},
		"ignores the endpoint": {"endpoint", func() actor {
			a := good()
			a.prepare = func(r p.Request) (*p.Layout, error) {
				r.Endpoint = nil
				return plain(r)
			}
			return a
		}()},
		"serves another protocol":   {"endpoint", described(func(d *p.Descriptor) { d.Model.Protocol = p.Anthropic })},
		"leaves the other variable": {"endpoint", described(func(d *p.Descriptor) { d.Model.APIKeyVar = "ACTOR_API_KEY" })},
		"takes any variable":        {"endpoint", described(func(d *p.Descriptor) { d.Model.KeyVar = "ACTOR_OTHER" })},
		"gateway before messages": {"descriptor", described(func(d *p.Descriptor) {
			d.Model.Protocol, d.Model.Endpoint = p.Anthropic, p.ResponsesToChatGateway
		})},
		"protocol twice":                {"descriptor", described(func(d *p.Descriptor) { d.Model.Also = []p.Protocol{p.OpenAI} })},
		"serves what it does not offer": {"endpoint", described(func(d *p.Descriptor) { d.Model = p.Model{} })},
		"does not say what gives way":   {"displaced", described(func(d *p.Descriptor) { d.Inputs[0].Displaced = nil })},
		"gives way to nothing":          {"descriptor", described(func(d *p.Descriptor) { d.Model = p.Model{} })},
		"gives way with what it has not": {"descriptor", described(func(d *p.Descriptor) {
			d.Inputs[0].Displaced = []p.KeyPath{p.Key("servers", "*")}
		})},
		"gives way below an item": {"descriptor", described(func(d *p.Descriptor) {
			d.Inputs[0].Displaced = []p.KeyPath{p.Key("model", "name")}
		})},
		"ignores the servers": {"servers", func() actor {
			a := good()
			a.prepare = func(r p.Request) (*p.Layout, error) {
				r.Servers = nil
				return plain(r)
			}
			return a
		}()},
		"gives a credential twice": {"servers", then(func(l *p.Layout, r p.Request) {
			if len(r.Servers) > 0 {
				l.Set("ACTOR_OTHER", r.Servers[0].Headers[0].Value)
			}
		})},
		"credential of a server in a file": {"secrets", then(func(l *p.Layout, r p.Request) {
			if len(r.Servers) > 0 {
				l.File(p.Session("x"), r.Servers[0].Headers[0].Value)
			}
		})},
		"trusts everybody": {"trust", then(func(l *p.Layout, r p.Request) {
			if r.Options.TrustWorkspace != p.NotTrusted {
				l.File(p.Session("actor/trusted"))
			}
		})},
		"does not say what trust lets in": {"trust", then(func(l *p.Layout, r p.Request) {
			if r.Trusted() {
				l.File(p.Session("actor/trusted"))
			}
		})},
		"makes no difference": {"trust", described(func(d *p.Descriptor) {
			d.Gates = []p.Gate{p.TrustGate("folder-trust", p.AnsweredByFile, p.NotAnswered, p.Hooks)}
		})},
		"asks who said yes": {"trust", func() actor {
			a := then(func(l *p.Layout, r p.Request) {
				if r.Trusted() {
					l.File(p.Session("actor/trusted"), p.S(string(r.Options.TrustWorkspace)))
				}
			})
			a.desc.Gates = []p.Gate{p.TrustGate("folder-trust", p.AnsweredByFile, p.NotAnswered, p.Hooks)}
			return a
		}()},
		"a no that is not given": {"descriptor", described(func(d *p.Descriptor) {
			d.Gates = []p.Gate{{ID: "folder-trust", Answer: p.AnsweredByFile, Lets: []p.Kind{p.Hooks}}}
		})},
		"trust that lets nothing in": {"descriptor", described(func(d *p.Descriptor) {
			d.Gates = []p.Gate{{ID: "folder-trust", Answer: p.AnsweredByFile, Untrusted: p.AnsweredByFile}}
		})},
		"trusts the inputs": {"unknown", then(func(_ *p.Layout, r p.Request) { r.Inputs["x"] = p.Found{} })},
		"brings all skills": {"inherit", func() actor {
			a := good()
			a.prepare = func(r p.Request) (*p.Layout, error) {
				r.Options.Inherit = p.Inherit{p.Skills: {Mode: p.All}}
				return plain(r)
			}
			return a
		}()},
		"sleeps": {"cancel", func() actor {
			a := good()
			a.wait = func(context.Context) { time.Sleep(1500 * time.Millisecond) }
			return a
		}()},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			found := runCheck(t, c.check, Config{Preparer: c.bad, Requests: 60})
			if len(found) == 0 {
				t.Fatalf("%s found nothing", c.check)
			}
		})
	}
}

func withKey(r p.Request, do func(p.Secret)) {
	if r.Endpoint != nil {
		do(r.Endpoint.Key)
	}
}

func TestBadBinaryFails(t *testing.T) {
	t.Parallel()
	for part, name := range map[string]string{
		"greets": "binary-stdout", "mutters": "binary-stdout", "writes": "binary-disk", "differs": "binary-same", "looks": "binary-same",
		"obliges": "binary-by-hand", "outlives": "binary-orphan",
	} {
		t.Run(part, func(t *testing.T) {
			c := Config{Preparer: good(), Binary: os.Args[0], Args: []string{part}}
			if playHost(c) {
				return
			}
			t.Run(name, func(t *testing.T) {
				if found := runCheck(t, name, c); len(found) == 0 {
					t.Fatalf("%s found nothing", name)
				} else {
					t.Log(found)
				}
			})
		})
	}
}

func runCheck(t *testing.T, name string, c Config) []error {
	t.Helper()
	for _, k := range checks(c) {
		if k.name == name {
			return k.run(t)
		}
	}
	t.Fatalf("no check %s", name)
	return nil
}

// TestCheckLayoutOfALayoutWithoutEnd: the checks run on values that nobody carried over a wire before.
func TestCheckLayoutOfALayoutWithoutEnd(t *testing.T) {
	t.Parallel()
	o := p.Object{}
	o["me"] = o
	l := p.NewLayout()
	l.Document(p.Session("a"), p.JSON, o)
	if found := CheckLayout(good().desc, l); len(found) != 1 {
		t.Fatalf("found %v", found)
	}
}
