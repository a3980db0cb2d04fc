package scaffold_test

import (
	"encoding/json"
	"testing"

	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/daemon/internal/scaffold"
)

func TestExtensionBreaksNoRule(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]string{{"zeta", "Zeta"}, {"my-agent.v2", `A "quoted" \ name`}, {"0x", "0x"}} {
		files, err := scaffold.Extension(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		content, err := extension.NewContent(files, nil)
		if err != nil {
			t.Fatal(err)
		}
		if found := content.Validate(); len(found) > 0 {
			t.Errorf("%s: %+v", c[0], found)
		}
		var m extension.Manifest
		if err := json.Unmarshal(files[extension.ManifestFile], &m); err != nil || m.AgentKey != c[0] || m.Name != c[1] {
			t.Errorf("%q %q, %v", m.AgentKey, m.Name, err)
		}
	}
}
