package conformance_test

import (
	"slices"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// projectSetUp puts into the project what runs programs of its own where the client takes it: hooks or what does their
// work, and MCP servers. It also has the user's own client trust the project, which is nothing to a session. It gives the
// marks that a client leaves that takes it.
var projectSetUp = map[string]func(s *stage) (marks []string){
	"codex": func(s *stage) []string {
		rig.Write(s, s.inHome(".codex/config.toml"), codexConfig(s)+"\n"+trusted(s))
		rig.Write(s, s.inProject(".codex/hooks.json"), encode(s, preToolHook(s.marker("project-hook"))))
		rig.Write(s, s.inProject(".codex/config.toml"), "[mcp_servers.project_server]\ncommand = \""+s.marker("project-server")+"\"\n")
		return []string{"project-hook", "project-server"}
	},
	"claude": func(s *stage) []string {
		rig.Write(s, s.inProject(".claude/settings.json"), encode(s, preToolHook(s.marker("project-hook"))))
		rig.Write(s, s.inProject(".claude/settings.local.json"), encode(s, preToolHook(s.marker("local-hook"))))
		rig.Write(s, s.inProject(".mcp.json"), encode(s, kimiServers(s, "project_server", s.marker("project-server"))))
		rig.Write(s, s.inHome(".claude.json"), encode(s, object{"projects": object{s.cwd: object{"hasTrustDialogAccepted": true}}}))
		return []string{"project-hook", "local-hook", "project-server"}
	},
	"kimi": func(s *stage) []string {
		rig.Write(s, s.inProject(".kimi-code/mcp.json"), encode(s, kimiServers(s, "project_server", s.marker("project-server"))))
		kimiTrust(s, s.inHome(".kimi-code"))
		return []string{"project-server"}
	},
	"opencode": func(s *stage) []string {
		plugin := "import { writeFileSync } from 'node:fs'\nexport const mark = async () => { writeFileSync('" + s.marks + "/project-plugin', ''); return {} }\n"
		rig.Write(s, s.inProject(".opencode/plugins/mark.js"), plugin)
		opencodeInstalled(s, s.inProject(".opencode"))
		s.projectConfig("opencode.json", object{"mcp": object{"project_server": object{"type": "local", "command": []any{s.marker("project-server")}}}})
		return []string{"project-plugin", "project-server"}
	},
}

// What a project sets up for a client runs where the workspace is trusted, and nothing of it does where nobody said so,
// also where the user's own client was told to trust it. Either way the client starts and nobody is asked.
func TestH33_ProjectSetsUpTheClientWhereItIsTrusted(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		for name, trust := range map[string]preparer.Trust{"no": preparer.NotTrusted, "host": preparer.HostCreated, "user": preparer.UserSaidYes} {
			s := newStage(t, c, c.shell("echo ran"), upstream.Say("done"))
			marks := projectSetUp[c.name](s)
			g := s.open()
			home := s.take(s.home)
			session := g.session("trust", core.Desktop)
			session.TrustWorkspace = trust
			p := g.prepare(session)
			g.run(p, c.turn("hello")...)
			turn := s.turns(2)[0]
			for _, mark := range marks {
				if ran := s.marked(mark); ran != trust.Given() {
					t.Errorf("%s: %s ran: %v", name, mark, ran)
				}
			}
			g.oursOnce(p, turn)
			if said(p, "workspace_trusted") != trust.Given() || said(p, "workspace_not_trusted") == trust.Given() {
				t.Errorf("%s: it says %v", name, p.Diagnostics)
			}
			words := 1 // are no programs, and yet Codex leaves them out too
			if c.name == "codex" && !trust.Given() {
				words = 0
			}
			s.counts(s.text(turn), map[string]int{userInstructions: 1, userSkill: 1, projectInstructions: words})
			g.cleanup(session)
			g.nothingLeft()
			s.unchanged("the home", home, s.take(s.home), c.ownState()...)
		}
	})
}

// On a terminal a client has a person look at a folder that the session does not trust, and asks nothing about one that it
// does: there it comes to the next thing, or runs the project's server. The session names what stands in the way.
func TestH33_ATerminalAsksAboutWhatIsNotTrusted(t *testing.T) {
	t.Parallel()
	for name, words := range map[string]struct {
		client      client
		asks, comes string
	}{
		"codex": {codex, "Open restricted", "Hooks need review"},
		"kimi":  {kimi, "Trust this folder", "scripted-model"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, trust := range []preparer.Trust{preparer.NotTrusted, preparer.UserSaidYes} {
				s := newStage(t, words.client)
				projectSetUp[name](s)
				g := s.open()
				session := g.session("terminal", core.Desktop)
				session.TrustWorkspace = trust
				p := g.prepare(session)
				if slices.Contains(p.Gates(), "folder-trust") == trust.Given() {
					t.Errorf("%q: the gates that stand are %q", trust, p.Gates())
				}
				terminal := g.sit(p)
				if word := g.shown(terminal, words.asks, words.comes); (word == words.asks) == trust.Given() {
					t.Errorf("%q: it shows %q", trust, word)
				}
				// A service of the client's would outlive it, with the credentials of this run.
				terminal.Close()
				for begin := time.Now(); len(g.background()) > 0; time.Sleep(20 * time.Millisecond) {
					if time.Since(begin) > patience {
						t.Fatalf("%q: %d processes outlive the client", trust, len(g.background()))
					}
				}
			}
		})
	}
}
