package oci

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"

	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// craft is a layout of somebody who means harm: every digest in it is right, and the rest is as it is given.
type craft struct {
	*writer
	layers     []ocispec.Descriptor
	signatures [][]ocispec.Descriptor // the layers of each
}

func newCraft() *craft {
	c := &craft{writer: &writer{files: map[string][]byte{}}}
	c.add(extension.ManifestFile, []byte(`{"schemaVersion":"tutti.agent.manifest.v2"}`))
	c.add("README.md", []byte("# Acme\n"))
	c.sign(c.blob(SignatureType, []byte(`{"signed":true}`)))
	return c
}

// add adds a file under a title, and gives its layer.
func (c *craft) add(title string, data []byte) *ocispec.Descriptor {
	d := c.blob(FileType, data)
	d.Annotations = map[string]string{ocispec.AnnotationTitle: title}
	c.layers = append(c.layers, d)
	return &c.layers[len(c.layers)-1]
}

// sign adds a signature of some layers.
func (c *craft) sign(layers ...ocispec.Descriptor) { c.signatures = append(c.signatures, layers) }

// place writes the layout into a directory.
func (c *craft) place(t *testing.T) string {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	root, err := c.manifest(ArtifactType, c.layers, nil)
	must(err)
	tagged := root
	tagged.Annotations = map[string]string{ocispec.AnnotationRefName: "1.0.0"}
	index := ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex, Manifests: []ocispec.Descriptor{tagged}}
	for _, layers := range c.signatures {
		signature, err := c.manifest(SignatureType, layers, &root)
		must(err)
		index.Manifests = append(index.Manifests, signature)
	}
	c.files[ocispec.ImageIndexFile], err = json.Marshal(index)
	must(err)
	c.files[ocispec.ImageLayoutFile], err = json.Marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion})
	must(err)
	dir := t.TempDir()
	for name, data := range c.files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		must(os.MkdirAll(filepath.Dir(at), 0o755))
		must(os.WriteFile(at, data, 0o644))
	}
	return dir
}

// C346: a layout is held to the rules of directories, and its descriptors to what they describe. Each of these is whole by
// its digests.
func TestC346_LayoutsHoldPlainFiles(t *testing.T) {
	t.Parallel()
	titled := func(title string) func(*craft) {
		return func(c *craft) { c.add(title, []byte("x")) }
	}
	for name, c := range map[string]struct {
		change func(*craft)
		says   string // "": it is read
	}{
		"nothing of it": {func(*craft) {}, ""},
		"one file more": {titled("docs/more.md"), ""},

		"up":              {titled("../x.md"), "not relative and clean"},
		"up inside":       {titled("a/../../x.md"), "not relative and clean"},
		"absolute":        {titled("/etc/x.md"), "not relative and clean"},
		"backslash":       {titled(`..\x.md`), "ASCII"},
		"drive":           {titled("c:/x.md"), "ASCII"},
		"repository":      {titled(".git/config.json"), "begins with a dot"},
		"a hook":          {titled(".git/hooks/pre-commit"), "begins with a dot"},
		"two cases":       {titled("readme.MD"), "case"},
		"two directories": {func(c *craft) { c.add("docs/a.md", nil); c.add("Docs/b.md", nil) }, "case"},
		"file and dir":    {titled("README.md/x.md"), "case"},
		"device":          {titled("nul.md"), "device"},
		"program":         {titled("run.sh"), "no kind of file"},
		"no title":        {titled(""), "has no name"},
		"twice":           {titled("README.md"), "stands twice"},
		"twice the same":  {func(c *craft) { c.layers = append(c.layers, c.layers[1]) }, "stands twice"},
		"the signature":   {titled(extension.SignatureFile), "is no file of a package"},

		"another type":   {func(c *craft) { c.layers[1].MediaType = "application/octet-stream" }, "is no file of a package"},
		"another layout": {func(c *craft) { c.layers[1].MediaType = ocispec.MediaTypeImageManifest }, "layout"},
		"many": {func(c *craft) {
			for i := range extension.MaxFiles {
				c.add(fmt.Sprintf("f%d.md", i), []byte("x"))
			}
		}, "larger than a package may be"},
		"large":       {func(c *craft) { c.add("big.json", bytes.Repeat([]byte("0"), extension.MaxFile+1)) }, "larger than a package may be"},
		"large by it": {func(c *craft) { c.layers[1].Size = extension.MaxFile + 1 }, "larger than a package may be"},
		"large in all": {func(c *craft) {
			for i := range extension.MaxTotal/extension.MaxFile + 1 {
				c.add(fmt.Sprintf("b%d.json", i), bytes.Repeat([]byte("0"), extension.MaxFile))
			}
		}, "larger than a package may be"},
		"a byte more":       {func(c *craft) { c.layers[1].Size++ }, "not the one of its digest"},
		"a byte less":       {func(c *craft) { c.layers[1].Size-- }, "not the one of its digest"},
		"less than nothing": {func(c *craft) { c.layers[1].Size = -1 }, "larger than a package may be"},
		"another's digest":  {func(c *craft) { c.layers[1].Digest = c.layers[0].Digest }, "not the one of its digest"},

		"two signatures": {func(c *craft) { c.sign(c.blob(SignatureType, []byte(`{"signed":"too"}`))) }, "more than one signature"},
		"two in one":     {func(c *craft) { c.signatures[0] = slices.Repeat(c.signatures[0], 2) }, "more than one signature"},
		"none in one":    {func(c *craft) { c.signatures[0] = []ocispec.Descriptor{} }, "one that is none"},
		"no signature":   {func(c *craft) { c.signatures[0][0].MediaType = FileType }, "one that is none"},
		"a large one": {func(c *craft) {
			c.signatures[0][0] = c.blob(SignatureType, bytes.Repeat([]byte(" "), maxIndex+1))
		}, "one that is none"},
		"a byte more of it": {func(c *craft) { c.signatures[0][0].Size++ }, "not the one of its digest"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			layout := newCraft()
			c.change(layout)
			got, err := Read(t.Context(), layout.place(t), "1.0.0")
			switch {
			case c.says == "" && (err != nil || string(got.Signature()) != `{"signed":true}`):
				t.Errorf("gave %v, %v", got, err)
			case c.says != "" && (!errors.Is(err, fault.PackageRules) || !strings.Contains(err.Error(), c.says)):
				t.Errorf("gave %v [%s], want %s that says %q", err, fault.CodeOf(err), fault.PackageRules, c.says)
			}
		})
	}
}
