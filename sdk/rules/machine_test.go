package rules_test

import (
	"strings"
	"testing"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// Outside of what is the user's a descriptor names few places, each of which a person can read.
func TestMachineSettingsAreCleanAbsolutePaths(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		paths []string
		ok    bool
	}{
		"none":       {nil, true},
		"systems":    {[]string{"/etc/tool", "/Library/Application Support/Tool", "C:/Program Files/Tool"}, true},
		"relative":   {[]string{"etc/tool"}, false},
		"the root":   {[]string{"/"}, false},
		"up":         {[]string{"/etc/../home"}, false},
		"unclean":    {[]string{"/etc//tool"}, false},
		"backslash":  {[]string{`C:\tool`}, false},
		"share":      {[]string{"//server/tool"}, false},
		"unreadable": {[]string{"/etc/tool\n"}, false},
		"too many":   {strings.Split(strings.Repeat("/etc/tool ", 8)+"/etc/tool", " "), false},
	} {
		found := rules.CheckDescriptor(actor(func(d *p.Descriptor) { d.MachineSettings = c.paths }))
		if (len(found) == 0) != c.ok {
			t.Errorf("%s: %v", name, found)
		}
	}
}
