package depot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/lockfile"
	"github.com/greenroom-agents/greenroom/core/trust"
)

// SignatureFile is the signature in the directory of a release.
const SignatureFile = "checksums.dsse.json"

// What lies in the directory of a depot, beside the lock file.
const (
	storeDir  = "store"  // binaries, each in a directory named by its digest
	signedDir = "signed" // the signatures that were believed, by the digest of what is signed
)

// maxBinary is how many bytes a binary may have.
const maxBinary = 1 << 30

// Depot is a directory with adapters. It is safe for concurrent use, also by several processes.
type Depot struct {
	dir      string
	platform string
	seam     *fsroot.Seam
}

// Open names the directory of a depot, by its absolute path, for a platform such as "linux/amd64". It is made when
// something is installed. For tests, before is called before each single call that changes the disk; nil is none.
func Open(dir, platform string, before func(n int64, call, path string) error) *Depot {
	d := &Depot{dir: dir, platform: platform}
	if before != nil {
		d.seam = &fsroot.Seam{Before: before}
	}
	return d
}

func (d *Depot) options() fsroot.Options { return fsroot.Options{Seam: d.seam, Label: "adapters"} }

func (d *Depot) onWindows() bool { return strings.HasPrefix(d.platform, "windows/") }

// binaryName is what an adapter's binary is called in the depot.
func (d *Depot) binaryName(id string) string {
	name := "greenroom-" + id
	if d.onWindows() {
		name += ".exe"
	}
	return name
}

func binaryDir(digest string) string { return path.Join(storeDir, digest) }

func signedName(statement string) string { return signedDir + "/" + statement + ".dsse.json" }

// lock opens the depot under its lock.
func (d *Depot) lock(ctx context.Context, tree *fsroot.Tree, mode fsroot.LockMode) (*fsroot.Tree, func(), error) {
	held, err := tree.Lock(ctx, mode, true)
	if err != nil {
		tree.Close()
		return nil, nil, err
	}
	return tree, func() { held.Unlock(); tree.Close() }, nil
}

func (d *Depot) exclusive(ctx context.Context) (*fsroot.Tree, func(), error) {
	tree, err := fsroot.Make(d.dir, d.options())
	if err != nil {
		return nil, nil, err
	}
	for _, dir := range []string{storeDir, signedDir} {
		if _, err := tree.MkdirAll(dir, 0o700); err != nil {
			tree.Close()
			return nil, nil, err
		}
	}
	return d.lock(ctx, tree, fsroot.Exclusive)
}

func readLock(tree *fsroot.Tree) (*lockfile.Lock, error) {
	data, _, err := tree.ReadFile(lockfile.Name, lockfile.MaxBytes)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return lockfile.Parse(data)
}

func writeLock(tree *fsroot.Tree, l *lockfile.Lock) error {
	data, err := l.Encode()
	if err != nil {
		return err
	}
	return tree.WriteFile(lockfile.Name, data, fsroot.WriteOptions{Sync: true})
}

// Held is one adapter of a depot.
type Held struct {
	lockfile.Adapter
	// Source starts it. It has no path when Err says why it cannot be used.
	Source adapter.Source
	Err    error
}

// Adapters are those of the lock file, sorted by ID, each verified anew: by its signature, and the policy as it is now.
// That the binary is the one of the lock is seen when it is started. A depot that is not there holds none.
func (d *Depot) Adapters(ctx context.Context, p *trust.Policy, t trust.Terms) ([]Held, error) {
	tree, err := fsroot.OpenWith(d.dir, d.options())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	tree, done, err := d.lock(ctx, tree, fsroot.Shared)
	if err != nil {
		return nil, err
	}
	defer done()
	l, err := readLock(tree)
	if err != nil {
		return nil, err
	}
	var all []Held
	for _, a := range l.Adapters {
		h := Held{Adapter: a}
		h.Source, h.Err = d.source(tree, a, p, t)
		all = append(all, h)
	}
	return all, nil
}

func (d *Depot) source(tree *fsroot.Tree, a lockfile.Adapter, p *trust.Policy, t trust.Terms) (adapter.Source, error) {
	subject := "adapter " + a.ID
	envelope, _, err := tree.ReadFile(signedName(a.Statement), trust.MaxEnvelope)
	if errors.Is(err, fs.ErrNotExist) {
		return adapter.Source{}, fault.New(fault.NotInstalled, "load", subject, "it is locked, and not installed here").WithHint(installHint)
	}
	if err != nil {
		return adapter.Source{}, err
	}
	t.Kind, t.ID, t.Installed = trust.Adapter, a.ID, true
	v, err := p.Verify(envelope, t)
	if err != nil {
		return adapter.Source{}, err
	}
	if v.Digest != a.Statement || !samePlatforms(locked(v).Platforms, a.Platforms) {
		return adapter.Source{}, fault.New(fault.Tampered, "load", subject, "the lock file says something else than what was signed").WithHint(installHint)
	}
	binary, ok := a.Platforms[d.platform]
	if !ok {
		return adapter.Source{}, d.noBinary(a)
	}
	at := path.Join(binaryDir(binary.SHA256), d.binaryName(a.ID))
	if info, err := tree.Lstat(at); err != nil || !info.Mode().IsRegular() || info.Size() != binary.Size {
		return adapter.Source{}, fault.New(fault.NotInstalled, "load", subject, "its binary is not the one of the lock file, or is not there").WithHint(installHint)
	}
	return adapter.Source{Provider: a.ID, Path: filepath.Join(d.dir, filepath.FromSlash(at)), SHA256: binary.SHA256}, nil
}

const installHint = "install it with `greenroom adapters install`"

func (d *Depot) noBinary(a lockfile.Adapter) error {
	return fault.New(fault.Incompatible, "load", "adapter "+a.ID+" "+a.Version,
		fmt.Sprintf("it has no binary for %s, but for %s", d.platform, strings.Join(slices.Sorted(maps.Keys(a.Platforms)), ", ")))
}

// locked is what the lock file says of a release.
func locked(v *trust.Verified) lockfile.Adapter {
	r := v.Release
	a := lockfile.Adapter{ID: r.ID, Version: r.Version, Sequence: r.Sequence, Protocols: r.Protocols, Statement: v.Digest,
		Platforms: map[string]lockfile.Binary{}}
	for _, s := range v.Signers {
		a.Signers = append(a.Signers, s.ID)
	}
	slices.Sort(a.Signers)
	for platform, b := range r.Platforms {
		a.Platforms[platform] = lockfile.Binary{SHA256: v.Files[b.File], Size: b.Size}
	}
	return a
}

func samePlatforms(a, b map[string]lockfile.Binary) bool { return maps.Equal(a, b) }
