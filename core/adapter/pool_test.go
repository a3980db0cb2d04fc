package adapter_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// local is an adapter in this process.
type local struct {
	provider string
	prepare  func(context.Context, preparer.Request) (*preparer.Layout, error)
}

func (l local) Describe() preparer.Descriptor {
	return preparer.Descriptor{Provider: l.provider, Version: "1.0.0"}
}

func (l local) Prepare(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
	if l.prepare == nil {
		return &preparer.Layout{}, nil
	}
	return l.prepare(ctx, r)
}

func TestOneProcessIsStartedForOneProviderAndKept(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"), source("beta"))
	pids := map[string]bool{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			pid := notes(t, p, "alpha", "slow:"+strings.Repeat("0", i)+"1ms")["pid"][0]
			mu.Lock()
			defer mu.Unlock()
			pids[pid] = true
		})
	}
	all.Wait()
	if len(pids) != 1 {
		t.Errorf("%d processes answered", len(pids))
	}
	if got := p.Calls("alpha"); got != 16 {
		t.Errorf("%d calls, want 16", got)
	}
	if got := p.Calls("beta"); got != 0 {
		t.Errorf("%d calls of beta, want none", got)
	}
}

func TestCallsRunSideBySide(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	notes(t, p, "alpha", "pid")
	one := time.Now()
	notes(t, p, "alpha", "slow:1000ms")
	alone := time.Since(one)
	began := time.Now()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() { notes(t, p, "alpha", "slow:"+strings.Repeat("0", i+1)+"1000ms") })
	}
	all.Wait()
	if took := time.Since(began); took > 4*alone {
		t.Errorf("8 calls took %s, and one %s", took, alone)
	}
}

func TestSecondSessionOfAKindCostsNoCall(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]adapter.Source{
		"process":    source("alpha"),
		"in-process": {Provider: "alpha", InProcess: local{provider: "alpha"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pool(t, adapter.Config{}, s)
			ctx := context.Background()
			first, err := p.Prepare(ctx, "alpha", request("one"))
			if err != nil {
				t.Fatal(err)
			}
			second, err := p.Prepare(ctx, "alpha", request("one"))
			if err != nil {
				t.Fatal(err)
			}
			if first != second || p.Calls("alpha") != 1 {
				t.Errorf("%d calls, want 1", p.Calls("alpha"))
			}
			if _, err := p.Prepare(ctx, "alpha", request("two")); err != nil {
				t.Fatal(err)
			}
			if got := p.Calls("alpha"); got != 2 {
				t.Errorf("%d calls after another request, want 2", got)
			}
		})
	}
}

func TestEqualRequestsAtOnceAreOneCall(t *testing.T) {
	t.Parallel()
	open := make(chan struct{})
	var calls atomic.Int32
	p := pool(t, adapter.Config{}, adapter.Source{InProcess: local{"alpha",
		func(context.Context, preparer.Request) (*preparer.Layout, error) {
			calls.Add(1)
			<-open
			return &preparer.Layout{}, nil
		}}})
	impatient, cancel := context.WithCancel(context.Background())
	left := make(chan error, 1)
	go func() {
		_, err := p.Prepare(impatient, "alpha", request("x"))
		left <- err
	}()
	eventually(t, 10*time.Second, "the call", func() bool { return calls.Load() == 1 })
	results := make(chan *preparer.Layout, 8)
	for range cap(results) {
		go func() {
			l, err := p.Prepare(context.Background(), "alpha", request("x"))
			if err != nil {
				t.Error(err)
			}
			results <- l
		}()
	}
	// Who began the call leaves, and the others still get its answer.
	cancel()
	err := <-left
	if !errors.Is(err, context.Canceled) || !errors.Is(err, fault.Deadline) {
		t.Errorf("error %v, want that of the context", err)
	}
	time.Sleep(200 * time.Millisecond) // for all of them to ask
	close(open)
	first := <-results
	for range cap(results) - 1 {
		if l := <-results; l != first {
			t.Error("not all got the same layout")
		}
	}
	if got := calls.Load(); got != 1 {
		t.Errorf("the adapter was called %d times", got)
	}
}

func TestFaultsAndRefusalsAreNotRemembered(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	for range 2 {
		if _, err := p.Prepare(context.Background(), "alpha", request("error:no")); err == nil {
			t.Fatal("no error")
		}
	}
	if got := p.Calls("alpha"); got != 2 {
		t.Errorf("%d calls, want 2", got)
	}
}

func TestTheLeastUsedLayoutIsForgotten(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{Remember: 2}, adapter.Source{InProcess: local{provider: "alpha"}})
	for _, step := range []struct {
		ask   string
		calls int
	}{{"a", 1}, {"b", 2}, {"a", 2}, {"c", 3}, {"a", 3}, {"b", 4}} {
		if _, err := p.Prepare(context.Background(), "alpha", request(step.ask)); err != nil {
			t.Fatal(err)
		}
		if got := p.Calls("alpha"); got != step.calls {
			t.Fatalf("after %q: %d calls, want %d", step.ask, got, step.calls)
		}
	}
}

func TestProvidersAreFoundWithoutHints(t *testing.T) {
	t.Parallel()
	silent := source("alpha")
	silent.Provider = ""
	p := pool(t, adapter.Config{}, silent, adapter.Source{InProcess: local{provider: "beta"}})
	ctx := context.Background()
	d, id, err := p.Descriptor(ctx, "alpha")
	if err != nil {
		t.Fatal(err)
	}
	if d.Provider != "alpha" || !cmp.Equal(id, adapter.Identity{Digest: testDigest, Version: "1.0.0", Path: "testadapter"}) {
		t.Errorf("got %s of %+v", d.Provider, id)
	}
	_, _, err = p.Descriptor(ctx, "gamma")
	wantFault(t, err, fault.UnknownProvider, "gamma")
	if got := hint(err); !strings.Contains(got, "alpha, beta") {
		t.Errorf("the hint %q does not name the providers", got)
	}
}

func TestABrokenAdapterIsNamedWhenNoOtherServesTheProvider(t *testing.T) {
	t.Parallel()
	broken := source("alpha", "-start", "noise")
	broken.Provider = ""
	p := pool(t, adapter.Config{}, broken, adapter.Source{InProcess: local{provider: "beta"}})
	_, _, err := p.Descriptor(context.Background(), "alpha")
	wantFault(t, err, fault.AdapterHandshake)
	if _, _, err := p.Descriptor(context.Background(), "beta"); err != nil {
		t.Errorf("beta is affected: %v", err)
	}
}

func TestTwoAdaptersForOneProviderAreRefused(t *testing.T) {
	t.Parallel()
	silent := source("alpha")
	silent.Provider = ""
	p := pool(t, adapter.Config{}, silent, adapter.Source{InProcess: local{provider: "alpha"}},
		adapter.Source{InProcess: local{provider: "beta"}})
	ctx := context.Background()
	_, _, err := p.Descriptor(ctx, "alpha")
	wantFault(t, err, fault.Invalid, "testadapter", "in-process")
	_, err = p.Prepare(ctx, "alpha", request("x"))
	wantFault(t, err, fault.Invalid)
	infos, err := p.Providers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var states []adapter.State
	for _, i := range infos {
		states = append(states, i.State)
		if (i.Err != nil) != (i.State == adapter.Broken) {
			t.Errorf("%s is %s with error %v", i.Provider, i.State, i.Err)
		}
	}
	if want := []adapter.State{adapter.Broken, adapter.Broken, adapter.Local}; !slices.Equal(states, want) {
		t.Errorf("states %v, want %v", states, want)
	}
}

func TestProvidersListsWhatIsWrongWithEach(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := pool(t, adapter.Config{Now: func() time.Time { return now }},
		source("alpha"), source("beta", "-start", "exit"))
	infos, err := p.Providers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if a := infos[0]; a.Provider != "alpha" || a.State != adapter.Running || a.Protocol != 1 || a.PID == 0 || !a.Since.Equal(now) || a.Err != nil {
		t.Errorf("alpha is %+v", a)
	}
	if b := infos[1]; b.Provider != "beta" || b.State != adapter.Broken || !errors.Is(b.Err, fault.AdapterCrashed) {
		t.Errorf("beta is %+v", b)
	}
}

func TestInProcessAdapterIsHeldToTheSameRules(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{CallTimeout: time.Second}, adapter.Source{InProcess: local{"alpha",
		func(ctx context.Context, r preparer.Request) (*preparer.Layout, error) {
			var l preparer.Layout
			switch r.Target.ClientVersion {
			case "panic":
				panic("oh dear")
			case "big":
				l.Set("BIG", preparer.S(strings.Repeat("x", 9<<20)))
			case "hang":
				<-ctx.Done()
				time.Sleep(time.Second)
			case "unknown":
				l.Note(preparer.Diagnostic{Severity: "grave"})
			}
			return &l, nil
		}}})
	for what, code := range map[string]fault.Code{
		"panic": fault.AdapterFault, "big": fault.AdapterLimit, "hang": fault.AdapterTimeout, "unknown": fault.AdapterFault,
	} {
		_, err := p.Prepare(context.Background(), "alpha", request(what))
		wantFault(t, err, code, "in-process")
	}
}

func TestClosedPoolAnswersNothing(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	running := make(chan error, 1)
	notes(t, p, "alpha", "pid")
	go func() {
		_, err := p.Prepare(context.Background(), "alpha", request("slow:1m"))
		running <- err
	}()
	eventually(t, 10*time.Second, "the slow call", func() bool { return p.Calls("alpha") == 2 })
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	wantFault(t, <-running, fault.Closed)
	_, err := p.Prepare(context.Background(), "alpha", request("pid"))
	wantFault(t, err, fault.Closed)
	_, err = p.Providers(context.Background())
	wantFault(t, err, fault.Closed)
}
