package conformance_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
)

// Package launch drives the real app server: three turns, a command that is asked for and denied and allowed, one that is
// cancelled, another model, and the conversation in another process.
func TestH71_CodexIsDrivenOverTheAppserver(t *testing.T) {
	t.Parallel()
	run := func(command string) upstream.Step {
		return upstream.Use("exec_command", map[string]any{"cmd": command, "yield_time_ms": 30000,
			"sandbox_permissions": "require_escalated", "justification": "a case needs it"})
	}
	s := newStage(t, codex,
		upstream.Say("hello back"),
		run("touch denied-51c2"), upstream.Say("it was denied"),
		run("touch allowed-51c2"), upstream.Say("it was allowed"),
		run("touch begun-51c2; sleep 300"),
		upstream.Say("after the cancellation"), upstream.Say("once more"))
	rig.Write(s, s.inHome(".codex/config.toml"), "approval_policy = \"on-request\"\nsandbox_mode = \"workspace-write\"\n"+codexConfig(s))
	g := s.open()
	session := g.session("driven", core.Desktop)
	answer := launch.Deny
	policy := func(_ context.Context, r launch.Request) launch.Answer {
		if r.Tool.Kind != "execute" || r.Tool.Title == "" {
			t.Errorf("asked for %+v", r.Tool)
		}
		return answer
	}
	c, err := g.launchTutti(g.prepare(session), func(o *launch.Options) { o.Policy = policy })
	if err != nil {
		t.Fatal(err)
	}
	talk, err := c.NewSession(t.Context())
	if err != nil || talk.Model != "scripted-model" {
		t.Fatal(talk, err)
	}
	text := ""
	for _, e := range g.say(c, "hello") {
		text += e.Text
	}
	if text != "hello back" {
		t.Errorf("the answer is %q", text)
	}
	made := func(name string) bool { _, err := os.Stat(filepath.Join(g.cwd, name)); return err == nil }
	for _, a := range []launch.Answer{launch.Deny, launch.AllowOnce} {
		answer = a
		var kinds []launch.EventKind
		for _, e := range g.say(c, "do it") {
			kinds = append(kinds, e.Kind)
		}
		for _, want := range []launch.EventKind{launch.PermissionRequest, launch.ToolEnd, launch.Text} {
			if !slices.Contains(kinds, want) {
				t.Errorf("answer %q: there is no %s in %v", a, want, kinds)
			}
		}
	}
	if made("denied-51c2") || !made("allowed-51c2") {
		t.Errorf("denied and made %v, allowed and made %v", made("denied-51c2"), made("allowed-51c2"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	go func() {
		for !made("begun-51c2") && ctx.Err() == nil {
			time.Sleep(20 * time.Millisecond)
		}
		c.Cancel()
	}()
	events := slices.Collect(c.Prompt(ctx, launch.Block{Text: "take your time"}))
	if end := events[len(events)-1]; end.Kind != launch.End || end.Reason != launch.Cancelled || ctx.Err() != nil {
		t.Errorf("the cancelled turn ended with %+v %v", end, end.Err)
	}
	if err := c.SetModel(t.Context(), "another-model"); err != nil {
		t.Error(err)
	}
	g.say(c, "go on")
	g.hangUp(c)

	if c, err = g.launchTutti(g.prepare(session), func(o *launch.Options) { o.Policy = policy }); err != nil {
		t.Fatal(err)
	}
	if again, err := c.Resume(t.Context(), talk.ID); err != nil || again.ID != talk.ID || again.Replaced {
		t.Fatal(again, err)
	}
	g.say(c, "and in another process")
	g.hangUp(c)
	turns := g.turns(8)
	if got := string(turns[6].Body); !strings.Contains(got, `"model":"another-model"`) {
		t.Error("the other model was not asked")
	}
	g.counts(g.text(turns[7]), map[string]int{"take your time": 1, "after the cancellation": 1})
	g.cleanup(session)
	g.nothingLeft()
}
