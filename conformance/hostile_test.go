package conformance_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
)

// An AGENTS.override.md in the home hides the AGENTS.md beside it, and would hide ours.
func TestC231_OverrideDoesNotHideOurs(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex, upstream.Say("done"))
	rig.Write(t, s.inHome(".codex/AGENTS.override.md"), "override-51c2\n")
	g := s.open()
	p := g.prepare(g.session("override", core.Desktop))
	g.run(p, codex.turn("hello")...)
	turn := s.turns(1)[0]
	g.oursOnce(p, turn)
	s.counts(s.text(turn), map[string]int{"override-51c2": 1, userInstructions: 0, projectInstructions: 1})
}

// With root markers the client walks up to them, and reads the instructions of every directory on the way. A session is told
// what lies in the directory that it was given, whatever markers the user has.
func TestC215_CodexReadsNothingAboveItsDirectory(t *testing.T) {
	t.Parallel()
	const nonce = "below-the-root-51c2"
	s := newStage(t, codex, upstream.Say("plain"), upstream.Say("prepared"))
	rig.Write(t, s.inHome(".codex/config.toml"), "project_root_markers = [ # roots\n  \".git\", # of a repository\n  \".hg\",\n]\n"+codexConfig(s))
	rig.Write(t, s.inProject("sub/AGENTS.md"), nonce+"\n")
	plain := s.plain(codex.turn("hello")...)
	plain.Dir = s.inProject("sub")
	s.play(plain)

	g := s.open()
	project := s.take(s.cwd)
	session := g.session("sub", core.Desktop)
	session.Cwd = s.inProject("sub")
	p := g.prepare(session)
	g.run(p, codex.turn("hello")...)
	turns := s.turns(2)
	g.oursOnce(p, turns[1])
	s.counts(s.text(turns[0]), map[string]int{nonce: 1, projectInstructions: 1})
	s.counts(s.text(turns[1]), map[string]int{nonce: 1, projectInstructions: 0, userInstructions: 1})
	g.cleanup(session)
	g.nothingLeft()
	s.unchanged("the project", project, s.take(s.cwd))
}

// Skills as people really have them: links, twins, loops, broken ones. The session lists what the client lists without
// us, and ours.
func TestC219_H05_HostileSkillTree(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("plain"), upstream.Say("prepared"))
		script := filepath.Join(s.root, "conformance", "testdata", "configs", "mk-skill-tree.sh")
		if out, err := exec.Command("sh", script, s.inHome(c.home)).CombinedOutput(); err != nil {
			t.Fatalf("build the skill tree: %v\n%s", err, out)
		}
		// A skill of the user's with the name of one of ours keeps it.
		rig.WriteSkill(t, s.inHome(c.home+"/skills/tutti-handoff"), "tutti-handoff", "handoff-of-the-user-51c2", "body")
		// People sort skills into folders, where the client looks into those.
		rig.WriteSkill(t, s.inHome(c.home+"/skills/folder/inner"), "inner", "inner-skill-51c2", "body")
		s.play(s.plain(c.turn("hello")...))

		g := s.open()
		home := s.take(s.home)
		session := g.session("tree", core.Desktop)
		p := g.prepare(session)
		g.run(p, c.turn("hello")...)

		turns := s.turns(2)
		g.oursByName(p, turns[1])
		plain, prepared := c.listed(s.text(turns[0])), c.listed(s.text(turns[1]))
		for _, skill := range p.Skills {
			delete(prepared, skill.Name)
		}
		if plain["tutti-handoff"] != 1 || plain["dirlink"] != 1 {
			t.Fatalf("the client lists %v without us: the case shows nothing", plain)
		}
		if diff := cmp.Diff(plain, prepared); diff != "" {
			t.Errorf("the user's skills differ:\n%s", diff)
		}
		g.cleanup(session)
		g.nothingLeft()
		s.unchanged("the home", home, s.take(s.home), c.ownState()...)
	})
}

// oursByName demands that each of our skills is listed once.
func (g *greenroom) oursByName(p *core.Prepared, r upstream.Request) {
	g.Helper()
	text := g.text(r)
	for _, skill := range p.Skills {
		g.counts(text, map[string]int{g.client.listing(skill.Name): 1})
	}
}

// listed are the names in the client's list of skills, with how often each is there.
func (c client) listed(text string) map[string]int {
	const name = "([A-Za-z0-9:._-]+)"
	line := strings.Replace(regexp.QuoteMeta(c.listing("NAME")), "NAME", name, 1)
	names := map[string]int{}
	for _, match := range regexp.MustCompile(line).FindAllStringSubmatch(text, -1) {
		names[match[1]]++
	}
	return names
}

// A hand-written configuration with everything in it. The session keeps what the user has, and the client runs on it.
func TestC233_FullCodexConfig(t *testing.T) {
	t.Parallel()
	s := newStage(t, codex, codex.shell("echo ran"), upstream.Say("done"))
	s.marker("npx") // the server that the configuration names
	config := strings.ReplaceAll(s.fixture("codex-full.toml"), "http://127.0.0.1:9/v1", s.up.BaseURL())
	config = "model_provider = \"shelf\"\n" + config
	rig.Write(t, s.inHome(".codex/config.toml"), config)
	s.environ = append(s.environ, "SHELF_KEY="+userSecret, "SHELF_ORG=org-51c2")
	g := s.open()
	home := s.take(s.home)
	session := g.session("full", core.Desktop)
	p := g.prepare(session)

	var before, after map[string]any
	decode(s, config, &before)
	data, err := os.ReadFile(filepath.Join(codexHome(g, p), "config.toml"))
	if err != nil {
		t.Fatal(err)
	}
	decode(s, string(data), &after)
	for _, key := range slices.Sorted(maps.Keys(before)) {
		switch key {
		case "features": // ours may switch one off
			continue
		case "projects": // that of the session alone is trusted, as the host says
			before[key] = map[string]any{s.cwd: map[string]any{"trust_level": "trusted"}}
		}
		if diff := cmp.Diff(before[key], after[key]); diff != "" {
			t.Errorf("%s differs:\n%s", key, diff)
		}
	}

	g.run(p, codex.turn("hello")...)
	turn := s.turns(2)[0]
	g.oursOnce(p, turn)
	for name, want := range map[string]string{
		"Authorization": "Bearer " + userSecret, "X-Team": "blue", "X-Org": "org-51c2",
	} {
		if got := turn.Header.Get(name); got != want {
			t.Errorf("header %s is %q, want %q", name, got, want)
		}
	}
	if !s.marked("npx") {
		t.Error("the user's MCP server did not start")
	}
	g.cleanup(session)
	g.nothingLeft()
	s.unchanged("the home", home, s.take(s.home), codex.ownState()...)
}

func decode(s *stage, text string, into *map[string]any) {
	s.Helper()
	if err := toml.Unmarshal([]byte(text), into); err != nil {
		s.Fatal(err)
	}
}

// Settings that a provider switcher left in the user's home. At a desktop they are the user's will; automation goes
// without them, its credential included.
func TestC256_ClaudeSettingsOfASwitcher(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		preset                core.Preset
		model, bearer, apiKey string
		refused               bool
	}{
		{core.Desktop, "relay-large", "Bearer sk-user-relay", userSecret, true},
		{core.Automation, "", "", userSecret, false},
	} {
		t.Run(string(test.preset), func(t *testing.T) {
			t.Parallel()
			s := newStage(t, claude, claude.shell("git push --force origin nowhere"), upstream.Say("done"))
			relay := s.up
			if test.preset == core.Automation {
				relay = s.thief
			}
			settings := strings.ReplaceAll(s.fixture("claude-user-settings-switcher.json"), "http://127.0.0.1:15721", relay.URL())
			rig.Write(t, s.inHome(".claude/settings.json"), settings)
			g := s.open()
			home := s.take(s.home)
			session := g.session("switcher", test.preset)
			p := g.prepare(session)
			g.run(p, claude.turn("hello")...)

			turns := s.turns(2)
			g.oursOnce(p, turns[0])
			if n := len(s.thief.Requests()); n != 0 {
				t.Errorf("%d requests went where the user's settings point", n)
			}
			if got := turns[0].Header.Get("Authorization"); got != test.bearer {
				t.Errorf("the bearer is %q, want %q", got, test.bearer)
			}
			if got := turns[0].Header.Get("X-Api-Key"); got != test.apiKey {
				t.Errorf("the key is %q, want %q", got, test.apiKey)
			}
			if !strings.Contains(string(turns[0].Body), `"model":"`+test.model) {
				t.Errorf("the model is not %q", test.model)
			}
			results, err := turns[1].ToolResults()
			if err != nil || len(results) != 1 {
				t.Fatalf("the command gave %q, %v", results, err)
			}
			if refused := strings.Contains(results[0], "denied"); refused != test.refused {
				t.Errorf("the user's deny rule holds: %v, want %v: %s", refused, test.refused, results[0])
			}
			g.cleanup(session)
			g.nothingLeft()
			s.unchanged("the home", home, s.take(s.home), claude.ownState()...)
		})
	}
}
