package adapter_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The test binary is also the host that kill tests end, and builds the adapter that misbehaves.
var testAdapter, testDigest string

func TestMain(m *testing.M) {
	if mode := os.Getenv("GREENROOM_TEST_HOST"); mode != "" {
		os.Exit(host(mode))
	}
	os.Setenv("GREENROOM_CANARY", canary)
	os.Exit(run(m))
}

// canary stands in the environment of all hosts that start adapters here.
const canary = "canary-in-the-environment"

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "adapter")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	testAdapter = filepath.Join(dir, "testadapter")
	if runtime.GOOS == "windows" {
		testAdapter += ".exe"
	}
	build := exec.Command("go", "build", "-o", testAdapter, "./testdata/testadapter")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the test adapter: %v\n%s", err, out)
		return 1
	}
	if testDigest, err = digestOf(testAdapter); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func digestOf(path string) (string, error) {
	b, err := os.ReadFile(path)
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:]), err
}

// source is the test adapter, serving a provider.
func source(provider string, args ...string) adapter.Source {
	return adapter.Source{Provider: provider, Path: testAdapter, SHA256: testDigest,
		Args: append([]string{"-provider", provider}, args...)}
}

// shortDir is a temporary directory whose path leaves room for a socket.
func shortDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ad")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// pool makes a pool that is closed with the test, and must then have left nothing.
func pool(t testing.TB, c adapter.Config, sources ...adapter.Source) *adapter.Pool {
	t.Helper()
	if c.RunDir == "" {
		c.RunDir = shortDir(t)
	}
	c.Sources = sources
	p, err := adapter.New(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		left, err := os.ReadDir(c.RunDir)
		if err != nil {
			t.Error(err)
		}
		for _, e := range left {
			t.Errorf("left in the run directory: %s", e.Name())
		}
	})
	return p
}

// request asks the test adapter for what it is told to do.
func request(what string) preparer.Request {
	return preparer.Request{Target: preparer.Target{OS: "linux", Arch: "amd64", ClientVersion: what}}
}

// notes are what the adapter noted, by code.
func notes(t testing.TB, p *adapter.Pool, provider, what string) map[string][]string {
	t.Helper()
	l, err := p.Prepare(context.Background(), provider, request(what))
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	notes := map[string][]string{}
	for _, d := range l.Diagnostics {
		notes[d.Code] = append(notes[d.Code], d.Text)
	}
	return notes
}

// wantFault holds an error to a code, to words that must stand in it, and to what must never stand in one.
func wantFault(t testing.TB, err error, code fault.Code, words ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("error %v has code %q, want %q", err, fault.CodeOf(err), code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("error %q does not say %q", err, w)
		}
	}
	if slices.Contains(needsHint, code) && !strings.Contains(err.Error(), "the request cannot be sent") && hint(err) == "" {
		t.Errorf("error %q has no hint", err)
	}
	for _, never := range []string{filepath.Dir(testAdapter) + "/", "Unrecognized remote plugin"} {
		if strings.Contains(err.Error(), never) {
			t.Errorf("error %q says %q", err, never)
		}
	}
}

// needsHint are the codes of faults that a person meets, and can do something about.
var needsHint = []fault.Code{fault.AdapterTimeout, fault.AdapterLimit, fault.AdapterFault, fault.AdapterCrashed, fault.AdapterHandshake, fault.AdapterProtocol}

func hint(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Hint
}

// record is a logger whose text can be read.
type record struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (r *record) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.Write(p)
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.buf.String()
}

func (r *record) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(r, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// eventually waits for something that happens by itself.
func eventually(t testing.TB, limit time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(limit); !ok(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", limit, what)
		}
	}
}
