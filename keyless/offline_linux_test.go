package keyless_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/keyless"
)

// evidence is what a second process of this test looks at.
type evidence struct{ Root, Bundle, Other []byte }

const evidenceVariable = "GREENROOM_TEST_EVIDENCE"

// H54: a bundle is verified, and another refused, by a process that can open nothing: no connection, no socket to ask for
// a name, no file.
func TestH54_VerifyingABundleOpensNothing(t *testing.T) {
	if text, ok := os.LookupEnv(evidenceVariable); ok {
		judge(t, []byte(text))
		return
	}
	t.Parallel()
	s, now := newSigstore(t), time.Now()
	text, err := json.Marshal(evidence{Root: s.root(), Bundle: s.bundle(statement(t, now), now.Add(time.Minute), nil),
		Other: newSigstore(t).bundle(statement(t, now), now.Add(time.Minute), nil)})
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestH54_VerifyingABundleOpensNothing$", "-test.v")
	cmd.Env = []string{evidenceVariable + "=" + string(text)}
	out, err := cmd.CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("judged without a descriptor")) {
		t.Errorf("%v\n%s", err, out)
	}
}

// judge looks at the evidence after this process has lost the right to open anything.
func judge(t *testing.T, text []byte) {
	var e evidence
	if err := json.Unmarshal(text, &e); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{}); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", "127.0.0.1:9"); !errors.Is(err, syscall.EMFILE) {
		t.Fatalf("a connection can be tried: %v, %v", c, err)
	}
	v, err := keyless.New(e.Root)
	if err != nil {
		t.Fatal(err)
	}
	if a, err := v.VerifyBundle(e.Bundle); err != nil || a.Subject != subject {
		t.Errorf("the bundle gave %+v, %v", a, err)
	}
	if a, err := v.VerifyBundle(e.Other); err == nil || errors.Is(err, syscall.EMFILE) {
		t.Errorf("the bundle of another root gave %+v, %v", a, err)
	}
	t.Log("judged without a descriptor")
}
