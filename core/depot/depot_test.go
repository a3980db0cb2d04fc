package depot_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/depot"
	"github.com/greenroom-agents/greenroom/core/trust"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const here = "linux/amd64"

type publisher struct {
	signer *trust.Signer
	policy *trust.Policy
}

func newPublisher(t testing.TB, ids ...string) publisher {
	t.Helper()
	s, err := trust.GenerateSigner(trust.ECDSAP256)
	if err != nil {
		t.Fatal(err)
	}
	p := &trust.Policy{Version: 1, Keys: []trust.Key{{Name: "Acme", ID: s.Public().ID, PEM: s.Public().PEM(), Kinds: []trust.Kind{trust.Adapter}, Releases: ids}}}
	if err := p.Complete(); err != nil {
		t.Fatal(err)
	}
	return publisher{s, p}
}

// release makes a directory with binaries for two platforms and their signature.
func (p publisher) release(t testing.TB, id, version string, sequence uint64) string {
	t.Helper()
	return p.publish(t, trust.Release{ID: id, Version: version, Sequence: sequence, IssuedAt: now.Add(-time.Hour)})
}

// binary is the text of one, which is another for each release and platform.
func binary(id, version, platform string) string {
	return "#!/bin/sh\n# " + id + version + platform + "\n"
}

// publish is release for one of which more is said.
func (p publisher) publish(t testing.TB, r trust.Release) string {
	t.Helper()
	dir := t.TempDir()
	r.Protocols, r.Platforms = []int{1}, map[string]trust.Binary{}
	digests := trust.Digests{}
	for platform, file := range map[string]string{here: "linux-bin", "darwin/arm64": "mac-bin"} {
		text := binary(r.ID, r.Version, platform)
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256([]byte(text))
		digests[file], r.Platforms[platform] = hex.EncodeToString(sum[:]), trust.Binary{File: file, Size: int64(len(text))}
	}
	e, err := trust.Sign(trust.Adapter, r, digests, p.signer)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, depot.SignatureFile), e, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func terms() trust.Terms { return trust.Terms{Now: now} }

func open(t testing.TB) (*depot.Depot, string) {
	dir := filepath.Join(t.TempDir(), "adapters")
	return depot.Open(dir, here, nil), dir
}

func refused(t *testing.T, err error, code core.Code, parts ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Fatalf("got %v [%s], want %s", err, core.CodeOf(err), code)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

// one is the only adapter of a depot.
func one(t *testing.T, d *depot.Depot, p *trust.Policy) depot.Held {
	t.Helper()
	all, err := d.Adapters(t.Context(), p, terms())
	if err != nil || len(all) != 1 {
		t.Fatalf("%+v, %v", all, err)
	}
	return all[0]
}

func install(t testing.TB, d *depot.Depot, p publisher, release string) {
	t.Helper()
	if _, err := d.Install(context.Background(), release, p.policy, terms(), depot.InstallOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestInstalledAdaptersAreStartedFromTheDepot(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "acme")
	d, dir := open(t)
	if all, err := d.Adapters(t.Context(), p.policy, terms()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	release := p.release(t, "acme", "1.0.0", 1)
	a, err := d.Install(t.Context(), release, p.policy, terms(), depot.InstallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Platforms) != 2 || a.Signers[0] != p.signer.Public().ID || a.Protocols[0] != 1 {
		t.Errorf("the lock says %+v", a)
	}
	if err := os.RemoveAll(release); err != nil {
		t.Fatal(err)
	}
	h := one(t, d, p.policy)
	if h.Err != nil || h.Source.Provider != "acme" || h.Source.SHA256 != a.Platforms[here].SHA256 || h.Source.UnsafeAnyDigest {
		t.Fatalf("%+v", h)
	}
	data, err := os.ReadFile(h.Source.Path)
	if err != nil || !strings.HasPrefix(string(data), "#!/bin/sh") || !strings.HasPrefix(h.Source.Path, dir) {
		t.Errorf("%s: %q, %v", h.Source.Path, data, err)
	}
	if info, err := os.Stat(h.Source.Path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o500 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	install(t, d, p, p.release(t, "acme", "1.1.0", 2))
	if h := one(t, d, p.policy); h.Version != "1.1.0" || h.Err != nil {
		t.Errorf("%+v", h)
	}
	if _, err := os.Stat(h.Source.Path); err != nil {
		t.Errorf("hosts that run lost their binary: %v", err)
	}
	if err := d.Remove(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	refused(t, d.Remove(t.Context(), "acme"), core.ErrNotInstalled)
	for _, sub := range []string{"store", "signed"} {
		if entries, _ := os.ReadDir(filepath.Join(dir, sub)); len(entries) != 0 {
			t.Errorf("%s holds %v", sub, entries)
		}
	}
}

// resigned changes the signature of a release.
func resigned(t *testing.T, dir string, change func(envelope string) string) string {
	t.Helper()
	at := filepath.Join(dir, depot.SignatureFile)
	data, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(data))
	if changed == string(data) {
		t.Fatal("the signature was not changed")
	}
	if err := os.WriteFile(at, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRefusedReleasesWriteNothing(t *testing.T) {
	t.Parallel()
	p, other := newPublisher(t, "acme"), newPublisher(t, "acme")
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		release func() string
		code    core.Code
		says    string
	}{
		"altered": {func() string {
			dir := p.release(t, "acme", "1.1.0", 6)
			data, err := os.ReadFile(dir + "/linux-bin")
			must(err)
			data[12] ^= 1
			must(os.WriteFile(dir+"/linux-bin", data, 0o755))
			return dir
		}, core.ErrTampered, "signed is"},
		"longer": {func() string {
			dir := p.release(t, "acme", "1.1.0", 6)
			must(os.WriteFile(dir+"/linux-bin", make([]byte, 1000), 0o755))
			return dir
		}, core.ErrTampered, "1000 bytes"},
		"missing": {func() string {
			dir := p.release(t, "acme", "1.1.0", 6)
			must(os.Remove(dir + "/linux-bin"))
			return dir
		}, core.ErrNotInstalled, "linux-bin"},
		"link": {func() string {
			dir := p.release(t, "acme", "1.1.0", 6)
			must(os.Rename(dir+"/linux-bin", dir+"/real"))
			must(os.Symlink("real", dir+"/linux-bin"))
			return dir
		}, core.ErrNotInstalled, "no regular file"},
		"other key":  {func() string { return other.release(t, "acme", "1.1.0", 6) }, core.ErrUntrusted, "expected is \"Acme\""},
		"other name": {func() string { return p.release(t, "codex", "1.1.0", 6) }, core.ErrUntrusted, `may not sign "codex"`},
		"unsigned": {func() string {
			dir := p.release(t, "acme", "1.1.0", 6)
			must(os.Remove(dir + "/" + depot.SignatureFile))
			return dir
		}, core.ErrUntrusted, "not signed"},
		"expired": {func() string {
			return p.publish(t, trust.Release{ID: "acme", Version: "1.1.0", Sequence: 6, IssuedAt: now.Add(-time.Hour), ExpiresAt: now})
		}, core.ErrExpired, "1.1.0"},
		"truncated": {func() string {
			return resigned(t, p.release(t, "acme", "1.1.0", 6), func(e string) string { return e[:len(e)/2] })
		}, core.ErrUntrusted, ""},
		"payload type": {func() string {
			return resigned(t, p.release(t, "acme", "1.1.0", 6), func(e string) string { return strings.Replace(e, "vnd.in-toto", "vnd.other", 1) })
		}, core.ErrUntrusted, "vnd.other"},
		"older": {func() string { return p.release(t, "acme", "1.0.0", 4) }, core.ErrDowngrade, "sequence 4"},
		"same":  {func() string { return p.release(t, "acme", "1.0.1", 5) }, core.ErrDowngrade, "sequence 5"},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" && name == "link" {
				t.Skip("links are those of Unix")
			}
			d, dir := open(t)
			install(t, d, p, p.release(t, "acme", "1.0.0", 5))
			before, err := os.ReadFile(dir + "/greenroom.lock.yaml")
			must(err)
			release := c.release()
			_, err = d.Install(t.Context(), release, p.policy, terms(), depot.InstallOptions{})
			if name == "older" || name == "same" {
				refused(t, err, c.code, c.says)
			} else {
				release = c.release()
				_, verified := d.Verify(t.Context(), release, p.policy, terms())
				refused(t, verified, c.code)
				refused(t, err, c.code, c.says)
			}
			after, err := os.ReadFile(dir + "/greenroom.lock.yaml")
			if err != nil || string(after) != string(before) {
				t.Errorf("the lock file was changed: %s", after)
			}
			entries, _ := os.ReadDir(dir + "/store")
			if len(entries) != 1 || one(t, d, p.policy).Err != nil {
				t.Errorf("the store holds %v", entries)
			}
		})
	}
	d, dir := open(t)
	_, err := d.Install(t.Context(), other.release(t, "acme", "1.0.0", 1), p.policy, terms(), depot.InstallOptions{})
	refused(t, err, core.ErrUntrusted)
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("a directory was made for nothing")
	}
}

func TestDepotJudgesAnew(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "acme")
	d, dir := open(t)
	install(t, d, p, p.release(t, "acme", "1.0.0", 1))
	revoking := &trust.Policy{Version: 2, Keys: p.policy.Keys, RevokedReleases: []trust.Revoked{{Kind: trust.Adapter, ID: "acme", Version: "1.0.0"}}}
	refused(t, one(t, d, revoking).Err, core.ErrRevoked)
	refused(t, one(t, d, &trust.Policy{}).Err, core.ErrUntrusted)
	refused(t, one(t, depot.Open(dir, "plan9/arm", nil), p.policy).Err, core.ErrIncompatible, "plan9/arm", "darwin/arm64, linux/amd64")

	lock := filepath.Join(dir, "greenroom.lock.yaml")
	text, err := os.ReadFile(lock)
	if err != nil {
		t.Fatal(err)
	}
	h := one(t, d, p.policy)
	for name, change := range map[string]string{
		"another digest": strings.Replace(string(text), h.Source.SHA256, strings.Repeat("ab", 32), 1),
		"another size":   strings.Replace(string(text), "size: ", "size: 1", 1),
	} {
		if err := os.WriteFile(lock, []byte(change), 0o600); err != nil {
			t.Fatal(err)
		}
		if h := one(t, d, p.policy); h.Err == nil {
			t.Errorf("%s: it is taken", name)
		}
	}
	if err := os.WriteFile(lock, text, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(h.Source.Path, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Source.Path, []byte("evil, and of another length"), 0o700); err != nil {
		t.Fatal(err)
	}
	refused(t, one(t, d, p.policy).Err, core.ErrNotInstalled)
}

// All platforms are locked at once, also by a machine that has a binary of none.
func TestLockOnly(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "acme")
	dir := filepath.Join(t.TempDir(), "adapters")
	d := depot.Open(dir, "plan9/arm", nil)
	release := p.release(t, "acme", "1.0.0", 1)
	_, err := d.Install(t.Context(), release, p.policy, terms(), depot.InstallOptions{})
	refused(t, err, core.ErrIncompatible, "plan9/arm")
	if a, err := d.Install(t.Context(), release, p.policy, terms(), depot.InstallOptions{LockOnly: true}); err != nil || len(a.Platforms) != 2 {
		t.Fatalf("%+v, %v", a, err)
	}
	linux := depot.Open(dir, here, nil)
	refused(t, one(t, linux, p.policy).Err, core.ErrNotInstalled)
	install(t, linux, p, release)
	if h := one(t, linux, p.policy); h.Err != nil {
		t.Error(h.Err)
	}
}

// Whatever fails at any change of the disk leaves the adapter before or the new one.
func TestFailuresWhileInstalling(t *testing.T) {
	t.Parallel()
	p := newPublisher(t, "acme")
	first, second := p.release(t, "acme", "1.0.0", 1), p.release(t, "acme", "1.1.0", 2)
	for n := int64(1); ; n++ {
		d, dir := open(t)
		install(t, d, p, first)
		reached := false
		failing := depot.Open(dir, here, func(i int64, _, _ string) error {
			if i >= n {
				reached = true
				return errors.New("no")
			}
			return nil
		})
		_, err := failing.Install(t.Context(), second, p.policy, terms(), depot.InstallOptions{})
		h := one(t, d, p.policy)
		if h.Err != nil || h.Version != "1.0.0" && h.Version != "1.1.0" || err == nil && h.Version != "1.1.0" {
			t.Errorf("at %d: %s, %v after %v", n, h.Version, h.Err, err)
		}
		install(t, d, p, second)
		if h := one(t, d, p.policy); h.Err != nil || h.Version != "1.1.0" {
			t.Errorf("at %d: %s, %v after all", n, h.Version, h.Err)
		}
		if !reached {
			if n < 8 {
				t.Errorf("there were only %d changes", n)
			}
			return
		}
	}
}
