package cli

import (
	"testing"

	"github.com/greenroom-agents/greenroom/core/launch"
)

func TestChangesInALine(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]launch.Change{
		"after its restart mode is auto, and was plan":                  {What: launch.OptionChange, Name: "mode", Was: "plan", Is: "auto"},
		"after its restart the client has no tool Bash":                 {What: launch.ToolChange, Name: "Bash", Was: "present"},
		"after its restart the client has tool PowerShell too":          {What: launch.ToolChange, Name: "PowerShell", Is: "present"},
		"after its restart MCP server crm is failed, and was connected": {What: launch.ServerChange, Name: "crm", Was: "connected", Is: "failed"},
	} {
		if got := changeText(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
