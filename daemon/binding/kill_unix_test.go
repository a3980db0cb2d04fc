//go:build unix

package binding_test

import (
	"bufio"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/binding"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway"
)

// Variables that make the test binary a host that drives one session, and says where it is.
const (
	swapStep = "GREENROOM_TEST_SWAP"     // the step at which it stops for ever, or "none"
	swapDir  = "GREENROOM_TEST_SWAP_DIR" // where everything lies
)

// steps are those of a swap between two turns, in their order, and whether the session is then bound to the newer revision.
// Within the preparation, which core carries out, it is ended at moments that lie ever later.
var steps = []struct {
	name   string
	stored bool
}{{"opened", false}, {"preparing", false}, {"prepared", false}, {"stored", true}, {"committed", true}, {"admitted", true}}

// stops ends a host's way at one step, once the first turn is over.
type stops struct {
	*core.Host
	at    string
	armed bool
}

func (s *stops) reach(step string) {
	if !s.armed || s.at != step {
		return
	}
	fmt.Println("at", step)
	if step != "preparing" {
		select {}
	}
}

func (s *stops) Prepare(ctx context.Context, of core.Session) (*core.Prepared, error) {
	s.reach("opened")
	s.reach("preparing")
	p, err := s.Host.Prepare(ctx, of)
	s.reach("prepared")
	return p, err
}

// Observe and Handle hear what the binder does between the steps that go through the host.
func (s *stops) Observe(e gateway.Event) {
	if e.Kind == gateway.EventCommitted {
		s.reach("committed")
	}
}

func (s *stops) Enabled(context.Context, slog.Level) bool { return true }
func (s *stops) WithAttrs([]slog.Attr) slog.Handler       { return s }
func (s *stops) WithGroup(string) slog.Handler            { return s }
func (s *stops) Handle(_ context.Context, r slog.Record) error {
	if r.Message == "a session is bound" {
		s.reach("stored")
	}
	return nil
}

func swapEnviron(dir string) []string {
	return []string{"HOME=" + filepath.Join(dir, "home"), "PATH=" + filepath.Join(dir, "bin") + ":/usr/bin:/bin"}
}

func swapHost(dir string) (*core.Host, error) {
	return core.New(context.Background(), core.Config{
		StateDir: filepath.Join(dir, "state"), Home: filepath.Join(dir, "home"), Environ: swapEnviron(dir), Commands: command.Fixed(), Timeout: 2 * time.Minute,
		Adapters: []adapter.Source{{InProcess: launchtest.Adapter{Endpoints: true}}},
	})
}

func swapAccess(dir string) (*access.Access, error) {
	return access.Open(context.Background(), access.Config{Dir: filepath.Join(dir, "data"), Now: time.Now, Random: rand.Reader})
}

// swap drives a session on the one plan there is: a turn for each line of its input. It says the token and the base URL that
// the agent has in it.
func swap(dir, at string) {
	ctx := context.Background()
	check := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
	}
	a, err := swapAccess(dir)
	check(err)
	plans, err := a.Plans(ctx, "w")
	check(err)
	h, err := swapHost(dir)
	check(err)
	s := &stops{Host: h, at: at}
	b, err := binding.New(binding.Config{Access: a, Host: s, Observer: s, Logger: slog.New(s), Now: time.Now, Random: rand.Reader})
	check(err)
	x, err := b.Begin(ctx, binding.Request{
		Workspace: "w", Plan: plans[0].ID,
		Session: core.Session{Workspace: "dir", ID: "s1", Provider: launchtest.Provider, Cwd: filepath.Join(dir, "project")},
	})
	check(err)
	c, err := launch.Open(ctx, x.Prepared(), launch.Options{
		Host: h, Environ: swapEnviron(dir), StartTimeout: 5 * time.Minute,
		Admit: func(ctx context.Context, running *core.Prepared) (*core.Prepared, error) {
			next, err := x.Admit(ctx, running)
			if next != nil {
				s.reach("admitted")
			}
			return next, err
		},
	})
	check(err)
	info, err := h.Session(ctx, x.Prepared().Ref)
	check(err)
	if info.Conversation != "" {
		_, err = c.Resume(ctx, info.Conversation)
	} else {
		_, err = c.NewSession(ctx)
	}
	check(err)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); s.armed = true {
		said := ""
		for e := range c.Prompt(ctx, launch.Block{Text: "env " + launchtest.KeyVar + "\nsay |\nenv " + launchtest.URLVar}) {
			if e.Kind == launch.Error {
				check(e.Err)
			}
			if e.Kind == launch.Text {
				said += e.Text
			}
		}
		fmt.Println("said", said)
	}
	check(c.Close())
	check(x.End(ctx))
	os.Exit(0)
}

// swapping is such a process.
type swapping struct {
	t   *testing.T
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Scanner
	err strings.Builder
}

func startSwapping(t *testing.T, dir, step string) *swapping {
	t.Helper()
	s := &swapping{t: t, cmd: exec.Command(os.Args[0])}
	s.cmd.Env = append(os.Environ(), swapStep+"="+step, swapDir+"="+dir)
	s.cmd.Stderr = &s.err
	out, err := s.cmd.StdoutPipe()
	if err == nil {
		s.in, err = s.cmd.StdinPipe()
	}
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.cmd.ProcessState == nil {
			_ = s.cmd.Process.Kill()
			_ = s.cmd.Wait()
		}
	})
	s.out = bufio.NewScanner(out)
	return s
}

// turn begins a turn, and gives the next thing that is said.
func (s *swapping) turn() string {
	s.t.Helper()
	if _, err := io.WriteString(s.in, "go\n"); err != nil {
		s.t.Fatal(err)
	}
	if !s.out.Scan() {
		_ = s.cmd.Wait()
		s.t.Fatalf("it has ended: %s", s.err.String())
	}
	return s.out.Text()
}

// told is what the client has been told of the endpoint, from what was said of a turn.
func told(t *testing.T, said string) core.Session {
	t.Helper()
	token, url, both := strings.Cut(strings.TrimPrefix(said, "said "), "|")
	if !both || len(token) != 43 {
		t.Fatalf("the turn said %q", said)
	}
	return core.Session{Endpoint: &modelendpoint.Endpoint{BaseURL: url, Key: modelendpoint.NewKey(token)}}
}

// A host is killed at each step of the swap between two turns. The session is then bound to the old revision or to the new
// one, whose key is there, and its files are those of one of them; the next host goes on with its conversation on the new one.
func TestP13_KilledAtEachStepOfASwap(t *testing.T) {
	t.Parallel()
	for _, step := range steps {
		delays := []time.Duration{0}
		if step.name == "preparing" {
			delays = []time.Duration{0, time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond}
		}
		for _, after := range delays {
			t.Run(step.name+"/"+after.String(), func(t *testing.T) {
				t.Parallel()
				killed(t, step.name, step.stored, after)
			})
		}
	}
}

func killed(t *testing.T, step string, stored bool, after time.Duration) {
	s := newScene(t, throughGateway)
	dir := t.TempDir()
	for _, made := range []string{"home", "project"} {
		if err := os.MkdirAll(filepath.Join(dir, made), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(launchtest.Install(t), filepath.Join(dir, "bin")); err != nil {
		t.Fatal(err)
	}
	a, err := swapAccess(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	s.access = a
	p := s.plan()
	first := startSwapping(t, dir, step)
	before := told(t, first.turn())
	if s.ask(before, "m-a") != 200 || s.sent() != firstKey {
		t.Error("the first turn has not the first key")
	}
	s.edit(p, secondKey, func(s *plan.Spec) { s.Models = s.Models[1:] })
	if got := first.turn(); got != "at "+step {
		t.Fatalf("it is not where it was to be: %s", got)
	}
	time.Sleep(after)
	if err := first.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.cmd.Wait()

	snap, err := a.Session(t.Context(), "w", "dir/s1")
	if err != nil {
		t.Fatal(err)
	}
	want := int64(1)
	if stored {
		want = 2
	}
	if step == "preparing" {
		want = snap.Revision // either: it goes on when it is not killed at once
	}
	model := map[int64]string{1: "m-a", 2: "m-b"}[snap.Revision]
	if snap.Revision != want || snap.Generation != snap.Revision || snap.Model != model || model == "" {
		t.Errorf("it is bound to %+v", snap)
	}
	if _, k, err := a.PlanAt(t.Context(), "w", p.ID, snap.Revision); err != nil || k.Reveal() != map[int64]string{1: firstKey, 2: secondKey}[snap.Revision] {
		t.Errorf("the key of what it is bound to: %v", err)
	}
	h, err := swapHost(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Recover(t.Context()); err != nil {
		t.Error(err)
	}
	info, err := h.Session(t.Context(), core.Ref{Workspace: "dir", ID: "s1"})
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(filepath.Join(info.Dir, launchtest.ModelFile)); err != nil || string(text) != "m-a\n" && string(text) != "m-b\n" {
		t.Errorf("its file is %q, %v", text, err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}

	second := startSwapping(t, dir, "none")
	now := told(t, second.turn())
	if now.Endpoint.Key == before.Endpoint.Key {
		t.Error("it goes on with the token of a host that is gone")
	}
	if s.ask(now, "m-b") != 200 || s.sent() != secondKey {
		t.Error("the next host has not the second key")
	}
	if text, err := os.ReadFile(filepath.Join(info.Dir, launchtest.ModelFile)); err != nil || string(text) != "m-b\n" {
		t.Errorf("its file is %q, %v", text, err)
	}
	if snap, err = a.Session(t.Context(), "w", "dir/s1"); err != nil || snap.Revision != 2 || snap.Model != "m-b" {
		t.Errorf("it is bound to %+v, %v", snap, err)
	}
	if _, k, err := a.PlanAt(t.Context(), "w", p.ID, 1); err != nil || !k.IsZero() {
		t.Errorf("the key that no session has is kept: %v", err)
	}
	if err := second.in.Close(); err != nil {
		t.Error(err)
	}
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("%v: %s", err, second.err.String())
	}
	if all, err := a.Sessions(t.Context(), "w"); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}
