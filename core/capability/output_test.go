package capability_test

import (
	"strings"
	"testing"
)

// outputObligations are what an agent has to be told of a program that shortens output: when, when not, how to get the
// whole, what to do without it, and that it opens nothing.
var outputObligations = []obligation{
	says("what it is", "`rtk` is on `PATH`", "runs a command and gives you its output"),
	says("prefix", "Put `rtk` in front of commands with long output", "`rtk git diff`"),
	says("not twice", "begins with `rtk` already", "leave it so"),
	says("not in pipes", "pipe, redirect or parse", "here-documents"),
	says("unknown commands", "does not know runs as it is"),
	says("exit code", "exit code is the command's own"),
	says("whole output", "`rtk proxy` and the command once"),
	says("missing", "missing or fails, run the command plainly", "Do not install it"),
	says("savings", "`rtk gain`", "only when the person asks"),
	says("no right", "not allowed with `rtk` either"),
}

// A session with rtk is told of it before everything else, in both documents, and no other text names it.
func TestC303_ShortOutputIsToldFirst(t *testing.T) {
	t.Parallel()
	for name, d := range shapes() {
		r := full(t, d)
		if strings.Contains(tell(t, r).all(), "rtk") {
			t.Errorf("%s: a session without it is told of it", name)
		}
		r.RTK = true
		o := tell(t, r)
		for what, text := range map[string]string{"document": o.document, "bundle": o.bundle} {
			if missing := unmet(text, outputObligations); missing != nil {
				t.Errorf("%s: the %s does not say %q", name, what, missing)
			}
			if !strings.HasPrefix(text, "# Short output\n") {
				t.Errorf("%s: the %s begins with %.40q", name, what, text)
			}
			headings(t, what, text)
		}
	}
}
