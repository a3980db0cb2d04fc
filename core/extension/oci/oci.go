package oci

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"

	"github.com/opencontainers/image-spec/specs-go"
	ocispec "github.com/opencontainers/image-spec/specs-go/v1"
	"oras.land/oras-go/v2/content"
	layout "oras.land/oras-go/v2/content/oci"

	"github.com/greenroom-agents/greenroom/core/extension"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// Types of what a layout holds.
const (
	ArtifactType  = "application/vnd.greenroom.extension.v1"
	FileType      = "application/vnd.greenroom.extension.file.v1"
	SignatureType = "application/vnd.dsse.envelope.v1+json"
)

// maxIndex is how many bytes the index of a layout may have.
const maxIndex = 1 << 20

// Layout is a package as the files of a layout, by their path, under a tag. The tag is a version, with "_" for "+".
// Equal packages are equal layouts.
func Layout(c *extension.Content, tag string) (map[string][]byte, error) {
	l := &writer{files: map[string][]byte{}}
	var layers []ocispec.Descriptor
	for _, name := range c.Names() {
		data, err := c.ReadFile(name)
		if err != nil {
			return nil, err
		}
		d := l.blob(FileType, data)
		d.Annotations = map[string]string{ocispec.AnnotationTitle: name}
		layers = append(layers, d)
	}
	root, err := l.manifest(ArtifactType, layers, nil)
	if err != nil {
		return nil, err
	}
	index := ocispec.Index{Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageIndex}
	tagged := root
	tagged.Annotations = map[string]string{ocispec.AnnotationRefName: strings.ReplaceAll(tag, "+", "_")}
	index.Manifests = append(index.Manifests, tagged)
	if envelope := c.Signature(); envelope != nil {
		d := l.blob(SignatureType, envelope)
		d.Annotations = map[string]string{ocispec.AnnotationTitle: extension.SignatureFile}
		signature, err := l.manifest(SignatureType, []ocispec.Descriptor{d}, &root)
		if err != nil {
			return nil, err
		}
		index.Manifests = append(index.Manifests, signature)
	}
	if l.files[ocispec.ImageIndexFile], err = json.Marshal(index); err != nil {
		return nil, err
	}
	l.files[ocispec.ImageLayoutFile], err = json.Marshal(ocispec.ImageLayout{Version: ocispec.ImageLayoutVersion})
	return l.files, err
}

// writer keeps blobs as the files of a layout.
type writer struct{ files map[string][]byte }

func (w *writer) blob(kind string, data []byte) ocispec.Descriptor {
	d := content.NewDescriptorFromBytes(kind, data)
	w.files[ocispec.ImageBlobsDir+"/"+d.Digest.Algorithm().String()+"/"+d.Digest.Encoded()] = data
	return d
}

func (w *writer) manifest(kind string, layers []ocispec.Descriptor, subject *ocispec.Descriptor) (ocispec.Descriptor, error) {
	w.blob(ocispec.MediaTypeEmptyJSON, ocispec.DescriptorEmptyJSON.Data)
	data, err := json.Marshal(ocispec.Manifest{
		Versioned: specs.Versioned{SchemaVersion: 2}, MediaType: ocispec.MediaTypeImageManifest, ArtifactType: kind,
		Config: ocispec.DescriptorEmptyJSON, Layers: layers, Subject: subject,
	})
	d := w.blob(ocispec.MediaTypeImageManifest, data)
	d.ArtifactType = kind
	return d, err
}

// Is says whether the directory at a path is a layout.
func Is(dir string) bool {
	in, err := fsroot.StatInput(strings.TrimRight(dir, "/") + "/" + ocispec.ImageLayoutFile)
	return err == nil && in.Kind == fsroot.InputFile
}

// Read reads the package with a tag in the layout at a path. Without a tag the layout has to hold one package. No link
// is followed.
func Read(ctx context.Context, dir, tag string) (*extension.Content, error) {
	tree, err := fsroot.OpenWith(dir, fsroot.Options{Label: "layout"})
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	store, err := layout.NewFromFS(ctx, &plainFS{tree: tree})
	if err != nil {
		return nil, bad("the layout cannot be read: " + brief(err))
	}
	if tag == "" {
		if tag, err = only(ctx, store); err != nil {
			return nil, err
		}
	}
	root, err := store.Resolve(ctx, tag)
	if err != nil {
		return nil, bad(fmt.Sprintf("it holds nothing under the tag %.80q", tag))
	}
	m, err := manifest(ctx, store, root, ArtifactType)
	if err != nil {
		return nil, err
	}
	files, err := layers(ctx, store, m.Layers)
	if err != nil {
		return nil, err
	}
	envelope, err := signature(ctx, store, root)
	if err != nil {
		return nil, err
	}
	return extension.NewContent(files, envelope)
}

func only(ctx context.Context, store *layout.ReadOnlyStore) (string, error) {
	var all []string
	if err := store.Tags(ctx, "", func(tags []string) error { all = append(all, tags...); return nil }); err != nil {
		return "", bad("its tags cannot be read")
	}
	if len(all) != 1 {
		return "", bad(fmt.Sprintf("it holds %d tags, and it is not said which one is meant", len(all)))
	}
	return all[0], nil
}

// manifest is that of a descriptor, of the kind that it has to be; "" is any.
func manifest(ctx context.Context, store *layout.ReadOnlyStore, d ocispec.Descriptor, kind string) (ocispec.Manifest, error) {
	var m ocispec.Manifest
	if d.Size > maxIndex {
		return m, bad("a manifest is too large")
	}
	data, err := content.FetchAll(ctx, store, d)
	if err != nil {
		return m, bad("a manifest is not the one of its digest: " + brief(err))
	}
	if json.Unmarshal(data, &m) != nil {
		return m, bad("a manifest is not valid JSON")
	}
	if kind != "" && m.ArtifactType != kind {
		return m, bad(fmt.Sprintf("a manifest is of the type %.100q, expected is %q", m.ArtifactType, kind))
	}
	return m, nil
}

func layers(ctx context.Context, store *layout.ReadOnlyStore, list []ocispec.Descriptor) (map[string][]byte, error) {
	files := map[string][]byte{}
	var total int64
	for _, d := range list {
		name := d.Annotations[ocispec.AnnotationTitle]
		_, twice := files[name]
		total += max(d.Size, 0)
		switch {
		case d.MediaType != FileType || twice || name == extension.SignatureFile:
			return nil, bad(fmt.Sprintf("the layer %.80q stands twice, or is no file of a package", name))
		case len(list) > extension.MaxFiles || d.Size < 0 || d.Size > extension.MaxFile || total > extension.MaxTotal:
			return nil, bad("it is larger than a package may be")
		}
		data, err := content.FetchAll(ctx, store, d)
		if err != nil {
			return nil, bad(fmt.Sprintf("the layer %.80q is not the one of its digest: %s", name, brief(err)))
		}
		files[name] = data
	}
	return files, nil
}

// signature is what refers to the package, nil when nothing does.
func signature(ctx context.Context, store *layout.ReadOnlyStore, root ocispec.Descriptor) ([]byte, error) {
	referrers, err := store.Predecessors(ctx, root)
	if err != nil {
		return nil, bad("its signature cannot be found")
	}
	var found []byte
	for _, d := range referrers {
		m, err := manifest(ctx, store, d, "")
		if err != nil {
			return nil, err
		}
		if m.ArtifactType != SignatureType {
			continue
		}
		if found != nil || len(m.Layers) != 1 || m.Layers[0].MediaType != SignatureType || m.Layers[0].Size > maxIndex {
			return nil, bad("it has more than one signature, or one that is none")
		}
		if found, err = content.FetchAll(ctx, store, m.Layers[0]); err != nil {
			return nil, bad("the signature is not the one of its digest: " + brief(err))
		}
	}
	return found, nil
}

func bad(detail string) error { return fault.New(fault.PackageRules, "read", "layout", detail) }

// brief is an error of the library without the rest of its story.
func brief(err error) string {
	text := err.Error()
	return fmt.Sprintf("%.160s", text)
}

// plainFS gives the regular files of a directory, and follows no link.
type plainFS struct {
	mu   sync.Mutex // a tree serves one caller at a time
	tree *fsroot.Tree
}

func (p *plainFS) Open(name string) (fs.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r, info, err := p.tree.OpenFile(name)
	if err != nil {
		return nil, err
	}
	limit := int64(extension.MaxFile)
	if name == ocispec.ImageIndexFile || name == ocispec.ImageLayoutFile {
		limit = maxIndex
	}
	if info.Size() > limit {
		r.Close()
		return nil, bad("a file of it is larger than the limit")
	}
	return plainFile{r, info}, nil
}

type plainFile struct {
	io.ReadCloser
	info fs.FileInfo
}

func (f plainFile) Stat() (fs.FileInfo, error) { return f.info, nil }
