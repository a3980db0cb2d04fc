package extension_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// What is refused leaves nothing behind, and the package that was active stays so.
func TestRefusedPackagesWriteNothing(t *testing.T) {
	t.Parallel()
	p, other := newPublisher(t), newPublisher(t)
	good := p.signed(t, "1.1.0", 2)
	expired := func() map[string]string {
		c := content(t, without(good, extension.SignatureFile))
		e, err := trust.Sign(trust.Extension, trust.Release{ID: "acme", Version: "1.1.0", Sequence: 2, IssuedAt: now.Add(-time.Hour), ExpiresAt: now}, c.Digests(), p.signer)
		if err != nil {
			t.Fatal(err)
		}
		return with(good, extension.SignatureFile, string(e))
	}
	hostile := func(prep string) map[string]string {
		files := with(good, "profiles/composer.json", `{"schemaVersion": "tutti.agent.composer.v1", "runtimePrep": `+prep+`}`)
		return with(files, extension.SignatureFile, p.sign(t, files, "1.1.0", 2))
	}
	revoking := *p.policy
	revoking.RevokedReleases = []trust.Revoked{{Kind: trust.Extension, ID: "acme", Version: "1.1.0"}}
	for name, c := range map[string]struct {
		files  map[string]string
		policy *trust.Policy
		code   core.Code
	}{
		"altered":      {with(good, "README.md", "# Evil\n"), p.policy, core.ErrTampered},
		"added":        {with(good, "NOTICE", "x"), p.policy, core.ErrTampered},
		"removed":      {without(good, "README.md"), p.policy, core.ErrTampered},
		"renamed":      {with(without(good, "README.md"), "NOTICE", good["README.md"]), p.policy, core.ErrTampered},
		"payload type": {with(good, extension.SignatureFile, strings.Replace(good[extension.SignatureFile], "vnd.in-toto", "vnd.other", 1)), p.policy, core.ErrUntrusted},
		"other key":    {other.signed(t, "1.1.0", 2), p.policy, core.ErrUntrusted},
		"expired":      {expired(), p.policy, core.ErrExpired},
		"revoked":      {good, &revoking, core.ErrRevoked},
		"downgraded":   {p.signed(t, "0.9.0", 1), p.policy, core.ErrDowngrade},
		"truncated":    {with(good, extension.SignatureFile, good[extension.SignatureFile][:300]), p.policy, core.ErrUntrusted},
		"unsigned":     {without(good, extension.SignatureFile), p.policy, core.ErrUntrusted},
		"no package":   {with(good, extension.ManifestFile, "{}"), p.policy, core.ErrTampered},
		// By somebody who is believed: a signature says who wrote it, and not that it is harmless.
		"denied variable": {hostile(`{"home": {"envVar": "LD_PRELOAD", "dirName": "acme"}}`), p.policy, core.ErrPackage},
		"a hook":          {hostile(`{"instructionsFile": ".git/hooks/pre-commit"}`), p.policy, core.ErrPackage},
		"another's files": {hostile(`{"home": {"envVar": "ACME_HOME", "dirName": "acme", "sourceDefaultRel": ".ssh", "copyFiles": ["id_ed25519"]}}`), p.policy, core.ErrPackage},
		"path up":         {hostile(`{"home": {"envVar": "ACME_HOME", "dirName": "../acme"}}`), p.policy, core.ErrPackage},
		"path of Windows": {hostile(`{"home": {"envVar": "ACME_HOME", "dirName": "..\\\\acme"}}`), p.policy, core.ErrPackage},
		"device":          {hostile(`{"home": {"envVar": "ACME_HOME", "dirName": "aux"}}`), p.policy, core.ErrPackage},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := storeAt(t)
			install(t, s, p, "1.0.0", 1)
			before := tree(t, filepath.Dir(dir))
			writes := 0
			counting := extension.OpenStore(dir, func(int64, string, string) error { writes++; return nil })
			_, err := counting.Install(t.Context(), content(t, c.files), c.policy, terms(), extension.InstallOptions{})
			refused(t, err, c.code)
			if diff := cmp.Diff(before, tree(t, filepath.Dir(dir))); diff != "" || writes != 0 {
				t.Errorf("%d changes: %s", writes, diff)
			}
			if load(t, s, p).Release().Version != "1.0.0" {
				t.Error("the one before is not active")
			}
		})
	}
}

// C346: what was changed in the store is refused at the next load, also when it was read before; the release before it can
// still be used, and installing again mends it.
func TestC346_ChangesInTheStoreAreFound(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, attack := range map[string]func(object string){
		"a byte": func(object string) {
			path := object + "/README.md"
			info, err := os.Stat(path)
			must(err)
			data, err := os.ReadFile(path)
			must(err)
			data[0] ^= 1
			must(os.Chmod(path, 0o600))
			must(os.WriteFile(path, data, 0o600))
			must(os.Chmod(path, 0o400))
			must(os.Chtimes(path, info.ModTime(), info.ModTime()))
		},
		"a byte, and the times set back": func(object string) {
			path := object + "/profiles/composer.json"
			info, err := os.Stat(path)
			must(err)
			must(os.Chmod(path, 0o600))
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			must(err)
			_, err = f.WriteAt([]byte(`{"schemaVersion": "tutti.agent.composer.v1", "runtimePrep": {"home": {"envVar": "EVIL_HOME"`), 0)
			must(err)
			must(f.Close())
			must(os.Chmod(path, 0o400))
			must(os.Chtimes(path, info.ModTime(), info.ModTime()))
			if after, err := os.Stat(path); err != nil || after.Size() != info.Size() || !after.ModTime().Equal(info.ModTime()) || !os.SameFile(info, after) || after.Mode() != info.Mode() {
				t.Fatalf("it shows: %v, %v", after, err)
			}
		},
		"replaced": func(object string) {
			must(os.Chmod(object, 0o700))
			must(os.Remove(object + "/profiles/composer.json"))
			must(os.WriteFile(object+"/profiles/composer.json", []byte(`{"schemaVersion": "tutti.agent.composer.v1", "runtimePrep": {}}`), 0o400))
		},
		"added": func(object string) {
			must(os.Chmod(object, 0o700))
			must(os.WriteFile(object+"/more.json", []byte("{}"), 0o400))
		},
		"removed": func(object string) { must(os.Chmod(object, 0o700)); must(os.Remove(object + "/README.md")) },
		"a link": func(object string) {
			must(os.Chmod(object, 0o700))
			must(os.Rename(object+"/README.md", filepath.Dir(object)+"/README.md"))
			must(os.Symlink("../README.md", object+"/README.md"))
		},
		"executable": func(object string) { must(os.Chmod(object+"/README.md", 0o500)) },
		"stripped": func(object string) {
			must(os.Chmod(object, 0o700))
			must(os.Remove(object + "/" + extension.SignatureFile))
		},
		"all gone": func(object string) {
			must(filepath.WalkDir(object, func(path string, d os.DirEntry, err error) error {
				if d.IsDir() {
					return os.Chmod(path, 0o700)
				}
				return err
			}))
			must(os.RemoveAll(object))
		},
	} {
		t.Run(name, func(t *testing.T) {
			if runtime.GOOS == "windows" {
				t.Skip("links and modes are those of Unix")
			}
			s, dir := storeAt(t)
			first := install(t, s, p, "1.0.0", 1)
			second := install(t, s, p, "1.1.0", 2)
			held := load(t, s, p)
			load(t, s, p)
			must(filepath.WalkDir(filepath.Join(dir, "objects", second.Digest()), func(path string, d os.DirEntry, err error) error {
				if d.IsDir() {
					return os.Chmod(path, 0o700)
				}
				return err
			}))
			attack(filepath.Join(dir, "objects", second.Digest()))
			for _, store := range []*extension.Store{s, extension.OpenStore(dir, nil)} {
				_, err := store.Load(t.Context(), "acme", p.policy, later())
				if name == "stripped" {
					refused(t, err, core.ErrUntrusted, "not signed")
				} else {
					refused(t, err, core.ErrTampered)
				}
			}
			if data, err := held.ReadFile("README.md"); err != nil || string(data) != sample()["README.md"] {
				t.Errorf("what is in use was changed: %q, %v", data, err)
			}
			if all, err := s.List(t.Context(), p.policy, later()); err != nil || all[0].Err == nil {
				t.Errorf("the list says nothing of it: %+v, %v", all, err)
			}
			if back, err := s.Rollback(t.Context(), "acme", p.policy, later()); err != nil || load(t, s, p).Digest() != back.Digest() || back.Digest() != first.Digest() {
				t.Fatalf("%v", err)
			}
			install(t, s, p, "1.1.0", 2)
			if got := load(t, s, p); got.Digest() != second.Digest() {
				t.Errorf("got %s", got.Release().Version)
			}
		})
	}
}
