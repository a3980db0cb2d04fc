package extension

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"maps"
	"path"

	"github.com/greenroom-agents/greenroom/core/extension/index"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// released is where content came from: a zip file that the signed document of a release names by its digest, to which it was
// held when it was read.
type released struct {
	*index.Release
	artifact []byte
}

// ReadReleased reads the package in the zip file of a release, which is held to the digest of it first. The content is
// signed by the document of the release, which a [Store] keeps together with the zip file. Errors: fault.Tampered for
// another zip file, and those of [ParseZip].
func ReadReleased(ctx context.Context, r *index.Release, artifact []byte) (*Content, error) {
	if err := r.Holds(artifact); err != nil {
		return nil, err
	}
	c, err := ParseZip(ctx, artifact)
	if err != nil {
		return nil, err
	}
	c.release = &released{r, bytes.Clone(artifact)}
	return c, nil
}

// Find gives the package of the release that fits, from the first of some sources that can be read, and says what newer
// ones were left out. A release that the signature in its package says is expired, revoked or for another version of
// Greenroom is left out like one of which the list says so. Nothing is installed. Errors are those of
// [index.Versions.Select], [ReadReleased] and [Content.Verify].
func Find(ctx context.Context, id string, p *trust.Policy, t trust.Terms, w index.Wanted, sources ...index.Source) (*Content, []index.Left, error) {
	from, v, err := index.First(ctx, sources...)
	if err != nil {
		return nil, nil, err
	}
	if v.Key != id {
		return nil, nil, fault.New(fault.PackageRules, "select", "extension "+clip(id), "the index is that of "+v.Key)
	}
	t.ID, t.Installed = id, false
	for {
		r, left, err := v.Select(p, t, w)
		if err != nil {
			return nil, left, err
		}
		artifact, err := from.Artifact(ctx, r)
		if err != nil {
			return nil, left, err
		}
		c, err := ReadReleased(ctx, r, artifact)
		if err != nil {
			return nil, left, err
		}
		_, err = c.Verify(p, t)
		switch code := fault.CodeOf(err); code {
		case "":
			return c, left, nil
		case fault.Revoked, fault.Expired, fault.Downgrade, fault.Incompatible:
			v.Reject(r.Version, err)
		default:
			return nil, left, err
		}
	}
}

// Names of what lies in the store of a package that came with the document of a release. No package may hold a zip file, so
// that there is no mistaking one for the other.
const (
	releaseFile  = "RELEASE.json"
	artifactFile = "ARTIFACT.zip"
)

// stored are the files of an object in the store, by their path.
func (c *Content) stored() map[string][]byte {
	if c.release != nil {
		return map[string][]byte{releaseFile: c.release.Document(), artifactFile: c.release.artifact}
	}
	files := maps.Clone(c.files)
	if c.envelope != nil {
		files[SignatureFile] = c.envelope
	}
	return files
}

// readObject reads what [Content.stored] was put down as.
func readObject(ctx context.Context, tree *fsroot.Tree, at string) (*Content, error) {
	if _, err := tree.Lstat(path.Join(at, artifactFile)); errors.Is(err, fs.ErrNotExist) {
		return readTree(ctx, tree, at)
	}
	entries, err := tree.List(at)
	if err != nil {
		return nil, unreadable(err)
	}
	if len(entries) != 2 {
		return nil, refuse("package", "holds something beside the zip file and the document of its release")
	}
	document, err := readPlain(tree, at, releaseFile, index.MaxRelease)
	if err != nil {
		return nil, err
	}
	artifact, err := readPlain(tree, at, artifactFile, index.MaxArtifact)
	if err != nil {
		return nil, err
	}
	r, err := index.ParseRelease(document)
	if err != nil {
		return nil, err
	}
	return ReadReleased(ctx, r, artifact)
}

func readPlain(tree *fsroot.Tree, dir, name string, limit int64) ([]byte, error) {
	info, err := tree.Lstat(path.Join(dir, name))
	if err != nil {
		return nil, unreadable(err)
	}
	if err := plainFile(name, info); err != nil {
		return nil, err
	}
	return tree.ReadSeen(path.Join(dir, name), info, limit)
}
