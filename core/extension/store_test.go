package extension_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/trust"
)

func content(t testing.TB, files map[string]string) *extension.Content {
	t.Helper()
	c, err := extension.NewContent(bytesOf(without(files, extension.SignatureFile)), signature(files))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// storeAt is a store in a directory that can be removed afterwards.
func storeAt(t testing.TB) (*extension.Store, string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "state", "extensions")
	t.Cleanup(func() {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				os.Chmod(path, 0o700)
			}
			return nil
		})
	})
	return extension.OpenStore(dir, nil), dir
}

// tree is what lies below a directory: names, modes and bytes.
func tree(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		info, stat := d.Info()
		if err != nil || stat != nil {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		all[filepath.ToSlash(rel)] = info.Mode().String() + " " + string(data)
		return nil
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return all
}

func install(t testing.TB, s *extension.Store, p publisher, version string, sequence uint64) *extension.Package {
	t.Helper()
	pkg, err := s.Install(t.Context(), content(t, p.signed(t, version, sequence)), p.policy, terms(), extension.InstallOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func load(t testing.TB, s *extension.Store, p publisher) *extension.Package {
	t.Helper()
	pkg, err := s.Load(t.Context(), "acme", p.policy, later())
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

func TestStoreGivesWhatWasInstalled(t *testing.T) {
	t.Parallel()
	s, dir := storeAt(t)
	p := newPublisher(t)
	_, err := s.Load(t.Context(), "acme", p.policy, terms())
	refused(t, err, core.ErrNotInstalled, "acme")
	if all, err := s.List(t.Context(), p.policy, terms()); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	refused(t, s.Remove(t.Context(), "acme"), core.ErrNotInstalled)
	if len(tree(t, filepath.Dir(dir))) != 0 {
		t.Error("looking has written")
	}
	first := install(t, s, p, "1.0.0", 1)
	install(t, s, p, "1.0.0", 1)
	second := install(t, s, p, "1.1.0", 2)
	if got := load(t, s, p); got.Digest() != second.Digest() || got.Release().Version != "1.1.0" {
		t.Errorf("got %s", got.Release().Version)
	}
	all, err := s.List(t.Context(), p.policy, terms())
	if err != nil || len(all) != 1 || all[0].Active.Version != "1.1.0" || all[0].Previous.Digest != first.Digest() || all[0].Err != nil || !all[0].Active.InstalledAt.Equal(now) {
		t.Fatalf("%+v, %v", all, err)
	}
	// Another process sees the same, and the one before the last is gone.
	install(t, extension.OpenStore(dir, nil), p, "1.2.0", 3)
	if got := load(t, s, p); got.Release().Version != "1.2.0" {
		t.Errorf("got %s", got.Release().Version)
	}
	if objects, _ := os.ReadDir(filepath.Join(dir, "objects")); len(objects) != 2 {
		t.Errorf("there are %v", objects)
	}
	if back, err := s.Rollback(t.Context(), "acme", p.policy, terms()); err != nil || back.Release().Version != "1.1.0" || load(t, s, p).Digest() != back.Digest() {
		t.Errorf("%v", err)
	}
	if err := s.Remove(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	_, err = s.Load(t.Context(), "acme", p.policy, terms())
	refused(t, err, core.ErrNotInstalled)
	// Even after that, nobody brings an old one back.
	_, err = s.Install(t.Context(), content(t, p.signed(t, "1.1.0", 2)), p.policy, terms(), extension.InstallOptions{})
	refused(t, err, core.ErrDowngrade, "sequence 2", "3 was installed before")
}

// C347: directories and files of a store are for their owner only, and cannot be written by accident.
func TestC347_StoreIsPrivate(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("modes are those of Unix")
	}
	s, dir := storeAt(t)
	install(t, s, newPublisher(t), "1.0.0", 1)
	err := filepath.WalkDir(filepath.Dir(dir), func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		if filepath.Base(filepath.Dir(path)) == "objects" && info.Mode().Perm() != 0o500 {
			t.Errorf("%s is %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"../acme", "a/b", "", "Acme", ".acme", "acme.json/.."} {
		_, err := s.Load(t.Context(), id, &trust.Policy{}, terms())
		refused(t, err, core.ErrNotInstalled)
		refused(t, s.Remove(t.Context(), id), core.ErrNotInstalled)
	}
}

// C347: a record that this store cannot have written is refused whole, by whoever reads it, and stays as it is.
func TestC347_RecordsThatAreNone(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	digest := regexp.MustCompile(`[0-9a-f]{64}`)
	replaced := func(old, new string) func(string) string {
		return func(text string) string { return strings.Replace(text, old, new, 1) }
	}
	named := func(by string) func(string) string {
		return func(text string) string { return strings.Replace(text, digest.FindString(text), by, 1) }
	}
	for name, c := range map[string]struct {
		damage func(string) string
		code   core.Code
	}{
		"a field that is not known":       {replaced(`"id":`, `"trusted": true, "id":`), core.ErrCorrupt},
		"one of a release":                {replaced(`"version":`, `"signed": true, "version":`), core.ErrCorrupt},
		"one of the bound":                {replaced(`"highest":`, `"lowest": 0, "highest":`), core.ErrCorrupt},
		"a key twice":                     {replaced(`"id":`, `"id": "acme", "id":`), core.ErrCorrupt},
		"the schema twice":                {replaced(`"schema":`, `"schema": 1, "schema":`), core.ErrCorrupt},
		"a value of another kind":         {replaced(`"id": "acme"`, `"id": ["acme"]`), core.ErrCorrupt},
		"another schema":                  {replaced(`"schema": 1`, `"schema": 2`), core.ErrUnknownSchema},
		"another schema in another shape": {func(string) string { return `{"schema": 2, "releases": []}` }, core.ErrUnknownSchema},
		"no schema":                       {replaced(`"schema": 1,`, ""), core.ErrUnknownSchema},
		"nothing in it":                   {func(string) string { return "{}" }, core.ErrUnknownSchema},
		"another id":                      {replaced(`"id": "acme"`, `"id": "other"`), core.ErrCorrupt},
		"no id":                           {replaced(`"id": "acme",`, ""), core.ErrCorrupt},
		"half of it":                      {func(text string) string { return text[:len(text)/2] }, core.ErrCorrupt},
		"an empty file":                   {func(string) string { return "" }, core.ErrCorrupt},
		"more behind it":                  {func(text string) string { return text + "{}" }, core.ErrCorrupt},
		"a digest that leads out":         {named("../../../elsewhere"), core.ErrCorrupt},
		"one that leads in, as long":      {named(strings.Repeat("a/", 31) + "aa"), core.ErrCorrupt},
		"one in capitals":                 {func(text string) string { return digest.ReplaceAllStringFunc(text, strings.ToUpper) }, core.ErrCorrupt},
		"one of the bound that is none":   {replaced(`"highestDigest": "`, `"highestDigest": "x`), core.ErrCorrupt},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := storeAt(t)
			install(t, s, p, "1.0.0", 1)
			install(t, s, p, "1.1.0", 2)
			load(t, s, p) // this store remembers what it read
			path := filepath.Join(dir, "active", "acme.json")
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			damaged := c.damage(string(data))
			if damaged == string(data) {
				t.Fatalf("the record is not what it was:\n%s", data)
			}
			if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
				t.Fatal(err)
			}
			before := tree(t, dir)
			for _, s := range []*extension.Store{s, extension.OpenStore(dir, nil)} {
				_, err := s.Load(t.Context(), "acme", p.policy, later())
				refused(t, err, c.code, "record of extension acme")
				_, err = s.UnsafeLoadLocal(t.Context(), "acme")
				refused(t, err, c.code)
				_, err = s.Newest(t.Context(), "acme")
				refused(t, err, c.code)
				_, err = s.Install(t.Context(), content(t, p.signed(t, "1.2.0", 3)), p.policy, terms(), extension.InstallOptions{})
				refused(t, err, c.code)
				_, err = s.Rollback(t.Context(), "acme", p.policy, terms())
				refused(t, err, c.code)
				refused(t, s.Remove(t.Context(), "acme"), c.code)
				all, err := s.List(t.Context(), p.policy, terms())
				if err != nil || len(all) != 1 {
					t.Fatalf("listed are %v, %v", all, err)
				}
				refused(t, all[0].Err, c.code)
			}
			if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
				t.Errorf("it was written:\n%s", diff)
			}
		})
	}
}

func TestStoreGoesForwardOnly(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	for name, c := range map[string]struct {
		version  string
		sequence uint64
		says     string // "": it is taken
	}{
		"newer":                       {"1.3.0", 6, ""},
		"newer by sequence":           {"1.2.0", 6, ""},
		"prerelease of the next":      {"1.3.0-rc.1", 6, ""},
		"lower sequence":              {"1.3.0", 4, "sequence 4, and 5"},
		"same sequence":               {"1.3.0", 5, "another release"},
		"lower version":               {"1.1.9", 6, "1.2.0 was installed before"},
		"prerelease of the same":      {"1.2.0-rc.1", 6, "1.2.0 was installed before"},
		"the same with other bytes":   {"1.2.0+b", 5, "another release"},
		"a very large sequence":       {"1.3.0", 1<<64 - 1, ""},
		"a number above 53 bits less": {"1.3.0", 1, "sequence 1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, dir := storeAt(t)
			install(t, s, p, "1.2.0", 5)
			before := tree(t, dir)
			c1 := content(t, p.signed(t, c.version, c.sequence))
			_, err := s.Install(t.Context(), c1, p.policy, terms(), extension.InstallOptions{})
			if c.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			refused(t, err, core.ErrDowngrade, c.says)
			if after := tree(t, dir); len(after) != len(before) {
				t.Errorf("it was written: %v", after)
			}
			if load(t, s, p).Release().Version != "1.2.0" {
				t.Error("the one before is gone")
			}
			if _, err := s.Install(t.Context(), c1, p.policy, terms(), extension.InstallOptions{AllowDowngrade: true}); err != nil {
				t.Fatal(err)
			}
			if got := load(t, s, p).Release().Version; got != c.version {
				t.Errorf("got %s", got)
			}
		})
	}
}

// C346: a package that its author develops is never taken in the place of a verified one, nor when there is none.
func TestC346_UnsignedPackagesAreNoFallback(t *testing.T) {
	t.Parallel()
	s, _ := storeAt(t)
	p := newPublisher(t)
	local := content(t, with(sample(), "README.md", "local"))
	_, err := s.Install(t.Context(), local, p.policy, terms(), extension.InstallOptions{})
	refused(t, err, core.ErrUntrusted, "not signed")
	if _, err := s.Install(t.Context(), local, p.policy, terms(), extension.InstallOptions{UnsafeUnsigned: true}); err != nil {
		t.Fatal(err)
	}
	_, err = s.Load(t.Context(), "acme", p.policy, terms())
	refused(t, err, core.ErrNotInstalled)
	if pkg, err := s.UnsafeLoadLocal(t.Context(), "acme"); err != nil || !pkg.Unsafe() {
		t.Errorf("%v", err)
	}
	install(t, s, p, "1.0.0", 1)
	if pkg := load(t, s, p); pkg.Unsafe() {
		t.Error("the unsigned one is given")
	}
	if pkg, err := s.UnsafeLoadLocal(t.Context(), "acme"); err != nil || !pkg.Unsafe() {
		t.Errorf("%v", err)
	}
}

// The policy is asked at every load: what is revoked or past its time is used no more, whatever was installed.
func TestInstalledPackagesAreJudgedAnew(t *testing.T) {
	t.Parallel()
	s, _ := storeAt(t)
	p := newPublisher(t)
	install(t, s, p, "1.0.0", 1)
	load(t, s, p)
	revoked := &trust.Policy{Version: 2, Keys: p.policy.Keys, RevokedKeys: []string{p.signer.Public().ID}}
	_, err := s.Load(t.Context(), "acme", revoked, terms())
	refused(t, err, core.ErrRevoked)
	_, err = s.Load(t.Context(), "acme", &trust.Policy{}, terms())
	refused(t, err, core.ErrUntrusted)
	ended := &trust.Policy{Version: 2, Keys: []trust.Key{p.policy.Keys[0]}}
	ended.Keys[0].ValidUntil = now.Add(time.Minute)
	later := terms()
	later.Now = now.Add(time.Hour)
	if _, err := s.Load(t.Context(), "acme", ended, later); err != nil {
		t.Errorf("the end of a key ended what it signed: %v", err)
	}
	_, err = s.Install(t.Context(), content(t, p.signed(t, "1.1.0", 2)), ended, later, extension.InstallOptions{})
	refused(t, err, core.ErrUntrusted, "was valid until")
}
