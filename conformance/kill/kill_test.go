//go:build unix

package kill

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// childVar tells the test binary to be a host that ends itself at one call.
const childVar = "GREENROOM_KILL_CHILD"

// order is what a child does.
type order struct {
	Stage stage
	Ops   []string
	At    int64 // the call in front of which it ends itself, 0 for none
	Log   string
}

func TestMain(m *testing.M) {
	if v := os.Getenv(childVar); v != "" {
		os.Exit(child(v))
	}
	os.Exit(m.Run())
}

// child does its order. It prints how many calls changed the disk.
func child(v string) int {
	var o order
	if err := json.Unmarshal([]byte(v), &o); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	var count int64
	h, err := o.Stage.host(context.Background(), func(n int64, call, path string) error {
		if n == o.At {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
		count = n
		return nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	for _, op := range o.Ops {
		if err := o.Stage.act(context.Background(), h, op); err != nil {
			fmt.Fprintln(os.Stderr, op, err)
			return 3
		}
	}
	fmt.Println(count)
	return 0
}

// run starts a child and says whether it lived, and how many changes it made.
func run(t testing.TB, o order) (lived bool, count int64) {
	t.Helper()
	spec, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+string(spec))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil {
		count, err = strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return true, count
	}
	if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() && status.Signal() == syscall.SIGKILL && ctx.Err() == nil {
		return false, 0
	}
	t.Fatalf("child: %v\n%s", err, stderr.String())
	return false, 0
}

// scenario is what stands before the child, and what it does.
type scenario struct {
	name string
	// setup does in this process what comes before.
	setup []string
	ops   []string
	// killed is an earlier child that ended itself at its call.
	killed *order
}

var scenarios = []scenario{
	{name: "fresh", ops: []string{"prepare"}},
	{name: "again", setup: []string{"otherwise"}, ops: []string{"prepare"}},
	{name: "cleanup", setup: []string{"prepare"}, ops: []string{"cleanup"}},
	{name: "run", setup: []string{"prepare"}, ops: []string{"run"}},
	{name: "recover-fresh", killed: &order{Ops: []string{"prepare"}, At: -1}, ops: []string{"recover"}},
	{name: "recover-again", setup: []string{"otherwise"}, killed: &order{Ops: []string{"prepare"}, At: -1}, ops: []string{"recover"}},
	{name: "recover-cleanup", setup: []string{"prepare"}, killed: &order{Ops: []string{"cleanup"}, At: -2}, ops: []string{"recover"}},
}

// build makes the stage of a scenario.
func (sc scenario) build(t testing.TB, provider string, at int64) stage {
	t.Helper()
	s := stage{Dir: t.TempDir(), Provider: provider}
	if err := s.furnish(); err != nil {
		t.Fatal(err)
	}
	h, err := s.host(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, op := range sc.setup {
		if err := s.act(t.Context(), h, op); err != nil {
			t.Fatal(op, err)
		}
	}
	if sc.killed != nil {
		o := *sc.killed
		o.Stage, o.At = s, at
		if lived, _ := run(t, o); lived {
			t.Fatal("the first child was to be killed, and lived")
		}
	}
	return s
}

// last is how many changes the killed child of a scenario would make, so that it can be ended near the end.
func (sc scenario) last(t testing.TB, provider string) int64 {
	t.Helper()
	if sc.killed == nil {
		return 0
	}
	plain := sc
	plain.killed = nil
	s := plain.build(t, provider, 0)
	_, count := run(t, order{Stage: s, Ops: sc.killed.Ops})
	return max(count+1+sc.killed.At, 1)
}

// then is what a host does that finds what the killed one left.
var then = [][]string{
	{"recover", "recover", "prepare", "cleanup"},
	{"prepare", "cleanup"},
	{"cleanup"},
}

// TestC143_KillAtEveryChange is I1 to I13 of the layout engine under a kill at each call n = 1, 2, ... until a run
// survives. C021, C022, C023, C133, C137, C138, C142 and C111 follow from it.
func TestC143_KillAtEveryChange(t *testing.T) {
	t.Parallel()
	for i, provider := range providers {
		// A short run looks at every third call, and with three clients at different ones.
		first, stride := int64(1), int64(1)
		if testing.Short() {
			first, stride = int64(1+i), 3
		}
		for _, sc := range scenarios {
			t.Run(provider+"/"+sc.name, func(t *testing.T) {
				t.Parallel()
				at := sc.last(t, provider)
				counter := sc.build(t, provider, at)
				_, want := run(t, order{Stage: counter, Ops: sc.ops})
				kills := int64(0)
				for n := first; ; n += stride {
					s := sc.build(t, provider, at)
					clean := s.clean(t)
					lived, count := run(t, order{Stage: s, Ops: sc.ops, At: n})
					s.afterKill(t, clean, n)
					for i, ops := range then {
						if !testing.Short() || int(n/stride)%len(then) == i {
							s.again(t).goOn(t, clean, fmt.Sprintf("n=%d then %v", n, ops), ops)
						}
					}
					os.RemoveAll(s.Dir)
					if lived {
						if count != want {
							t.Errorf("the survivor made %d changes, an undisturbed run %d", count, want)
						}
						break
					}
					kills = n
				}
				if kills != want && stride == 1 {
					t.Errorf("killed at %d calls, and an undisturbed run makes %d", kills, want)
				}
				t.Logf("%d kills", kills)
			})
		}
	}
}

// cleanly is what the user's files are when nobody prepares anything.
type cleanly struct{ home, work map[string]string }

// clean is the state of the user's files that clean-up has to come back to: what they are now, with the workspace as
// it was furnished.
func (s stage) clean(t testing.TB) cleanly {
	t.Helper()
	dir, err := os.MkdirTemp(filepath.Dir(s.Dir), "bare")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	bare := stage{Dir: dir, Provider: s.Provider}
	if err := bare.furnish(); err != nil {
		t.Fatal(err)
	}
	return cleanly{home: s.hashes(t, "home"), work: bare.hashes(t, "work")}
}

// same compares the user's files. The login may have been brought home by the run.
func (c cleanly) same(t testing.TB, s stage, what string) {
	t.Helper()
	home := s.hashes(t, "home")
	if data, err := os.ReadFile(s.path("home/.codex/auth.json")); err != nil || string(data) != loginR1 && string(data) != loginR2 {
		t.Errorf("%s: the user's login is neither the old nor the new one", what)
	} else {
		home["home/.codex/auth.json"] = c.home["home/.codex/auth.json"]
	}
	for _, name := range temporary(home) {
		if strings.HasPrefix(name, "home/.codex/.greenroom-") && what != "at the end" {
			delete(home, name) // beside the login, until it is settled
		}
	}
	if diff := cmp.Diff(c.home, home); diff != "" {
		t.Errorf("%s: the user's home changed (-before +after):\n%s", what, diff)
	}
}

// afterKill checks what must hold at any moment: no byte of the user's is changed that no record tells of.
func (s stage) afterKill(t testing.TB, c cleanly, n int64) {
	t.Helper()
	c.same(t, s, fmt.Sprintf("I1 after a kill at %d", n))
	work := s.hashes(t, "work")
	if cmp.Equal(c.work, work) {
		return
	}
	records := 0
	for _, name := range s.left(t) {
		if strings.HasPrefix(name, "m/") || strings.HasPrefix(name, "w/") {
			records++
		}
	}
	if records == 0 {
		t.Errorf("I1 after a kill at %d: the workspace changed without a record:\n%s", n, cmp.Diff(c.work, work))
	}
}

// goOn is what the next host does.
func (s stage) goOn(t testing.TB, c cleanly, what string, ops []string) {
	t.Helper()
	h, err := s.host(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	var recovered map[string]string
	for _, op := range ops {
		if err := s.act(t.Context(), h, op); err != nil {
			t.Errorf("%s: %s: %v", what, op, err)
			return
		}
		switch op {
		case "recover":
			now := s.hashes(t, ".")
			if recovered != nil && !cmp.Equal(recovered, now) {
				t.Errorf("I12 %s: a second recovery changed something:\n%s", what, cmp.Diff(recovered, now))
			}
			recovered = now
			if bad := temporary(now); len(bad) > 0 {
				t.Errorf("%s: temporary names are left after recovery: %v", what, bad)
			}
			info, err := h.Session(t.Context(), s.session("one").Ref())
			if err == nil && info.State != "ready" && info.State != "incomplete" {
				t.Errorf("%s: the session is %s after recovery", what, info.State)
			}
		case "prepare":
			if info, err := h.Session(t.Context(), s.session("one").Ref()); err != nil || info.State != "ready" {
				t.Errorf("%s: the session is %s after preparing: %v", what, info.State, err)
			}
		}
	}
	if left := s.left(t); len(left) > 0 {
		t.Errorf("%s: left after clean-up: %v", what, left)
	}
	c.same(t, s, "at the end")
	if diff := cmp.Diff(c.work, s.hashes(t, "work")); diff != "" {
		t.Errorf("I5 %s: the workspace is not as it was (-before +after):\n%s", what, diff)
	}
	os.RemoveAll(s.Dir)
}

// again makes the stage what it was when again was first called. Records hold absolute paths, so it stays at its path, and
// a copy beside it is kept.
func (s stage) again(t testing.TB) stage {
	t.Helper()
	keep := s.Dir + ".keep"
	if _, err := os.Stat(keep); err != nil {
		clone(t, s.Dir, keep)
		t.Cleanup(func() { os.RemoveAll(keep) })
		return s
	}
	os.RemoveAll(s.Dir)
	clone(t, keep, s.Dir)
	return s
}

func clone(t testing.TB, from, to string) {
	t.Helper()
	if out, err := exec.Command("cp", "-a", from, to).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v %s", err, out)
	}
}

// TestC143_KillAtRandomMoments ends a host that works on several sessions at random moments.
func TestC143_KillAtRandomMoments(t *testing.T) {
	t.Parallel()
	rounds := 300
	if testing.Short() {
		rounds = 12
	}
	randomKills(t, func(kills int) bool { return kills < rounds })
}

// TestSoak_RandomKills goes on for the time that GREENROOM_SOAK says.
func TestSoak_RandomKills(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("GREENROOM_SOAK"))
	if err != nil {
		t.Skip("GREENROOM_SOAK does not say how long")
	}
	end := time.Now().Add(long)
	randomKills(t, func(int) bool { return time.Now().Before(end) })
}

// randomKills ends hosts for as long as more says so. Every stage is removed again.
func randomKills(t *testing.T, more func(kills int) bool) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	dir, kills := t.TempDir(), 0
	for i := 0; more(kills); i++ {
		s := stage{Dir: filepath.Join(dir, strconv.Itoa(i)), Provider: providers[i%len(providers)]}
		if err := s.furnish(); err != nil {
			t.Fatal(err)
		}
		clean := s.clean(t)
		var ops []string
		for range 40 {
			ops = append(ops, "prepare", "run", "cleanup")
		}
		spec, err := json.Marshal(order{Stage: s, Ops: ops})
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), childVar+"="+string(spec))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(r.Int64N(int64(120 * time.Millisecond))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if _, err := os.Stat(s.path("state")); err != nil {
			continue // ended before it began
		}
		kills++
		s.afterKill(t, clean, -1)
		s.goOn(t, clean, fmt.Sprintf("random kill %d", i), then[i%len(then)])
	}
	t.Logf("%d kills", kills)
	if kills == 0 {
		t.Error("no host was killed in time")
	}
}
