package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// Source gives the bytes of what a publisher offers, from wherever the host keeps or fetches them. Nothing that it gives is
// believed.
type Source interface {
	// Versions is the list of releases. An error lets the next source be asked, if there is one.
	Versions(ctx context.Context) ([]byte, error)
	// Artifact is the zip file of a release, of at most [MaxArtifact] bytes.
	Artifact(ctx context.Context, r *Release) ([]byte, error)
}

// VersionsFile is the name of the list in a directory.
const VersionsFile = "versions.json"

// Directory is a source in files, laid out as publishers lay it out: the list in versions.json, and beside it for each
// version a directory of that name with the zip file, which is called as at the end of its address. Links are followed.
type Directory string

var _ Source = Directory("")

// Versions reads versions.json.
func (d Directory) Versions(context.Context) ([]byte, error) {
	return d.read(VersionsFile, MaxVersions)
}

// Artifact reads the zip file of a release.
func (d Directory) Artifact(_ context.Context, r *Release) ([]byte, error) {
	where, err := url.Parse(r.URL)
	if err != nil {
		return nil, err // it was parsed before
	}
	name := path.Base(where.Path)
	if !filepath.IsLocal(name) || path.Ext(name) != ".zip" {
		return nil, fault.New(fault.PackageRules, "read", "release index", fmt.Sprintf("the address of %s %s ends in no name of a zip file", r.Key, r.Version))
	}
	return d.read(filepath.Join(r.Version, name), MaxArtifact)
}

func (d Directory) read(name string, limit int64) ([]byte, error) {
	data, _, err := fsroot.ReadInput(filepath.Join(string(d), name), limit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fault.Wrap(err, fault.NotInstalled, "read", "release index", "there is no "+filepath.ToSlash(name))
	case errors.Is(err, fsroot.ErrTooLarge):
		return nil, bad("release index", "", fmt.Sprintf("%s has more than %d bytes", filepath.ToSlash(name), limit))
	}
	return data, err
}

// First is the list of the first source that has one, read. The sources after it are not asked, whatever the list says: it is
// the word of whoever keeps it. What ailed all of them is told when none has one.
func First(ctx context.Context, sources ...Source) (Source, *Versions, error) {
	var all []error
	for _, s := range sources {
		document, err := s.Versions(ctx)
		if err == nil {
			v, err := ParseVersions(document)
			return s, v, err
		}
		all = append(all, err)
	}
	switch len(all) {
	case 0:
		return nil, nil, fault.New(fault.Invalid, "read", "release index", "none was given")
	case 1:
		return nil, nil, all[0]
	}
	var each []string
	for i, err := range all {
		each = append(each, fmt.Sprintf("%d. %s", i+1, plain(err)))
	}
	return nil, nil, fault.Wrap(errors.Join(all...), fault.NotInstalled, "read", "release index",
		fmt.Sprintf("none of %d can be read: %s", len(all), strings.Join(each, "; "))).WithHint("look at the addresses and directories; one that can be read is enough")
}
