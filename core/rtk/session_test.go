package rtk

import (
	"strings"
	"testing"
)

// Everything is named below the session, in the way of the system that the session is on.
func TestC301_C311_PathsAreThoseOfTheSystem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		dir, reference, data string
		windows              bool
	}{
		{"/home/dev/state/s/one", "@/home/dev/state/s/one/rtk/RTK.md\n", "/home/dev/state/s/one/rtk/data/usage.db", false},
		{`C:\Users\Some One\state\s\one`, `@C:\Users\Some One\state\s\one\rtk\RTK.md` + "\n", `C:\Users\Some One\state\s\one\rtk\data\usage.db`, true},
		{`\\server\share\s\one`, `@\\server\share\s\one\rtk\RTK.md` + "\n", `\\server\share\s\one\rtk\data\usage.db`, true},
	} {
		if got := Reference(c.dir, c.windows); got != c.reference {
			t.Errorf("the reference is %q, want %q", got, c.reference)
		}
		for _, v := range Environ(c.dir, c.windows) {
			if v.Name == "RTK_DB_PATH" && v.Value != c.data {
				t.Errorf("%s is %q, want %q", v.Name, v.Value, c.data)
			}
			if v.Value != "1" && (!strings.HasPrefix(v.Value, c.dir) || c.windows && strings.Contains(v.Value, "/")) {
				t.Errorf("%s is %q, in a session at %q", v.Name, v.Value, c.dir)
			}
		}
		if name := File(c.windows); strings.HasSuffix(name, ".exe") != c.windows {
			t.Errorf("the program is %q", name)
		}
	}
}
