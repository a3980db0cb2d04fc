package cli_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/manifest"
)

// An adapter that is signed, installed and used, from its binary on.
func TestAdapterFromItsBinaryToASession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exe = filepath.Join(w.bin, exeName("greenroom")) // nothing lies beside it
	w.client("exit 0")
	dist := filepath.Join(w.project, "dist")
	if err := os.Mkdir(dist, 0o755); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dist, exeName("anything"))
	if err := copyFile(filepath.Join(stage, exeName("greenroom-"+fakeProvider)), binary); err != nil {
		t.Fatal(err)
	}
	w.refused("adapter_not_found", nil, "explain", fakeProvider)
	w.must("trust", "new-key", "acme.key")
	for _, told := range [][]string{{"--id", "acme", "--version", "1.0.0"}, {"--id", fakeProvider, "--version", "1.0.1"}} {
		got := w.run(append([]string{"adapters", "sign", "dist", "--key", "acme.key"}, told...)...)
		if got.status != 2 || !strings.Contains(got.errors, told[1]) || !strings.Contains(got.errors, told[3]) ||
			!strings.Contains(got.errors, "hint: sign it with --id fake --version 1.0.0") {
			t.Errorf("%v: %+v", told, got)
		}
	}
	if entries, err := os.ReadDir(dist); err != nil || len(entries) != 1 {
		t.Errorf("there is a signature that was refused: %v, %v", entries, err)
	}
	if got := w.must("adapters", "sign", "dist", "--id", fakeProvider, "--version", "1.0.0", "--key", "acme.key", "--sequence", "3"); !strings.Contains(got, runtime.GOOS+"/"+runtime.GOARCH) {
		t.Error(got)
	}
	w.refused("untrusted", []string{"add-key"}, "adapter", "install", "dist")
	w.must("trust", "add-key", "acme.key.pub", "--name", "Acme Inc", "--release", fakeProvider)
	w.refused("untrusted", []string{"may not sign a release of an adapter"}, "adapter", "install", "dist")
	w.must("trust", "add-key", "acme.key.pub", "--name", "Acme Inc", "--release", fakeProvider, "--kind", "adapter")
	w.must("adapter", "verify", "dist")
	w.must("adapter", "lock", "dist")
	w.refused("release_not_found", []string{"not there", "adapters install"}, "explain", fakeProvider)
	w.must("adapter", "install", "dist")
	if err := os.RemoveAll(dist); err != nil {
		t.Fatal(err)
	}
	w.must("prepare", fakeProvider, "--session", "one")
	lock, err := os.ReadFile(filepath.Join(w.state, "adapters", "greenroom.lock.yaml"))
	if err != nil || !strings.Contains(string(lock), runtime.GOOS+"/"+runtime.GOARCH) || !strings.Contains(string(lock), "sequence: 3") {
		t.Errorf("%s, %v", lock, err)
	}
	if got := w.must("adapters"); !strings.Contains(got, fakeProvider) {
		t.Error(got)
	}

	// A binary that was exchanged in the store is not started.
	stored, err := filepath.Glob(filepath.Join(w.state, "adapters", "store", "*", "greenroom-*"))
	if err != nil || len(stored) != 1 {
		t.Fatalf("%v, %v", stored, err)
	}
	info, err := os.Stat(stored[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(stored[0], 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(stored[0], make([]byte, info.Size()), 0o700); err != nil {
		t.Fatal(err)
	}
	w.refused("adapter_digest_mismatch", nil, "prepare", fakeProvider, "--session", "two")

	// What is revoked is not started either, and nothing else in its place.
	w.must("trust", "revoke", fakeProvider+"@1.0.0", "--kind", "adapter")
	w.exe = filepath.Join(stage, exeName("greenroom"))
	w.refused("release_revoked", nil, "explain", fakeProvider)
	if got := w.must("adapters"); !strings.Contains(got, "not started") {
		t.Error(got)
	}
	w.must("adapters", "remove", fakeProvider)
	w.must("explain", fakeProvider)
}

// recorded is the one record of a session.
func (w *world) recorded() *manifest.Manifest {
	w.t.Helper()
	files, err := filepath.Glob(filepath.Join(w.state, "m", "*.json"))
	if err != nil || len(files) != 1 {
		w.t.Fatalf("%v, %v", files, err)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		w.t.Fatal(err)
	}
	m, err := manifest.Decode(data)
	if err != nil {
		w.t.Fatal(err)
	}
	return m
}

// A machine that only signs need not be able to start what it signs.
func TestAnAdapterThatDoesNotStartHereIsSigned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	whole, err := os.ReadFile(filepath.Join(stage, exeName("greenroom-"+fakeProvider)))
	if err != nil {
		t.Fatal(err)
	}
	w.write(filepath.Join(w.project, "dist", "anything"), string(whole), 0o600)
	w.must("trust", "new-key", "acme.key")
	platform := runtime.GOOS + "/" + runtime.GOARCH
	if runtime.GOOS == "windows" { // which starts whatever its mode is
		platform = "linux/" + runtime.GOARCH
	}
	w.must("adapters", "sign", "dist", "--id", "acme", "--version", "1.0.0", "--key", "acme.key", "--platform", platform+"=anything")
}

// Whatever runs unpinned says so: in the log of core, in the manifest, and here.
func TestDoctorTellsOfWhatRunsUnpinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client("exit 0")
	for _, unsafe := range []bool{true, false, true} {
		args := []string{"prepare", fakeProvider, "--session", "one"}
		if unsafe {
			args = append(args, "--unsafe-any-digest")
		}
		w.must(args...)
		if got := w.recorded().Adapter; got.Unsafe != unsafe || len(got.Digest) != 64 {
			t.Errorf("prepared with %q, recorded as %+v", args, got)
		}
		w.must("cleanup", "one")
	}
	if a := w.run("doctor", "--unsafe-any-digest"); !strings.Contains(a.out, "runs whatever its digest is") {
		t.Error(a.out, a.errors)
	}
	if a := w.run("doctor"); strings.Contains(a.out, "whatever its digest") {
		t.Error(a.out)
	}
}
