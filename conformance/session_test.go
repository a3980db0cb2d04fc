package conformance_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// A session from its beginning to its end as a person at a desktop has it: ours comes once, theirs stays, and
// afterwards nothing of the session is left.
func TestC256_DesktopSession(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, c.shell("env"), upstream.Say("done"))
		g := s.open()
		home, project := s.take(s.home), s.take(s.cwd)

		session := g.session("desktop", core.Desktop)
		p := g.prepare(session)
		s.unchanged("preparing changed the home", home, s.take(s.home))
		g.run(p, c.turn("first-prompt")...)

		turns := s.turns(2)
		g.oursOnce(p, turns[0])
		if results, err := turns[1].ToolResults(); err != nil || len(results) != 1 || !strings.Contains(results[0], "TUTTI_AGENT_SESSION_ID=desktop\n") {
			t.Errorf("the command gave %q, %v", results, err)
		}
		want := map[string]int{
			userInstructions: 1, userSkill: 1, projectInstructions: 1, projectSkill: 1, "first-prompt": 1, userMemory: 0,
		}
		if c.sharedSkills {
			want[sharedSkill] = 1
		}
		s.counts(s.text(turns[0]), want)
		if !c.settingKept(s, turns) {
			t.Error("a setting of the user's had no effect")
		}
		for _, program := range []string{"user-hook", "user-server"} {
			if !s.marked(program) {
				t.Errorf("%s did not run", program)
			}
		}

		g.cleanup(session)
		g.nothingLeft()
		s.unchanged("the home", home, s.take(s.home), c.ownState()...)
		s.unchanged("the project", project, s.take(s.cwd))
	})
}

// A session for automation tells the agent and runs nothing that the user set up, but works in the same project.
func TestC256_AutomationSession(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, c.shell("env"), upstream.Say("done"))
		g := s.open()
		home, project := s.take(s.home), s.take(s.cwd)

		session := g.session("automation", core.Automation)
		p := g.prepare(session)
		g.run(p, c.turn("first-prompt", c.provider(s)...)...)

		turns := s.turns(2)
		g.oursOnce(p, turns[0])
		s.counts(s.text(turns[0]), map[string]int{
			userInstructions: 0, userSkill: 0, sharedSkill: 0, userMemory: 0, projectInstructions: 1, projectSkill: 1,
			"first-prompt": 1,
		})
		stays := slices.Contains(c.stays, preparer.ModelSettings)
		if c.settingKept(s, turns) != stays {
			t.Errorf("a setting of the user's had an effect: %v, want %v", !stays, stays)
		}
		if said(p, "not_excludable") != stays {
			t.Errorf("what came along all the same is not what the session says: %v", p.Diagnostics)
		}
		for _, program := range []string{"user-hook", "user-server"} {
			if s.marked(program) {
				t.Errorf("%s ran", program)
			}
		}
		if hosts := s.proxy.Targets(); len(hosts) > 0 {
			t.Errorf("the client wanted to reach %q", hosts)
		}

		g.cleanup(session)
		g.nothingLeft()
		s.unchanged("the home", home, s.take(s.home), c.ownState()...)
		s.unchanged("the project", project, s.take(s.cwd))
	})
}

// The model can load a skill of ours by the name that the session gives it.
func TestC256_SkillLoads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c)
		g := s.open()
		p := g.prepare(g.session("skill", core.Desktop))
		if len(p.Skills) == 0 {
			t.Fatal("the session has no skill")
		}
		skill := p.Skills[0]
		body := skillBody(s, skill)
		prompt, asked := c.load(s, skill.Name)
		g.run(p, c.turn(prompt)...)
		turns := s.turns(asked)
		s.counts(s.text(turns[asked-1]), map[string]int{body: 1})
	})
}

// skillBody is the text of a skill below its front matter.
func skillBody(s *stage, skill core.SkillView) string {
	s.Helper()
	data, err := os.ReadFile(skill.Path)
	if err != nil {
		s.Fatal(err)
	}
	_, body, ok := strings.Cut(strings.TrimPrefix(string(data), "---\n"), "\n---\n")
	if !ok {
		s.Fatalf("the skill %s has no front matter", skill.Name)
	}
	return strings.TrimSpace(body)
}

// What the model runs finds the host's tools first, and none of the host's secrets.
func TestC008_HostToolsLeadPath(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, c.shell(`printf 'PATH=%s=\n' "$PATH"; tutti; env`), upstream.Say("done"))
		rig.WriteProgram(t, filepath.Join(s.tools, "tutti"), "#!/bin/sh\necho wrong tool\n")
		// As when the host itself was started from inside a session with a model plan.
		s.environ = append(s.environ, "TUTTI_MODEL_PLAN_API_KEY=outer-key-51c2")
		g := s.open()
		session := g.session("path", core.Desktop)
		p := g.prepare(session)
		g.run(p, c.turn("hello")...)

		results, err := s.turns(2)[1].ToolResults()
		if err != nil || len(results) != 1 {
			t.Fatalf("the command gave %q, %v", results, err)
		}
		output := results[0]
		_, path, _ := strings.Cut(output, "PATH=")
		path, _, _ = strings.Cut(path, "=\n")
		if first := withoutOwn(c, p, strings.Split(path, ":")); len(first) == 0 || first[0] != g.first {
			t.Errorf("PATH is %s, want it to begin with %s", path, g.first)
		}
		if strings.Count(path, g.first) != 1 || !strings.Contains(output, "host-tool-51c2") {
			t.Errorf("the host's tool was not found in %s", path)
		}
		secrets := []string{"outer-key-51c2"}
		for _, v := range p.Env {
			if v.Secret {
				secrets = append(secrets, v.Value)
			}
		}
		for _, secret := range secrets {
			if strings.Contains(output, secret) {
				t.Error("the command sees a secret of ours")
			}
		}
		// The home is the person's own, so that what the model runs has the logins that lie there.
		for _, name := range []string{"TUTTI_WORKSPACE_ID=workspace 51c2\n", "TUTTI_AGENT_SESSION_ID=path\n", "\nHOME=" + s.home + "\n"} {
			if !strings.Contains(output, name) {
				t.Errorf("%q is not in the environment", name)
			}
		}
	})
}

// withoutOwn leaves out the directories that the client itself puts in front.
func withoutOwn(c client, p *core.Prepared, path []string) []string {
	for c.ownPath != nil && len(path) > 0 && c.ownPath(p, path[0]) {
		path = path[1:]
	}
	return path
}

// Going on with a conversation repeats it as it was and adds the new prompt, nothing else.
func TestC256_ResumeAddsNothing(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("first-answer"), upstream.Say("second-answer"))
		g := s.open()
		session := g.session("resume", core.Desktop)
		first := g.prepare(session)
		thread, err := c.thread(g.run(first, c.turn("first-prompt")...).Stdout)
		if err != nil {
			t.Fatal(err)
		}
		tree := s.take(first.Dir)
		again := g.prepare(session)
		s.unchanged("preparing again changed the session", tree, s.take(first.Dir))
		g.run(again, c.resume(thread, "second-prompt")...)

		turns := s.turns(2)
		before, err1 := turns[0].Items()
		after, err2 := turns[1].Items()
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		// The answer and the prompt are new, and what the client says itself.
		if len(after) != len(before)+2+c.reminders {
			t.Fatalf("the resumed conversation has %d items after %d", len(after), len(before))
		}
		if diff := cmp.Diff(before, after[:len(before)]); diff != "" {
			t.Errorf("the beginning of the conversation changed:\n%s", diff)
		}
		g.oursOnce(again, turns[1])
		s.counts(s.text(turns[1]), map[string]int{
			userInstructions: 1, userSkill: 1, "first-prompt": 1, "first-answer": 1, "second-prompt": 1,
		})
	})
}

// Sessions of one kind cost one call of the adapter, and run side by side in one project.
func TestC256_SecondSessionOfAKindCostsNoCall(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("one"), upstream.Say("two"))
		if c.name == "opencode" {
			// It makes its database when it first starts, and of two that do so at once one can fail, without us as well.
			if r := rig.Run(s.plain("session", "list"), patience); r.Err != nil {
				t.Fatalf("%v: %s", r.Err, tail(r.Stderr))
			}
		}
		g := s.open()
		home := s.take(s.home)
		one, two := g.session("one", core.Desktop), g.session("two", core.Desktop)
		first := g.prepare(one)
		calls := g.host.AdapterCalls(c.name)
		second := g.prepare(two)
		if now := g.host.AdapterCalls(c.name); calls != 1 || now != calls {
			t.Errorf("the adapter was called %d times for the first session and %d times for both", calls, now)
		}
		if first.Dir == second.Dir {
			t.Fatal("two sessions share a directory")
		}

		side := make(chan error, 1)
		go func() {
			cmd, err := first.Command(context.Background(), g.environ, c.turn("prompt-one")...)
			if err == nil {
				err = c.failed(rig.Run(cmd, patience))
			}
			side <- err
		}()
		g.run(second, c.turn("prompt-two")...)
		if err := <-side; err != nil {
			t.Fatal(err)
		}
		for _, turn := range s.turns(2) {
			g.oursOnce(first, turn)
		}
		g.cleanup(one)
		if after := g.prepare(two); len(after.Skills) != len(second.Skills) {
			t.Errorf("cleaning up a session changed another: %v", after.Skills)
		}
		g.cleanup(two)
		g.nothingLeft()
		s.unchanged("the home", home, s.take(s.home), c.ownState()...)
	})
}

// Clean-up waits for nothing and destroys nothing while the client runs.
func TestC256_RunningSessionIsKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c client) {
		s := newStage(t, c, upstream.Say("done"))
		g := s.open()
		session := g.session("held", core.Desktop)
		p := g.prepare(session)
		lease, err := g.host.Hold(context.Background(), session.Ref())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := g.host.Cleanup(context.Background(), session.Ref(), core.CleanupOptions{}); err == nil {
			t.Error("a session was cleaned up while it was held")
		}
		g.run(p, c.turn("hello")...)
		g.oursOnce(p, s.turns(1)[0])
		if _, err := lease.Release(context.Background()); err != nil {
			t.Fatal(err)
		}
		g.cleanup(session)
		g.nothingLeft()
	})
}
