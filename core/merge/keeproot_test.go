package merge_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// A configuration of which only named tables may come along is cut at its root.
func TestKeepAtTheRoot(t *testing.T) {
	t.Parallel()
	bases := map[preparer.Format]string{
		preparer.TOML: "model = \"m\"\n\n[tui]\nnotifications = true\n\n[mcp_servers.docs]\ncommand = \"npx\"\n",
		preparer.JSON: `{"model": "m", "tui": {"notifications": true}, "mcp_servers": {"docs": {}}}`,
		preparer.YAML: "model: m\ntui:\n  notifications: true\nmcp_servers:\n  docs: {}\n",
	}
	for format, base := range bases {
		edits := []merge.Edit{{Op: preparer.OpKeep, Names: []string{"tui", "absent"}}}
		out, err := merge.Apply(format, []byte(base), edits, merge.Env{Label: "file"})
		if err != nil {
			t.Errorf("%s: %v", format, err)
			continue
		}
		got, err := merge.Parse(format, out, "file")
		if err != nil || len(got) != 1 || got["tui"] == nil {
			t.Errorf("%s: %v, %v, in\n%s", format, got, err, out)
		}
	}
}
