package conformance_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// turnOf runs one turn of a session in a new process.
func (g *greenroom) turnOf(p *core.Prepared, steps ...upstream.Step) {
	g.Helper()
	g.up.Script(steps...)
	c, err := g.launchTutti(p)
	if err != nil {
		g.Fatal(err)
	}
	if _, err := c.NewSession(g.Context()); err != nil {
		g.Fatal(err)
	}
	g.say(c, "hello")
	g.hangUp(c)
}

// On a plan the client asks it and nobody else, with its key, which its commands do not see and no file holds. Off it
// again it is on the user's own provider, and nothing of the plan is left in its configuration.
func TestC253_TuttiAgentOnAPlanAndOffIt(t *testing.T) {
	t.Parallel()
	g := openTuttiWith(t, func(s *stage) {
		rig.Write(s, s.inHome(".tutti-agent/config.toml"), "web_search = \"live\"\n"+codexConfig(s))
	})
	home := g.take(g.home)
	onPlan := g.onPlan("plan")
	onPlan.Provider = "tutti-agent"
	plain := onPlan
	plain.Endpoint = nil

	p := g.prepare(onPlan)
	g.turnOf(p, g.client.shell("env"), upstream.Say("done"))
	turns := g.turns(2)
	if led := g.led(); len(led) > 0 {
		t.Error(strings.Join(led, "; "))
	}
	g.oursOnceOf(p, turns[0])
	g.counts(g.text(turns[0]), map[string]int{userInstructions: 1, userSkill: 1, projectInstructions: 1})
	if results, err := turns[1].ToolResults(); err != nil || len(results) != 1 || !strings.Contains(results[0], "TUTTI_WORKSPACE_ID=") {
		t.Errorf("the command gave %q, %v", results, err)
	} else if strings.Contains(results[0], planKey) {
		t.Error("commands see the key")
	}
	g.onlyInTheEnvironment(p)

	for i, on := range []bool{false, true} {
		session, want := plain, "Bearer "+userSecret
		if on {
			session, want = onPlan, "Bearer "+planKey
		}
		p = g.prepare(session)
		g.turnOf(p, upstream.Say("done"))
		turn := g.turns(3 + i)[2+i]
		if got := credentials(turn); got != want || (turn.Header.Get("X-User-Setting") == "kept") == on {
			t.Errorf("on the plan: %v, and the client asks with %q", on, got)
		}
		config := g.config(p)
		// The search is the vendor's, which a plan is not (C261).
		search, came := strings.Contains(string(turn.Body), `"external_web_access":true`), core.CameAlong
		if on {
			came = core.Displaced
		}
		if search == on || !slices.ContainsFunc(p.Inherited, func(i core.Inherited) bool {
			return i.Name == "web_search" && i.State == came
		}) {
			t.Errorf("on the plan: %v, and the vendor's search is on: %v; the report is %v", on, search, p.Inherited)
		}
		if strings.Contains(config, "tutti-model-plan") != on || strings.Contains(config, "LAB_KEY") == on {
			t.Errorf("on the plan: %v, and the configuration is\n%s", on, config)
		}
	}
	g.cleanup(onPlan)
	g.nothingLeft()
	g.unchanged("the home", home, g.take(g.home), tuttiOwn()...)
}

// What the user's configuration and shell say leads a session on a plan nowhere else: a server that asks for the key, a
// collector, another machine for commands. The stand-in at home is led to each.
func TestC253_H33_TuttiAgentIsNotLedAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		config func(*stage) string
		shell  func(*stage) []string
	}{
		"a server that takes the key as a bearer": {config: func(s *stage) string { return lab(s, asking(s, "bearer")) }},
		"a server that takes the key in a header": {config: func(s *stage) string { return lab(s, asking(s, "header")) }},
		"telemetry": {config: func(s *stage) string { return lab(s, telemetry(s)) }},
		"commands on another machine": {config: func(s *stage) string { return lab(s, "") }, shell: func(s *stage) []string {
			return []string{elsewhere + "=" + strings.Replace(s.thief.URL(), "http", "ws", 1)}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			open := func() (*greenroom, *core.Prepared) {
				g := openTuttiWith(t, func(s *stage) {
					rig.Write(s, s.inHome(".tutti-agent/config.toml"), c.config(s))
					if c.shell != nil {
						s.environ = append(s.environ, c.shell(s)...)
					}
				})
				session := g.onPlan("plan")
				session.Provider = "tutti-agent"
				return g, g.prepare(session)
			}
			control, p := open()
			cmd, err := p.Command(context.Background(), control.environ, codex.turn("hello", quiet...)...)
			if err != nil {
				t.Fatal(err)
			}
			rig.Write(control, filepath.Join(p.Dir, "tutti-agent/config.toml"), c.config(control.stage))
			inherited(control.stage, cmd, elsewhere)
			control.up.Script(upstream.Say("first"))
			rig.Run(cmd, patience)
			if len(control.thief.Requests()) == 0 {
				t.Error("the stand-in is led nowhere at home: the case shows nothing")
			}

			g, p := open()
			g.turnOf(p, upstream.Say("done"))
			if led := g.led(); len(led) > 0 {
				t.Error(strings.Join(led, "; "))
			}
		})
	}
}

// oursOnceOf is oursOnce for the stand-in's own descriptor.
func (g *greenroom) oursOnceOf(p *core.Prepared, r upstream.Request) {
	g.Helper()
	g.counts(g.text(r), map[string]int{"# " + product + " session": 1})
	for _, skill := range p.Skills {
		g.counts(g.text(r), map[string]int{g.client.listing(skill.Name): 1})
	}
}

// config is the configuration of a session of Tutti Agent's.
func (g *greenroom) config(p *core.Prepared) string {
	g.Helper()
	data, err := os.ReadFile(filepath.Join(p.Dir, "tutti-agent/config.toml"))
	if err != nil {
		g.Fatal(err)
	}
	return string(data)
}

// Each kind of the user's set-up can be left out of a session of Tutti Agent's, and the session reports what happened.
func TestC249_TuttiAgentLeavesOutEachKind(t *testing.T) {
	t.Parallel()
	for _, kind := range append([]preparer.Kind{""}, preparer.Kinds()...) {
		t.Run("without "+string(kind), func(t *testing.T) {
			t.Parallel()
			g := openTutti(t, codex.shell("env"), upstream.Say("done"))
			session := g.tuttiSession("kinds")
			session.Inherit = core.Inherit{Kinds: everything()}
			var flags []string
			if kind != "" {
				session.Inherit.Kinds[kind] = preparer.Choice{Mode: preparer.None}
			}
			if kind == preparer.ModelSettings {
				flags = codex.provider(g.stage)
			}
			p := g.prepare(session)
			g.run(p, codex.turn("hello", flags...)...)
			turns := g.turns(2)
			g.counts(g.text(turns[0]), map[string]int{"# " + product + " session": 1})
			came := seen(g.stage, turns)
			for _, other := range []preparer.Kind{preparer.Instructions, preparer.Skills, preparer.MCPServers, preparer.Hooks, preparer.ModelSettings} {
				if came[other] != (other != kind) {
					t.Errorf("%s came along: %v", other, came[other])
				}
			}
			for _, item := range p.Inherited {
				if (item.Kind == kind) != (item.State != core.CameAlong) {
					t.Errorf("the session reports %s %s of %s as %s", item.Kind, item.Name, item.Source, item.State)
				}
			}
			if !slices.ContainsFunc(p.Inherited, func(i core.Inherited) bool { return i.Kind == preparer.MCPServers }) {
				t.Error("the session reports no server")
			}
		})
	}
}

// Commands that a session has are approved, and so are those that the user approved; others are not.
func TestC157_C165_TuttiAgentRunsWhatTheSessionHas(t *testing.T) {
	t.Parallel()
	g := openTuttiWith(t, func(s *stage) {
		rig.Write(s, s.inHome(".tutti-agent/rules/mine.rules"), `prefix_rule(pattern = ["git", "status"], decision = "allow")`+"\n")
	}, tool)
	session := g.tuttiSession("rules")
	session.Projection = &command.CommandCapabilityProjection{AllowedIDs: []string{"issue.get"}}
	p := g.prepare(session)
	files, err := filepath.Glob(filepath.Join(p.Dir, "tutti-agent/rules/*.rules"))
	if err != nil || len(files) != 2 {
		t.Fatalf("the rules are %q, %v", files, err)
	}
	for line, want := range map[string]bool{"tutti issue get --id 1": true, "git status": true, "tutti issue delete": false, "tutti": false, "git push": false} {
		allowed := false
		for _, file := range files {
			cmd := exec.Command(p.Executable, append([]string{"execpolicy", "check", "--rules", file}, strings.Fields(line)...)...)
			cmd.Dir, cmd.Env = g.cwd, p.Environ(g.environ)
			result := rig.Run(cmd, patience)
			if result.Err != nil {
				t.Fatalf("%v\n%s", result.Err, tail(result.Stderr))
			}
			allowed = allowed || strings.Contains(result.Stdout, `"allow"`)
		}
		if allowed != want {
			t.Errorf("%q is approved: %v", line, allowed)
		}
	}
}
