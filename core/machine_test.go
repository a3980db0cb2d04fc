package core

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// A session says that the machine has settings for its client, and asks no adapter about it again when they come and go.
func TestH33_SessionSaysThatTheMachineHasSettings(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	root := t.TempDir()
	h := s.open(func(c *Config) { c.MachineRoot = root }, prop{provider: "prop", describe: func(d *preparer.Descriptor) {
		d.MachineSettings = []string{"/etc/prop", "C:/ProgramData/prop"}
	}})
	laid := filepath.Join(root, "etc", "prop")
	for i, there := range []bool{false, true, false} {
		err := os.RemoveAll(laid)
		if there {
			err = os.MkdirAll(laid, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		p, err := h.Prepare(t.Context(), s.session("machine"))
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool { return d.Code == "machine_settings" })
		if said != there {
			t.Errorf("preparation %d: settings are there: %v, the session says so: %v", i, there, said)
		}
	}
	if n := h.AdapterCalls("prop"); n != 1 {
		t.Errorf("the adapter was called %d times", n)
	}
}
