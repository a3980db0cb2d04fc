package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
)

// newTroupe is a world with the fake agent, which can be driven.
func newTroupe(t *testing.T) *world {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the client of this test is a shell script")
	}
	w := newWorld(t)
	w.environ = append(w.environ, "GREENROOM_ADAPTERS="+filepath.Join(stage, "agents"),
		"PATH="+launchtest.Install(t)+string(filepath.ListSeparator)+"/usr/bin:/bin")
	return w
}

func (w *world) info(id string) core.Info {
	w.t.Helper()
	return decode[core.Info](w.t, w.must("sessions", "show", id, "--json"))
}

func TestAttachGoesOnWithTheLastConversation(t *testing.T) {
	t.Parallel()
	w := newTroupe(t)
	if got := w.must("prompt", launchtest.Provider, "--session", "one", "--keep", "all", "--inherit", "automation", "say hello"); got != "hello\n" {
		t.Errorf("the prompt gave %q", got)
	}
	before := w.info("one")
	if before.Conversation == "" || before.Running || before.State != "ready" {
		t.Fatalf("session %+v", before)
	}
	w.stdin = strings.NewReader("say a\n\nshow\n")
	got := w.must("sessions", "attach", "on") // the beginning of its id
	if !strings.HasPrefix(got, "a\n") || !strings.Contains(got, before.Conversation) {
		t.Errorf("attached: %q, want it in %s", got, before.Conversation)
	}
	after := w.info("one")
	if after.Conversation != before.Conversation || after.Generation != before.Generation {
		t.Errorf("afterwards the session is %+v", after)
	}
	w.stdin = strings.NewReader("say b\nsay c\n")
	var kinds []string
	for line := range strings.Lines(w.must("sessions", "attach", "one", "--new", "--json")) {
		var e struct {
			Kind, Text   string
			Conversation struct{ ID string }
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Kind == "begin" && e.Conversation.ID == before.Conversation {
			t.Error("--new goes on with the old conversation")
		}
		kinds = append(kinds, e.Kind+e.Text)
	}
	if got := strings.Join(kinds, " "); got != "begin textb end textc end" {
		t.Errorf("events %q", got)
	}
	// It answers with the status of the last turn.
	w.stdin = strings.NewReader("stop refusal\n")
	if got := w.run("sessions", "attach", "one"); got.status != 1 {
		t.Errorf("%+v", got)
	}
	w.stdin = strings.NewReader("die of age\nsay never\n")
	if got := w.run("sessions", "attach", "one", "--json"); got.status != 3 || !strings.Contains(got.errors, "client_ended") {
		t.Errorf("%+v", got)
	}
	w.must("cleanup", "one")
}

func TestAttachRefuses(t *testing.T) {
	t.Parallel()
	w := newTroupe(t)
	w.must("prepare", launchtest.Provider, "--session", "one")
	for _, c := range []struct {
		args   []string
		status int
		says   string
	}{
		{[]string{"attach"}, 2, "SESSION is missing"},
		{[]string{"attach", "two"}, 3, "[session_not_found]"},
		{[]string{"attach", "one", "--permission", "ask"}, 2, "needs a terminal"},
		{[]string{"attach", "one", "--new", "--resume", "x"}, 2, "exclude each other"},
		{[]string{"stop", "two"}, 3, "[session_not_found]"},
	} {
		if got := w.run(append([]string{"sessions"}, c.args...)...); got.status != c.status || !strings.Contains(got.errors, c.says) {
			t.Errorf("%v: %+v", c.args, got)
		}
	}
	// One that was prepared and never driven has no conversation yet.
	w.stdin = strings.NewReader("say first")
	if got := w.must("sessions", "attach", "one"); got != "first\n" {
		t.Errorf("got %q", got)
	}
}

// A client that another invocation drives can be stopped, and not attached to.
func TestStopEndsWhatRuns(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells what a client has started")
	}
	w := newTroupe(t)
	other := *w
	read, write := io.Pipe()
	defer write.Close()
	other.stdin = read
	w.must("prepare", launchtest.Provider, "--session", "one")
	over := make(chan answer, 1)
	go func() { over <- other.run("sessions", "attach", "one") }()
	if _, err := io.WriteString(write, "say a\nsleep 5m\n"); err != nil { // two turns
		t.Fatal(err)
	}
	for begin := time.Now(); !w.info("one").Running; time.Sleep(20 * time.Millisecond) {
		if time.Since(begin) > 30*time.Second {
			t.Fatal("it does not run")
		}
	}
	if got := w.run("sessions", "attach", "one"); got.status != 3 || !strings.Contains(got.errors, "[running]") || !strings.Contains(got.errors, "sessions stop one") {
		t.Errorf("attached to one that runs: %+v", got)
	}
	// It may be starting, or be started again for a turn that comes behind.
	ended, got := 0, answer{}
	for done := false; !done; {
		ended += decode[struct{ Clients int }](t, w.must("sessions", "stop", "one", "--json")).Clients
		select {
		case got = <-over:
			done = true
		case <-time.After(100 * time.Millisecond):
		}
	}
	if ended == 0 || got.status != 3 || !strings.Contains(got.errors, "ended") {
		t.Errorf("%d were ended, and who drove it has %+v", ended, got)
	}
	if i := w.info("one"); i.Running || i.State != "ready" {
		t.Errorf("the session is %+v", i)
	}
	if got := w.must("sessions", "stop", "one"); got != "Nothing runs in one.\n" {
		t.Errorf("stopped again: %q", got)
	}
	w.must("cleanup", "one")
}

// When nobody reads on, as behind head, the turn ends, and its session goes as it would have.
func TestAPromptThatNobodyReadsOnLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newTroupe(t)
	cmd := exec.Command(w.exe, "prompt", launchtest.Provider, "--inherit", "automation", "say first\nstamp 100000 10ms")
	cmd.Env, cmd.Dir = w.environ, w.project
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	if _, err := io.ReadFull(out, make([]byte, 5)); err != nil {
		t.Fatalf("%v, %s", err, errs.String())
	}
	if got := w.sessionDirs(); len(got) == 0 {
		t.Error("there is no session to be left")
	}
	if err := out.Close(); err != nil {
		t.Error(err)
	}
	_ = cmd.Wait()
	if status := cmd.ProcessState.ExitCode(); status != 128+13 || errs.String() != "greenroom: cancelled\n" {
		t.Errorf("status %d, %s", status, errs.String())
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}
