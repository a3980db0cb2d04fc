package extension_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/extension"
)

type zipEntry struct {
	name, text string
	mode       fs.FileMode
}

func zipOf(t testing.TB, entries ...zipEntry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			h.SetMode(e.mode)
		} else {
			h.SetMode(0o644)
		}
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(e.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestZipHoldsTheSamePackage(t *testing.T) {
	t.Parallel()
	p := newPublisher(t)
	c := content(t, p.signed(t, "1.0.0", 1))
	data, err := c.Zip()
	if err != nil {
		t.Fatal(err)
	}
	again, err := extension.ParseZip(t.Context(), data)
	if err != nil {
		t.Fatal(err)
	}
	direct, err := c.Verify(p.policy, terms())
	if err != nil {
		t.Fatal(err)
	}
	if pkg, err := again.Verify(p.policy, terms()); err != nil || pkg.Digest() != direct.Digest() {
		t.Errorf("%v", err)
	}
	if second, err := again.Zip(); err != nil || !bytes.Equal(second, data) {
		t.Errorf("equal packages are unequal archives: %v", err)
	}
}

// C346: archives are held to the rules of directories, whatever form a trap has.
func TestC346_ArchivesHoldPlainFiles(t *testing.T) {
	t.Parallel()
	var whole []zipEntry
	for name, text := range sample() {
		whole = append(whole, zipEntry{name: name, text: text})
	}
	many := make([]zipEntry, 100_000)
	for i := range many {
		many[i] = zipEntry{name: fmt.Sprintf("f%d.md", i)}
	}
	with := func(e ...zipEntry) []byte { return zipOf(t, append(append([]zipEntry{}, whole...), e...)...) }
	for name, c := range map[string]struct {
		data []byte
		says string
	}{
		"100000 entries":   {zipOf(t, many...), "entries"},
		"300 entries":      {zipOf(t, many[:300]...), "files"},
		"bomb":             {with(zipEntry{name: "big.json", text: strings.Repeat("0", extension.MaxFile+1)}), "more than"},
		"bomb of many":     {with(bombs()...), "more than"},
		"link":             {with(zipEntry{name: "l.md", text: "README.md", mode: fs.ModeSymlink | 0o777}), "l.md: is a link"},
		"link as dir":      {with(zipEntry{name: "more", text: "/etc", mode: fs.ModeSymlink | 0o777}), "is a link"},
		"device":           {with(zipEntry{name: "d.md", mode: fs.ModeDevice | 0o600}), "no regular file"},
		"fifo":             {with(zipEntry{name: "d.md", mode: fs.ModeNamedPipe | 0o600}), "no regular file"},
		"executable":       {with(zipEntry{name: "x.md", mode: 0o755}), "is executable"},
		"up":               {with(zipEntry{name: "../x.md"}), "not relative and clean"},
		"up inside":        {with(zipEntry{name: "a/../../x.md"}), "not relative and clean"},
		"absolute":         {with(zipEntry{name: "/etc/x.md"}), "not relative and clean"},
		"drive":            {with(zipEntry{name: "c:/x.md"}), "ASCII"},
		"backslash":        {with(zipEntry{name: `..\x.md`}), "ASCII"},
		"stream":           {with(zipEntry{name: "x.md:y.md"}), "ASCII"},
		"device name":      {with(zipEntry{name: "nul.md"}), "device"},
		"trailing dot":     {with(zipEntry{name: "x.md."}), "dot"},
		"trailing space":   {with(zipEntry{name: "x.md "}), "ASCII"},
		"nul byte":         {with(zipEntry{name: "x.md\x00.json"}), "ASCII"},
		"hidden":           {with(zipEntry{name: ".git/config.json"}), "begins with a dot"},
		"twice":            {with(zipEntry{name: "README.md", text: "other"}), "twice"},
		"two cases":        {with(zipEntry{name: "readme.MD", text: "other"}), "case"},
		"two forms":        {with(zipEntry{name: "re\u0301.md"}), "ASCII"},
		"file and dir":     {with(zipEntry{name: "README.md/x.md"}), "case"},
		"program":          {with(zipEntry{name: "run.sh", text: "#!/bin/sh"}), "no kind of file"},
		"no zip":           {[]byte("PK"), "no zip"},
		"cut":              {with()[:500], "no zip"},
		"nothing":          {nil, "no zip"},
		"empty":            {zipOf(t), "tutti.agent.json: is missing"},
		"directory of ..":  {with(zipEntry{name: "../", mode: fs.ModeDir | 0o755}), "not relative and clean"},
		"size that is off": {lie(with()), "what the archive says"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := extension.ParseZip(t.Context(), c.data)
			refused(t, err, core.ErrPackage, c.says)
		})
	}
	if _, err := extension.ParseZip(t.Context(), with(zipEntry{name: "profiles/", mode: fs.ModeDir | 0o755})); err != nil {
		t.Errorf("an entry for a directory: %v", err)
	}
}

// bombs unfold to more than a package may have, and are small.
func bombs() []zipEntry {
	var all []zipEntry
	for i := range 5 {
		all = append(all, zipEntry{name: fmt.Sprintf("b%d.json", i), text: strings.Repeat("0", extension.MaxFile)})
	}
	return all
}

// lie makes the directory of an archive name another size for its first file.
func lie(data []byte) []byte {
	data = bytes.Clone(data)
	i := bytes.Index(data, []byte("PK\x01\x02"))
	data[i+24]++ // uncompressed size
	return data
}

// Whatever a package is read from: it is refused by a code of its own, or holds the files that it says, by names that mean
// one file everywhere.
func FuzzPackage(f *testing.F) {
	p := newPublisher(f)
	good, err := content(f, p.signed(f, "1.0.0", 1)).Zip()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(good[:len(good)/2])
	f.Add(zipOf(f, zipEntry{name: "../x.md"}, zipEntry{name: "tutti.agent.json", text: "{}"}))
	f.Add(zipOf(f, zipEntry{name: "tutti.agent.json", text: sample()["tutti.agent.json"]}))
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := extension.ParseZip(t.Context(), data)
		if err != nil {
			if code := core.CodeOf(err); code != core.ErrPackage {
				t.Fatalf("%v [%s]", err, code)
			}
			return
		}
		folded := map[string]bool{}
		total := 0
		for _, name := range c.Names() {
			if !fs.ValidPath(name) || strings.ContainsAny(name, `\: `) || folded[strings.ToLower(name)] {
				t.Fatalf("the name %q was taken", name)
			}
			folded[strings.ToLower(name)] = true
			text, err := c.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			total += len(text)
		}
		if total > extension.MaxTotal || len(folded) > extension.MaxFiles {
			t.Fatalf("%d bytes in %d files", total, len(folded))
		}
		pkg, err := c.UnsafeUnverified()
		if (err == nil) != (len(c.Validate()) == 0) {
			t.Fatalf("validation finds %v, and a package is made with %v", c.Validate(), err)
		}
		if err == nil && pkg.ID() != pkg.Manifest().AgentKey {
			t.Fatalf("it is called %q", pkg.ID())
		}
		if v, err := c.Verify(p.policy, terms()); err == nil && v.ID() != "acme" {
			t.Fatalf("%s was verified", v.ID())
		}
	})
}
