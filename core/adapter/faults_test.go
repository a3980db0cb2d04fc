package adapter_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// secret looks otherwise where it is escaped.
const secret = `s3cr3t-"v4lue`

func redact(s string) string { return strings.ReplaceAll(s, secret, "[masked]") }

func TestH46_ProtocolMismatchSaysBothVersions(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha", "-start", "future"))
	_, _, err := p.Descriptor(context.Background(), "alpha")
	wantFault(t, err, fault.AdapterProtocol, "alpha", filepath.Base(testAdapter), `"99"`, "speaks 1")
	if got := hint(err); !strings.Contains(got, "update the host") {
		t.Errorf("the hint %q does not say what to do", got)
	}
}

func TestH47_NoiseBeforeTheHandshakeIsQuoted(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{Redact: redact}, source("alpha", "-start", "noise", "-text", secret))
	_, err := p.Prepare(context.Background(), "alpha", request("pid"))
	wantFault(t, err, fault.AdapterHandshake, `"hello [masked]"`, "about to print [masked]")
	if strings.Contains(err.Error(), "v4lue") {
		t.Errorf("error %q holds the secret", err)
	}
}

func TestH47_EndlessLineIsCut(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha", "-start", "long"))
	_, err := p.Prepare(context.Background(), "alpha", request("pid"))
	wantFault(t, err, fault.AdapterHandshake, "xxxx...")
	if len(err.Error()) > 1000 {
		t.Errorf("the error has %d bytes", len(err.Error()))
	}
}

func TestH48_CrashIsTypedAndTheNextCallStartsAfresh(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{Redact: redact}, source("alpha"))
	before := notes(t, p, "alpha", "pid")["pid"][0]
	_, err := p.Prepare(context.Background(), "alpha", request("crash:"+secret))
	wantFault(t, err, fault.AdapterCrashed, "exit status 2", "about to crash [masked]", "panic: ")
	if strings.Contains(err.Error(), "v4lue") {
		t.Errorf("error %q holds the secret", err)
	}
	after := notes(t, p, "alpha", "slow:1ms")["pid"][0]
	if before == after {
		t.Errorf("process %s answered before and after the crash", before)
	}
}

func TestH48_ThreeCrashesInARowMarkOneAdapterFailed(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	p := pool(t, adapter.Config{}, source("alpha"), source("beta"))
	crash := func(n int) {
		t.Helper()
		_, err := p.Prepare(ctx, "alpha", request(fmt.Sprintf("exit:%d", n)))
		wantFault(t, err, fault.AdapterCrashed, "alpha", "exit status 7")
	}
	crash(1)
	crash(2)
	notes(t, p, "alpha", "pid") // an answer in between: not in a row
	crash(3)
	crash(4)
	crash(5)
	_, err := p.Prepare(ctx, "alpha", request("pid"))
	wantFault(t, err, fault.AdapterFailed, "alpha", "three times in a row", "exit status 7")
	notes(t, p, "beta", "pid")
	infos, err := p.Providers(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if infos[0].State != adapter.Failed || infos[1].State != adapter.Running {
		t.Errorf("states %s and %s, want failed and running", infos[0].State, infos[1].State)
	}
	if got, want := p.Calls("alpha"), 6; got != want {
		t.Errorf("%d calls of alpha, want %d", got, want)
	}
}

func TestH48_OneCrashFailsAllCallsOfTheProcessAndCountsOnce(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	notes(t, p, "alpha", "pid")
	slow := make(chan error, 1)
	go func() {
		_, err := p.Prepare(context.Background(), "alpha", request("slow:1m"))
		slow <- err
	}()
	eventually(t, 10*time.Second, "the slow call", func() bool { return p.Calls("alpha") == 2 })
	time.Sleep(100 * time.Millisecond)
	_, err := p.Prepare(context.Background(), "alpha", request("exit"))
	wantFault(t, err, fault.AdapterCrashed)
	wantFault(t, <-slow, fault.AdapterCrashed)
	infos, err := p.Providers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if infos[0].Crashes != 1 {
		t.Errorf("%d crashes were counted, want 1", infos[0].Crashes)
	}
}

func TestH49_OtherDigestIsRefusedAndNothingRuns(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile(testAdapter)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)-1] ^= 1
	changed := filepath.Join(t.TempDir(), "changed")
	if err := os.WriteFile(changed, b, 0o700); err != nil {
		t.Fatal(err)
	}
	actual, err := digestOf(changed)
	if err != nil {
		t.Fatal(err)
	}
	var log record
	s := source("alpha")
	s.Path = changed
	p := pool(t, adapter.Config{Logger: log.logger()}, s)
	_, _, err = p.Descriptor(context.Background(), "alpha")
	wantFault(t, err, fault.AdapterDigest, "alpha", "changed", actual, testDigest)
	if strings.Contains(err.Error(), filepath.Dir(changed)) {
		t.Errorf("error %q names the directory", err)
	}
	if strings.Contains(log.String(), "adapter started") || strings.Contains(log.String(), "waiting for RPC") {
		t.Errorf("something was started:\n%s", log.String())
	}
}

func TestH49_MissingPinIsRefused(t *testing.T) {
	t.Parallel()
	s := source("alpha")
	s.SHA256 = ""
	p := pool(t, adapter.Config{}, s)
	_, _, err := p.Descriptor(context.Background(), "alpha")
	wantFault(t, err, fault.AdapterDigest, "alpha", "no digest is pinned")

	s.UnsafeAnyDigest = true
	var log record
	p = pool(t, adapter.Config{Logger: log.logger()}, s)
	_, id, err := p.Descriptor(context.Background(), "alpha")
	if err != nil {
		t.Fatal(err)
	}
	if !id.Unsafe || id.Digest != testDigest {
		t.Errorf("identity %+v, want unsafe with the digest of the binary", id)
	}
	if !strings.Contains(log.String(), "level=WARN msg=\"starting an adapter whose digest") {
		t.Errorf("the log does not warn:\n%s", log.String())
	}
}

func TestH52_StartTimeoutIsTheConfiguredOne(t *testing.T) {
	t.Parallel()
	for _, arg := range [][]string{{"-start", "sleep"}, {"-text", "describe-hang"}} {
		p := pool(t, adapter.Config{StartTimeout: time.Second}, source("alpha", arg...))
		began := time.Now()
		_, _, err := p.Descriptor(context.Background(), "alpha")
		took := time.Since(began)
		wantFault(t, err, fault.AdapterTimeout, "alpha", "within 1")
		if took < time.Second || took > 10*time.Second {
			t.Errorf("%v: it took %s with a timeout of 1 s", arg, took)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	missing := source("alpha")
	missing.Path = filepath.Join(filepath.Dir(testAdapter), "no-such-adapter")
	folder := source("alpha")
	folder.Path = filepath.Dir(testAdapter)
	text := adapter.Source{Provider: "alpha", Path: filepath.Join(t.TempDir(), "text"), UnsafeAnyDigest: true}
	if err := os.WriteFile(text.Path, []byte("no program"), 0o700); err != nil {
		t.Fatal(err)
	}
	locked := text
	locked.Path = filepath.Join(t.TempDir(), "locked")
	if err := os.WriteFile(locked.Path, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := source("alpha")
	wrong.Provider = "beta"

	for name, c := range map[string]struct {
		source adapter.Source
		ask    string
		code   fault.Code
		words  []string
	}{
		"missing":              {missing, "pid", fault.AdapterMissing, []string{"no-such-adapter", "does not exist"}},
		"directory":            {folder, "pid", fault.AdapterMissing, []string{"not a regular file"}},
		"no program":           {text, "pid", fault.AdapterMissing, []string{"cannot be started"}},
		"not executable":       {locked, "pid", fault.AdapterMissing, []string{"may not be executed"}},
		"ends at once":         {source("alpha", "-start", "exit", "-text", "x"), "pid", fault.AdapterCrashed, []string{"exit status 3", "no good: x"}},
		"ends without a word":  {source("alpha", "-start", "leave"), "pid", fault.AdapterHandshake, []string{"without a word"}},
		"foreign socket":       {source("alpha", "-start", "elsewhere"), "pid", fault.AdapterHandshake, []string{"outside its own directory"}},
		"panic in description": {source("alpha", "-text", "describe-panic"), "pid", fault.AdapterFault, []string{"cannot say"}},
		"bad provider id":      {adapter.Source{Path: testAdapter, SHA256: testDigest, Args: []string{"-provider", "../x"}}, "pid", fault.AdapterFault, []string{"../x"}},
		"other provider":       {wrong, "pid", fault.AdapterFault, []string{`"alpha"`, `"beta"`}},
		"error":                {source("alpha"), "error:all wrong", fault.AdapterFault, []string{"all wrong"}},
		"panic":                {source("alpha"), "panic:oh dear", fault.AdapterFault, []string{"panicked", "oh dear"}},
		"large layout":         {source("alpha"), "big", fault.AdapterLimit, []string{"too large"}},
		"no layout":            {source("alpha"), "nothing", fault.AdapterFault, []string{"alpha"}},
		"unknown choice":       {source("alpha"), "unknown", fault.AdapterFault, []string{"grave"}},
		"large request":        {source("alpha"), strings.Repeat("x", 9<<20), fault.AdapterLimit, []string{"request"}},
		"request not UTF-8":    {source("alpha"), "\xff", fault.Invalid, []string{"request"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := pool(t, adapter.Config{}, c.source)
			provider := c.source.Provider
			if provider == "" {
				provider = "alpha"
			}
			_, err := p.Prepare(context.Background(), provider, request(c.ask))
			wantFault(t, err, c.code, c.words...)
		})
	}
}

func TestRefusalPassesAsItIs(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	_, err := p.Prepare(context.Background(), "alpha", request("refuse"))
	var refusal *preparer.Refusal
	if !errors.As(err, &refusal) || *refusal != (preparer.Refusal{Code: "test.no", Text: "not like this", Hint: "do it like that"}) {
		t.Errorf("error %#v, want the refusal", err)
	}
}

func TestAnswerAfterAFaultComesFromTheSameProcess(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{}, source("alpha"))
	before := notes(t, p, "alpha", "pid")["pid"][0]
	for _, what := range []string{"error:no", "panic:no", "big", "unknown", "refuse"} {
		if _, err := p.Prepare(context.Background(), "alpha", request(what)); err == nil {
			t.Errorf("%s gave no error", what)
		}
	}
	if after := notes(t, p, "alpha", "slow:1ms")["pid"][0]; before != after {
		t.Errorf("process %s answered first, and %s at last", before, after)
	}
}

func TestHangingCallIsKilledAndOthersAreAskedAgain(t *testing.T) {
	t.Parallel()
	p := pool(t, adapter.Config{CallTimeout: 2 * time.Second}, source("alpha"))
	first := notes(t, p, "alpha", "pid")["pid"][0]
	hung := make(chan error, 1)
	go func() {
		_, err := p.Prepare(context.Background(), "alpha", request("hang"))
		hung <- err
	}()
	eventually(t, 10*time.Second, "the hanging call", func() bool { return p.Calls("alpha") == 2 })
	time.Sleep(time.Second)
	other := notes(t, p, "alpha", "slow:1500ms")["pid"][0]
	err := <-hung
	wantFault(t, err, fault.AdapterTimeout, "alpha", "did not answer within 2")
	if first == other {
		t.Errorf("process %s was not killed", first)
	}
	infos, err := p.Providers(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if infos[0].Crashes != 0 {
		t.Errorf("%d crashes were counted", infos[0].Crashes)
	}
}

func TestConfigurationThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for name, s := range map[string]adapter.Source{
		"nothing":       {Provider: "alpha"},
		"relative":      {Path: "bin/adapter", SHA256: testDigest},
		"short digest":  {Path: testAdapter, SHA256: "abc"},
		"capitals":      {Path: testAdapter, SHA256: strings.ToUpper(testDigest)},
		"two at a time": {Path: testAdapter, SHA256: testDigest, InProcess: local{}},
	} {
		if _, err := adapter.New(context.Background(), adapter.Config{Sources: []adapter.Source{s}}); !errors.Is(err, fault.Invalid) {
			t.Errorf("%s: error %v, want %v", name, err, fault.Invalid)
		}
	}
}
