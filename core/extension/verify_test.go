package extension_test

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
)

func TestVerifyGivesThePackageInADirectory(t *testing.T) {
	t.Parallel()
	p, dir := newPublisher(t), t.TempDir()
	place(t, dir, p.signed(t, "1.0.0", 1))
	pkg, err := extension.Verify(t.Context(), dir, p.policy, terms())
	if err != nil {
		t.Fatal(err)
	}
	if pkg.ID() != "acme" || pkg.Provider() != "acp:acme" || pkg.Unsafe() || pkg.Release().Version != "1.0.0" || pkg.Signers()[0].Name != "Acme" {
		t.Errorf("got %+v", pkg)
	}
	if !slices.Equal(pkg.Names(), []string{"README.md", "assets/icon.svg", "locales/en.json", "plugins/hello.py", "profiles/composer.json", "profiles/discovery.json", "tutti.agent.json"}) {
		t.Errorf("it holds %v", pkg.Names())
	}
	// What happens to the disk afterwards happens to nobody.
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if data, err := pkg.ReadFile("plugins/hello.py"); err != nil || string(data) != sample()["plugins/hello.py"] {
		t.Errorf("%q, %v", data, err)
	}
	if data, ok := pkg.Profile(extension.ProfileComposer); !ok || string(data) != sample()["profiles/composer.json"] {
		t.Errorf("%q, %v", data, ok)
	}
	if _, ok := pkg.Profile("events"); ok {
		t.Error("there is a profile that is not there")
	}
	data, _ := pkg.ReadFile("README.md")
	data[0] = 'X'
	if again, _ := pkg.ReadFile("README.md"); again[0] != '#' {
		t.Error("the package can be changed")
	}
}

// C346: changed bytes, a changed record and a stripped signature are refused, for each single file.
func TestC346_ChangedPackagesAreRefused(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	good := p.signed(t, "1.0.0", 1)
	other := newPublisher(t)
	type attack struct {
		files map[string]string
		code  core.Code
		says  string
	}
	attacks := map[string]attack{
		"added":             {with(good, "NOTICE", "added"), core.ErrTampered, "NOTICE: it was not signed"},
		"added, named same": {with(good, "readme.md", "added"), core.ErrPackage, "case"},
		"renamed":           {with(without(good, "README.md"), "NOTICE", good["README.md"]), core.ErrTampered, "NOTICE"},
		"not signed":        {without(good, extension.SignatureFile), core.ErrUntrusted, "not signed"},
		"other publisher":   {other.signed(t, "1.0.0", 1), core.ErrUntrusted, "expected is \"Acme\""},
		"half a signature":  {with(good, extension.SignatureFile, good[extension.SignatureFile][:200]), core.ErrUntrusted, "envelope"},
		"empty signature":   {with(good, extension.SignatureFile, ""), core.ErrUntrusted, "envelope"},
		"of another version": {with(good, extension.SignatureFile, p.sign(t, good, "1.0.1", 2)), core.ErrUntrusted,
			"describes acme 1.0.0, and was signed as acme 1.0.1"},
		"manifest v1": {func() map[string]string {
			v1 := with(good, extension.ManifestFile, strings.Replace(good[extension.ManifestFile], "manifest.v2", "manifest.v1", 1))
			return with(v1, extension.SignatureFile, p.sign(t, v1, "1.0.0", 1))
		}(), core.ErrPackage, "schemaVersion"},
	}
	for name, text := range good {
		if name == extension.SignatureFile {
			continue
		}
		changed := []byte(text)
		changed[len(changed)/2] ^= 1
		attacks["a byte of "+name] = attack{with(good, name, string(changed)), core.ErrTampered, name + ": its SHA-256 is"}
		if name != extension.ManifestFile {
			attacks["without "+name] = attack{without(good, name), core.ErrTampered, name + ": it was signed, and is missing"}
		}
	}
	if len(attacks) < 20 {
		t.Errorf("there are only %d attacks", len(attacks))
	}
	for name, a := range attacks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := extension.NewContent(bytesOf(without(a.files, extension.SignatureFile)), signature(a.files))
			if err == nil {
				_, err = c.Verify(p.policy, terms())
			}
			refused(t, err, a.code, a.says)
		})
	}
}

func signature(files map[string]string) []byte {
	if e, ok := files[extension.SignatureFile]; ok {
		return []byte(e)
	}
	return nil
}

// C346: links, programs and what is no file are refused in a directory.
func TestC346_DirectoriesHoldPlainFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("links and modes are those of Unix")
	}
	p := newPublisher(t)
	outside := filepath.Join(t.TempDir(), "secret.json")
	if err := os.WriteFile(outside, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		break_ func(dir string)
		says   string
	}{
		"file is a link":       {func(dir string) { must(os.Remove(dir + "/README.md")); must(os.Symlink(outside, dir+"/README.md")) }, "README.md: is a link"},
		"link inside":          {func(dir string) { must(os.Symlink("README.md", dir+"/NOTICE")) }, "NOTICE: is a link"},
		"dangling link":        {func(dir string) { must(os.Symlink("nowhere", dir+"/NOTICE")) }, "NOTICE: is a link"},
		"directory is a link":  {func(dir string) { must(os.Symlink(filepath.Dir(outside), dir+"/more")) }, "more: is a link"},
		"hard link":            {func(dir string) { must(os.Link(outside, dir+"/extra.json")) }, "another name"},
		"executable":           {func(dir string) { must(os.Chmod(dir+"/README.md", 0o744)) }, "README.md: is executable"},
		"executable for group": {func(dir string) { must(os.Chmod(dir+"/plugins/hello.py", 0o654)) }, "plugins/hello.py: is executable"},
		"hidden":               {func(dir string) { must(os.WriteFile(dir+"/.env.json", nil, 0o600)) }, "begins with a dot"},
		"a repository":         {func(dir string) { must(os.Mkdir(dir+"/.git", 0o700)) }, "begins with a dot"},
		"a program":            {func(dir string) { must(os.WriteFile(dir+"/run.exe", nil, 0o600)) }, "no kind of file"},
		"no ASCII":             {func(dir string) { must(os.WriteFile(dir+"/ré.md", nil, 0o600)) }, "ASCII"},
		"backslash":            {func(dir string) { must(os.WriteFile(dir+`/a\b.md`, nil, 0o600)) }, "ASCII"},
		"device":               {func(dir string) { must(os.WriteFile(dir+"/con.json", nil, 0o600)) }, "device"},
		"stream":               {func(dir string) { must(os.WriteFile(dir+"/a:b.json", nil, 0o600)) }, "ASCII"},
		"trailing dot":         {func(dir string) { must(os.WriteFile(dir+"/a.json.", nil, 0o600)) }, "ends with a dot"},
		"two cases":            {func(dir string) { must(os.WriteFile(dir+"/readme.md", nil, 0o600)) }, "case"},
		"two cases of a dir":   {func(dir string) { place(t, dir, map[string]string{"Locales/de.json": "{}"}) }, "case"},
		"large":                {func(dir string) { must(os.WriteFile(dir+"/big.json", make([]byte, extension.MaxFile+1), 0o600)) }, "more than"},
		"deep":                 {func(dir string) { must(os.MkdirAll(dir+strings.Repeat("/d", 30), 0o700)) }, "too many"},
		"many": {func(dir string) {
			for i := range 2 * extension.MaxFiles {
				must(os.WriteFile(filepath.Join(dir, "f"+strings.Repeat("x", i%50)+string(rune('a'+i/50))+".md"), nil, 0o600))
			}
		}, "too many"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			place(t, dir, p.signed(t, "1.0.0", 1))
			c.break_(dir)
			_, err := extension.Verify(t.Context(), dir, p.policy, terms())
			refused(t, err, core.ErrPackage, c.says)
		})
	}
	_, err := extension.ReadDirectory(t.Context(), filepath.Join(t.TempDir(), "none"))
	refused(t, err, core.ErrNotInstalled)
	_, err = extension.ReadDirectory(t.Context(), t.TempDir())
	refused(t, err, core.ErrPackage, "tutti.agent.json: is missing")
}

// Nobody has verified a package that its author develops, and it says so.
func TestUnverifiedPackagesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	c, err := extension.NewContent(bytesOf(sample()), nil)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := c.UnsafeUnverified()
	if err != nil {
		t.Fatal(err)
	}
	if !pkg.Unsafe() || len(pkg.Signers()) != 0 || !strings.HasPrefix(pkg.Release().Version, "1.0.0+local.") || len(pkg.Release().Version) != len("1.0.0+local.")+12 {
		t.Errorf("got %+v", pkg.Release())
	}
	other, err := extension.NewContent(bytesOf(with(sample(), "README.md", "other")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := other.UnsafeUnverified(); err != nil || changed.Digest() == pkg.Digest() {
		t.Errorf("another content has the same digest: %v", err)
	}
	_, err = c.Verify(newPublisher(t).policy, terms())
	refused(t, err, core.ErrUntrusted, "not signed")
}
