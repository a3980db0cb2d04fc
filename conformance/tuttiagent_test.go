package conformance_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/launch"
	tuttiadapter "github.com/greenroom-agents/greenroom/providers/tuttiagent"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// standIn is the adapter for Tutti Agent with Codex in the place of the client: it has another name, finds its home by
// another variable, and calls its marker something else.
type standIn struct{ tuttiadapter.Adapter }

func (s standIn) Describe() preparer.Descriptor {
	d := s.Adapter.Describe()
	d.Client.Executables = []string{"codex"}
	d.Env = append(d.Env, "CODEX_HOME")
	d.Homes = append(d.Homes, preparer.Home{ID: "stand-in", Env: "CODEX_HOME", Default: ".codex"})
	return d
}

func (s standIn) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	l, err := s.Adapter.Prepare(ctx, r)
	if err != nil {
		return nil, err
	}
	for i := range l.Launch.Actions {
		if l.Launch.Actions[i].Marker != "" {
			l.Launch.Actions[i].Marker = ".codex-system-skills.marker"
		}
	}
	for _, op := range l.Env {
		if op.Name == "TUTTI_AGENT_HOME" {
			l.Set("CODEX_HOME", op.Value)
		}
	}
	return l, nil
}

// openTutti is a host with the stand-in, for a user whose things lie in the home of Tutti Agent.
func openTutti(t *testing.T, steps ...upstream.Step) *greenroom {
	t.Helper()
	g := openTuttiWith(t, nil)
	g.up.Script(steps...)
	return g
}

// openTuttiWith has more of the user's, and a host that is configured otherwise.
func openTuttiWith(t *testing.T, seed func(*stage), changes ...func(*core.Config)) *greenroom {
	t.Helper()
	s := newStage(t, codex)
	if err := os.Rename(s.inHome(".codex"), s.inHome(".tutti-agent")); err != nil {
		t.Fatal(err)
	}
	if seed != nil {
		seed(s)
	}
	return s.open(append(changes, func(c *core.Config) { c.Adapters = []adapter.Source{{InProcess: standIn{}}} })...)
}

func (g *greenroom) tuttiSession(id string) core.Session {
	s := g.session(id, core.Desktop)
	s.Provider = "tutti-agent"
	return s
}

// launchTutti starts the client of a session and shakes hands with it.
func (g *greenroom) launchTutti(p *core.Prepared, change ...func(*launch.Options)) (*launch.Conn, error) {
	g.Helper()
	o := launch.Options{Host: g.host, Environ: g.environ}
	for _, c := range change {
		c(&o)
	}
	c, err := launch.Open(g.Context(), p, o)
	if err == nil {
		g.Cleanup(func() { c.Close() })
	}
	return c, err
}

// say runs a turn and gives its events, of which the last has to be its end.
func (g *greenroom) say(c *launch.Conn, prompt string) []launch.Event {
	g.Helper()
	events := slices.Collect(c.Prompt(g.Context(), launch.Block{Text: prompt}))
	if end := events[len(events)-1]; end.Kind != launch.End || end.Reason != launch.Finished {
		g.Fatalf("the turn ended with %+v: %v", end, end.Err)
	}
	return events
}

func (g *greenroom) hangUp(c *launch.Conn) {
	g.Helper()
	if err := c.Close(); err != nil {
		g.Error(err)
	}
}

// The handshake on the real app server: our skills and the client's own are told from the store, once each, in every
// session by the same paths; a conversation that goes on in a new process is repeated byte for byte.
func TestC193_C254_TuttiAgentIsToldOfItsSkills(t *testing.T) {
	t.Parallel()
	g := openTutti(t, upstream.Say("one"), upstream.Say("two"), upstream.Say("three"), upstream.Say("four"))
	home := g.take(g.home)
	session := g.tuttiSession("told")
	session.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.Skills: {Mode: preparer.None}}
	connector := filepath.Join(g.dir, "connector")
	rig.WriteSkill(g, filepath.Join(connector, "crm-notes"), "crm-notes", "connector-skill-51c2", "body")
	session.SkillRoots = []core.SkillRoot{{Name: "crm", Path: connector}}
	p := g.prepare(session)
	c, err := g.launchTutti(p)
	if err != nil {
		t.Fatal(err)
	}
	talk, err := c.NewSession(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	g.say(c, "first-prompt")
	g.hangUp(c)

	p = g.prepare(session)
	if c, err = g.launchTutti(p); err != nil {
		t.Fatal(err)
	}
	if again, err := c.Resume(t.Context(), talk.ID); err != nil || again.ID != talk.ID || again.Replaced {
		t.Fatal(again, err)
	}
	g.say(c, "second-prompt")
	g.hangUp(c)

	// Another session of the kind, and one that the user's own skills come along in, from a directory of the session's.
	other, desktop := g.tuttiSession("other"), g.tuttiSession("desktop")
	other.Inherit = session.Inherit
	for _, next := range []*core.Session{&other, &desktop} {
		next.SkillRoots = session.SkillRoots
		if c, err = g.launchTutti(g.prepare(*next)); err != nil {
			t.Fatal(err)
		}
		if _, err = c.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.say(c, "third-prompt")
		g.hangUp(c)
	}

	turns := g.turns(4)
	g.counts(g.text(turns[3]), map[string]int{userSkill: 1})
	for _, turn := range turns {
		text := g.text(turn)
		g.counts(text, map[string]int{userInstructions: 1, "connector-skill-51c2": 1, "# " + product + " session": 1})
		for _, skill := range p.Skills {
			g.counts(text, map[string]int{g.client.listing(skill.Name): 1})
		}
		for _, below := range []string{"store/skills/", "store/agent/system-skill-bundles/v1/"} {
			if !strings.Contains(text, filepath.Join(g.state, below)) {
				t.Errorf("no skill is told from %s", below)
			}
		}
		if strings.Contains(text, filepath.Join(p.Dir, "tutti-agent/skills/.system")) {
			t.Error("the client's own skills are told by a path of the session")
		}
	}
	first, second := inputOf(t, turns[0]), inputOf(t, turns[1])
	if len(second) <= len(first) || !slices.Equal(second[:len(first)], first) {
		t.Errorf("the conversation that goes on does not begin as it was: %d items, then %d", len(first), len(second))
	}
	for _, item := range second[len(first):] {
		if strings.Contains(item, "skills_instructions") {
			t.Error("the skills are told a second time")
		}
	}
	// What a model reads before the first prompt is the same in every session, so that a cache of prompts serves them all.
	if a, b := beforePrompt(t, turns[0]), beforePrompt(t, turns[2]); !slices.Equal(a, b) {
		t.Errorf("two sessions do not begin alike:\n%s\n%s", tail(strings.Join(a, "\n")), tail(strings.Join(b, "\n")))
	}
	g.cleanup(session)
	g.cleanup(other)
	g.cleanup(desktop)
	g.nothingLeft()
	g.unchanged("the home", home, g.take(g.home), tuttiOwn()...)
}

// tuttiOwn are the paths below the user's home that a run may change, by the adapter's own list.
func tuttiOwn() (own []string) {
	for _, at := range (tuttiadapter.Adapter{}).Describe().OwnState {
		own = append(own, ".tutti-agent/"+at.Path)
	}
	return own
}

// beforePrompt is what the items before the person's own say.
func beforePrompt(t *testing.T, r upstream.Request) []string {
	t.Helper()
	items := inputOf(t, r)
	list := make([]string, 0, len(items))
	for _, item := range items[:len(items)-1] {
		var said struct {
			Role    string          `json:"role"`
			Content json.RawMessage `json:"content"`
		}
		if err := json.Unmarshal([]byte(item), &said); err != nil {
			t.Fatal(err)
		}
		list = append(list, said.Role+" "+string(said.Content))
	}
	if len(list) < 3 {
		t.Fatalf("only %d items come before the prompt", len(list))
	}
	return list
}

// inputOf are the items of a request as they were sent.
func inputOf(t *testing.T, r upstream.Request) []string {
	t.Helper()
	var body struct {
		Input []json.RawMessage `json:"input"`
	}
	if err := json.Unmarshal(r.Body, &body); err != nil || len(body.Input) == 0 {
		t.Fatalf("no input: %v", err)
	}
	list := make([]string, len(body.Input))
	for i, item := range body.Input {
		list[i] = string(item)
	}
	return list
}

// MCP servers of the host's are connected with their credentials in the session that has them, and in no later one.
func TestTuttiAgentIsConnectedToServersOfTheHost(t *testing.T) {
	t.Parallel()
	g, tools := openTutti(t), serveTools(t)
	session := g.tuttiSession("servers")
	session.Servers = tools.servers(true)
	talk := func(steps ...upstream.Step) {
		g.up.Script(steps...)
		c, err := g.launchTutti(g.prepare(session))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.NewSession(t.Context()); err != nil {
			t.Fatal(err)
		}
		g.say(c, "hello")
		g.hangUp(c)
	}
	talk(g.client.shell("env"), upstream.Say("done"))
	tools.mu.Lock()
	asked, other := tools.asked["tools/list"], tools.other
	tools.mu.Unlock()
	if asked < 2 || other > 0 {
		t.Errorf("the servers were asked for their tools %d times, and %d times without the credential", asked, other)
	}
	offered := false
	for _, r := range g.up.Requests() {
		offered = offered || strings.Contains(string(r.Body), serverTool)
		if strings.Contains(string(r.Body), serverSecret) {
			t.Error("the model is told the credential")
		}
	}
	if !offered {
		t.Error("the model is not offered the tool of the servers")
	}
	g.holdNowhere(serverSecret)

	session.Servers = nil
	talk(upstream.Say("done"))
	if tools.asked["tools/list"] != asked {
		t.Error("servers that the host has taken away are connected")
	}
	g.cleanup(session)
	g.nothingLeft()
}

// A start that is not what was prepared fails on the real app server, which itself would say nothing.
func TestC195_TuttiAgentDoesNotStartWithoutItsSkills(t *testing.T) {
	t.Parallel()
	g := openTutti(t)
	session := g.tuttiSession("short")
	connector := filepath.Join(g.dir, "connector")
	rig.WriteSkill(g, filepath.Join(connector, "crm-notes"), "crm-notes", "connector-skill-51c2", "body")
	session.SkillRoots = []core.SkillRoot{{Name: "crm", Path: connector}}
	p := g.prepare(session)
	if err := os.Rename(connector, connector+".gone"); err != nil {
		t.Fatal(err)
	}
	if _, err := g.launchTutti(p); !errors.Is(err, core.ErrSkillsMissing) {
		t.Errorf("a directory that is gone: %v", err)
	}
	if err := os.Rename(connector+".gone", connector); err != nil {
		t.Fatal(err)
	}
	// A skill of ours that is switched off would be missed by the model without a word.
	config := filepath.Join(p.Dir, "tutti-agent/config.toml")
	was, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	rig.Write(g, config, string(was)+"\n[[skills.config]]\nname = \""+p.Skills[0].Name+"\"\nenabled = false\n")
	if _, err := g.launchTutti(p); !errors.Is(err, core.ErrSkillsMissing) {
		t.Errorf("a skill that is switched off: %v", err)
	}
	rig.Write(g, config, string(was))
	// Without its own skills the client runs as well, and says so on its error output only.
	system := filepath.Join(p.Dir, "tutti-agent/skills/.system")
	if target, err := os.Readlink(system); err != nil {
		t.Errorf("they were not swapped: %v", err)
	} else if err := errors.Join(os.Remove(system), os.Symlink(target+"-gone", system)); err != nil {
		t.Fatal(err)
	}
	if _, err := g.launchTutti(p); !errors.Is(err, core.ErrSnapshot) {
		t.Errorf("skills of its own that are gone: %v", err)
	}
	g.cleanup(session)
	g.nothingLeft()
}

// An update of the client writes other skills of its own: the session leads to those, and the other ones stay for the
// conversations that name them.
func TestC192_TuttiAgentUpdatesItsSkills(t *testing.T) {
	t.Parallel()
	g := openTutti(t)
	session, second := g.tuttiSession("updated"), g.tuttiSession("other")
	p, other := g.prepare(session), g.prepare(second)
	systemOf := func(p *core.Prepared) string { return filepath.Join(p.Dir, "tutti-agent/skills/.system") }
	system := systemOf(p)
	start := func(p *core.Prepared) string {
		c, err := g.launchTutti(p)
		if err != nil {
			t.Fatal(err)
		}
		g.hangUp(c)
		target, err := os.Readlink(systemOf(p))
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
	current := start(p)
	if again := start(p); again != current {
		t.Errorf("another start leads to %s", again)
	}
	// The second session has skills of another build: the client's own with one more, under the marker that it takes for its
	// own, so that it leaves them.
	const theirs = "---\nname: second-skill\ndescription: of another build\n---\nsecond-body-51c2\n"
	if err := os.CopyFS(systemOf(other), os.DirFS(current)); err != nil {
		t.Fatal(err)
	}
	rig.Write(g, filepath.Join(systemOf(other), "second-skill", "SKILL.md"), theirs)
	apart := start(other)
	if apart == current {
		t.Fatal("the second session leads to the skills of the first")
	}
	// What an older build left: a tree with another marker.
	if err := os.Remove(system); err != nil {
		t.Fatal(err)
	}
	rig.Write(g, filepath.Join(system, ".codex-system-skills.marker"), "000000000000000\n")
	rig.WriteSkill(g, filepath.Join(system, "old-skill"), "old-skill", "old", "body")
	if next := start(p); next != current {
		t.Errorf("the client did not replace the skills of another build: %s", next)
	}
	if target, err := os.Readlink(systemOf(other)); err != nil || target != apart {
		t.Errorf("the second session leads to %s, %v", target, err)
	}
	if data, err := os.ReadFile(filepath.Join(systemOf(other), "second-skill", "SKILL.md")); err != nil || string(data) != theirs {
		t.Errorf("after the update of the first the second session reads %q, %v", data, err)
	}
	g.cleanup(session)
	if data, err := os.ReadFile(filepath.Join(systemOf(other), "second-skill", "SKILL.md")); err != nil || string(data) != theirs {
		t.Errorf("without the first the second session reads %q, %v", data, err)
	}
	g.cleanup(second)
	g.nothingLeft()
}
