package core

import (
	"os"
	"os/exec"
	"testing"
)

// childDir is the directory that a test works in when it runs again in a process of its own, and whether it does.
func childDir() (string, bool) { return os.LookupEnv("GREENROOM_CORE_TEST_DIR") }

// child runs the test again in a process of its own, which ends with it.
func (s *stage) child() {
	s.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+s.t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), "GREENROOM_CORE_TEST_DIR="+s.dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("child: %v\n%s", err, out)
	}
}

// stageAt is the stage that the parent made, for its child.
func stageAt(t *testing.T, dir string, adapters ...prop) *stage {
	s := &stage{t: t, dir: dir, home: dir + "/home", cwd: dir + "/work", state: dir + "/state"}
	if len(adapters) == 0 {
		adapters = []prop{{provider: "prop"}}
	}
	s.host = s.open(nil, adapters[0])
	return s
}
