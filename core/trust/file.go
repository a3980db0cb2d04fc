package trust

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// ReadFile reads the policy of a host from a file, by its absolute path. Where there is none, nobody is trusted. A file
// that others may write to is refused, since whoever can write it decides on all that is trusted.
func ReadFile(path string) (*Policy, error) {
	tree, err := fsroot.OpenWith(filepath.Dir(path), fsroot.Options{Label: "trust policy"})
	if errors.Is(err, fs.ErrNotExist) {
		return &Policy{Schema: Schema, Keys: []Key{}}, nil
	}
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	return readIn(tree, filepath.Base(path))
}

func readIn(tree *fsroot.Tree, name string) (*Policy, error) {
	data, info, err := tree.ReadFile(name, MaxPolicy)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &Policy{Schema: Schema, Keys: []Key{}}, nil
	case err != nil:
		return nil, err
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return nil, fault.New(fault.TrustPolicy, "read", "trust policy", "others than its owner may write to it").
			WithHint("look at what it says, then take that permission away: chmod 600")
	}
	return ParsePolicy(data)
}

// ChangeFile changes the policy in a file, which is made when it is absent, and gives the new one. Others that change it
// at the same time wait. Its version grows by one, unless change gives it a higher one.
func ChangeFile(ctx context.Context, path string, change func(*Policy) error) (*Policy, error) {
	tree, err := fsroot.Make(filepath.Dir(path), fsroot.Options{Label: "trust policy"})
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	lock, err := tree.Lock(ctx, fsroot.Exclusive, true)
	if err != nil {
		return nil, err
	}
	defer lock.Unlock()
	p, err := readIn(tree, filepath.Base(path))
	if err != nil {
		return nil, err
	}
	before := p.Version
	if err := change(p); err != nil {
		return nil, err
	}
	p.Version = max(p.Version, before+1)
	data, err := p.Encode()
	if err != nil {
		return nil, err
	}
	return p, tree.WriteFile(filepath.Base(path), data, fsroot.WriteOptions{Mode: 0o600, Sync: true})
}
