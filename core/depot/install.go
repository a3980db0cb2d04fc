package depot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/internal/shelf"
	"github.com/greenroom-agents/greenroom/core/lockfile"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// InstallOptions are the rare choices of an installation.
type InstallOptions struct {
	// AllowDowngrade takes a release that is older than the one in the lock file.
	AllowDowngrade bool
	// LockOnly writes the lock file and installs no binary, as for a machine of another platform.
	LockOnly bool
}

// Verify says what the release in a directory is, if the policy believes it and the binaries that are there have the
// digests that were signed. A binary of another platform may be missing.
func (d *Depot) Verify(ctx context.Context, release string, p *trust.Policy, t trust.Terms) (lockfile.Adapter, error) {
	from, v, _, err := d.open(release, p, t)
	if err != nil {
		return lockfile.Adapter{}, err
	}
	defer from.Close()
	a := locked(v)
	for platform, b := range v.Release.Platforms {
		r, info, err := from.OpenFile(b.File)
		if errors.Is(err, fs.ErrNotExist) && platform != d.platform {
			continue
		}
		if err != nil {
			return a, missing(a, b.File, err)
		}
		sum, err := shelf.Hash(ctx, r)
		r.Close()
		if err != nil {
			return a, err
		}
		if err := matches(a, b, info.Size(), sum, v.Files[b.File]); err != nil {
			return a, err
		}
	}
	return a, nil
}

// open reads the signature of a release.
func (d *Depot) open(release string, p *trust.Policy, t trust.Terms) (*fsroot.Tree, *trust.Verified, []byte, error) {
	from, err := fsroot.OpenWith(release, fsroot.Options{Label: "release"})
	if err != nil {
		return nil, nil, nil, err
	}
	envelope, _, err := from.ReadFile(SignatureFile, trust.MaxEnvelope)
	if errors.Is(err, fs.ErrNotExist) {
		err = fault.New(fault.Untrusted, "verify", "adapter", "it is not signed: there is no "+SignatureFile).
			WithHint("sign it with `greenroom adapters sign`; while you develop an adapter, name it with --adapter and --unsafe-any-digest")
	}
	if err == nil {
		t.Kind, t.Installed = trust.Adapter, false
		var v *trust.Verified
		if v, err = p.Verify(envelope, t); err == nil {
			if len(v.Release.Platforms) == 0 {
				err = fault.New(fault.Untrusted, "verify", "adapter "+v.Release.ID, "it was signed for no platform")
			} else {
				return from, v, envelope, nil
			}
		}
	}
	from.Close()
	return nil, nil, nil, err
}

func missing(a lockfile.Adapter, file string, err error) error {
	return fault.Wrap(err, fault.NotInstalled, "install", fmt.Sprintf("adapter %s %s: %.100q", a.ID, a.Version, file), "the binary is not there, or is no regular file")
}

func matches(a lockfile.Adapter, b trust.Binary, size int64, got, want string) error {
	subject := fmt.Sprintf("adapter %s %s: %.100q", a.ID, a.Version, b.File)
	switch {
	case size != b.Size:
		return fault.New(fault.Tampered, "verify", subject, fmt.Sprintf("it has %d bytes, signed are %d", size, b.Size)).WithHint("fetch the release again")
	case got != want:
		return fault.New(fault.Tampered, "verify", subject, "its SHA-256 is "+got+", signed is "+want).WithHint("fetch the release again")
	}
	return nil
}

// Install locks the release in a directory, and takes the binary of this platform. Nothing is written before the release
// is believed, and the lock file is written last. Errors are those of [trust.Policy.Verify], fault.Tampered,
// fault.Incompatible where there is no binary for this platform, and fault.Downgrade.
func (d *Depot) Install(ctx context.Context, release string, p *trust.Policy, t trust.Terms, o InstallOptions) (lockfile.Adapter, error) {
	from, v, envelope, err := d.open(release, p, t)
	if err != nil {
		return lockfile.Adapter{}, err
	}
	defer from.Close()
	a := locked(v)
	binary, ok := v.Release.Platforms[d.platform]
	if !ok && !o.LockOnly {
		return a, d.noBinary(a)
	}
	tree, done, err := d.exclusive(ctx)
	if err != nil {
		return a, err
	}
	defer done()
	l, err := readLock(tree)
	if err != nil {
		return a, err
	}
	if old, ok := l.Find(a.ID); ok && !o.AllowDowngrade {
		if err := newer(a, old); err != nil {
			return a, err
		}
	}
	if !o.LockOnly {
		if err := d.take(ctx, from, tree, a, binary, v.Files[binary.File]); err != nil {
			return a, err
		}
	}
	if err := tree.WriteFile(signedName(a.Statement), envelope, fsroot.WriteOptions{Sync: true}); err != nil {
		return a, err
	}
	before := *l
	before.Adapters = slices.Clone(l.Adapters)
	l.Put(a)
	if err := writeLock(tree, l); err != nil {
		return a, err
	}
	d.prune(tree, &before, l)
	return a, nil
}

func newer(a, old lockfile.Adapter) error {
	if a.Sequence > old.Sequence || a.Statement == old.Statement {
		return nil
	}
	return fault.New(fault.Downgrade, "install", "adapter "+a.ID+" "+a.Version,
		fmt.Sprintf("it has sequence %d, and %s with %d is in the lock file", a.Sequence, old.Version, old.Sequence)).
		WithHint("if you want the older one, say so with --allow-downgrade")
}

// take copies a binary and hashes it in one pass. It gets its name after it was found to be the one that was signed.
func (d *Depot) take(ctx context.Context, from, tree *fsroot.Tree, a lockfile.Adapter, b trust.Binary, want string) error {
	program := shelf.Program{Tree: tree, Dir: storeDir, Digest: want, Name: d.binaryName(a.ID), Windows: d.onWindows()}
	if _, whole := program.Whole(ctx); whole {
		return nil
	}
	r, info, err := from.OpenFile(b.File)
	if err != nil {
		return missing(a, b.File, err)
	}
	defer r.Close()
	if info.Size() != b.Size {
		return matches(a, b, info.Size(), "", want)
	}
	got, n, err := program.Take(ctx, r, min(b.Size, maxBinary))
	if err != nil {
		return err
	}
	return matches(a, b, n, got, want)
}

// Remove takes an adapter out of the lock file and the depot.
func (d *Depot) Remove(ctx context.Context, id string) error {
	if _, err := fsroot.StatInput(d.dir); err != nil {
		return notLocked(id)
	}
	tree, done, err := d.exclusive(ctx)
	if err != nil {
		return err
	}
	defer done()
	l, err := readLock(tree)
	if err != nil {
		return err
	}
	if _, ok := l.Find(id); !ok {
		return notLocked(id)
	}
	l.Drop(id)
	if err := writeLock(tree, l); err != nil {
		return err
	}
	d.prune(tree, l)
	return nil
}

func notLocked(id string) error {
	return fault.New(fault.NotInstalled, "remove", fmt.Sprintf("adapter %.80q", id), "it is not in the lock file")
}

// prune removes what none of the locks names. What was locked until now stays, for hosts that run. What cannot be removed,
// such as a program that Windows executes, is so the next time.
func (d *Depot) prune(tree *fsroot.Tree, locks ...*lockfile.Lock) {
	kept := map[string]bool{}
	for _, l := range locks {
		for _, a := range l.Adapters {
			kept[binaryDir(a.Platforms[d.platform].SHA256)] = true
			kept[signedName(a.Statement)] = true
		}
	}
	for _, dir := range []string{storeDir, signedDir} {
		entries, err := tree.List(dir)
		if err != nil {
			continue
		}
		for _, e := range entries {
			if at := path.Join(dir, e.Name()); !kept[at] {
				_ = tree.RemoveAll(at)
			}
		}
	}
}
