package room_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/examples/embed/room"
	"github.com/greenroom-agents/greenroom/providers/codex"
)

func bundle(t *testing.T, commands ...command.Command) *core.SkillBundle {
	t.Helper()
	dir := t.TempDir()
	h, err := core.New(context.Background(), core.Config{
		StateDir: dir + "/state", Home: dir, Profile: room.Profile(), Commands: command.Fixed(commands...),
		Adapters: []adapter.Source{{InProcess: codex.Adapter{}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	b, err := h.RenderSkillBundle(t.Context(), core.BundleRequest{
		AgentTarget: "any", Session: core.Session{Workspace: "room", Provider: "codex", BrowserUse: true, ComputerUse: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func names(b *core.SkillBundle) (list []string) {
	for _, s := range b.Skills {
		list = append(list, s.Slug)
	}
	return list
}

func TestC042_RoomIsNoDesktop(t *testing.T) {
	t.Parallel()
	b := bundle(t)
	want := []string{"parlour-cli", "parlour-handoff", "parlour-model-allocation", "issue-manager", "workspace-app", "reference"}
	if got := names(b); !slices.Equal(got, want) {
		t.Errorf("skills are %v", got)
	}
	prompt := b.RecommendedSystemPrompt.Content
	if !strings.HasPrefix(prompt, "# Parlour session\n\nParlour runs you in a machine of its own") || strings.Contains(prompt, "utti") || strings.Contains(prompt, "around you") {
		t.Errorf("it is told\n%s", prompt)
	}
	if b.CLICommand != "parlour" {
		t.Errorf("its tool is %s", b.CLICommand)
	}
}

func TestC040_MinutesAreWholeOrNot(t *testing.T) {
	t.Parallel()
	b := bundle(t, command.Command{ID: "minutes.add", Path: []string{"minutes", "add"}, Summary: "Note a decision"})
	if !slices.Contains(names(b), "parlour-minutes") || !strings.Contains(b.RecommendedSystemPrompt.Content, "note it: `parlour minutes add`. How: `parlour-minutes`.") {
		t.Errorf("it is told\n%s", b.RecommendedSystemPrompt.Content)
	}
	if b := bundle(t); strings.Contains(b.RecommendedSystemPrompt.Content, "minutes") {
		t.Error("without the command something of it is left")
	}
}
