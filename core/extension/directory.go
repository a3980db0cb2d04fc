package extension

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"runtime"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// ReadDirectory reads the package in a directory, without following a link. Everything in it belongs to the package.
func ReadDirectory(ctx context.Context, dir string) (*Content, error) {
	tree, err := fsroot.OpenWith(dir, fsroot.Options{Label: "package"})
	if err != nil {
		return nil, unreadable(err)
	}
	defer tree.Close()
	return readTree(ctx, tree, ".")
}

func readTree(ctx context.Context, tree *fsroot.Tree, at string) (*Content, error) {
	r := treeReader{tree: tree, top: at, builder: newBuilder()}
	if err := r.directory(ctx, at, 0); err != nil {
		return nil, err
	}
	return r.builder.content()
}

type treeReader struct {
	tree    *fsroot.Tree
	top     string
	seen    int
	builder *builder
}

// maxDeep is how deep directories of a package may lie in each other.
const maxDeep = 16

func (r *treeReader) directory(ctx context.Context, dir string, depth int) error {
	entries, err := r.tree.List(dir)
	if err != nil {
		return unreadable(err)
	}
	// Before a name is looked at: a directory may hold a hundred thousand of them.
	if r.seen += len(entries); r.seen > 2*MaxFiles || depth > maxDeep {
		return refuse("package", "holds too many files or directories")
	}
	for _, e := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := r.entry(ctx, path.Join(dir, e.Name()), depth); err != nil {
			return err
		}
	}
	return nil
}

func (r *treeReader) entry(ctx context.Context, at string, depth int) error {
	name := at
	if r.top != "." {
		name = at[len(r.top)+1:]
	}
	if bad := badPath(name); bad != "" {
		return refuseFile(name, bad)
	}
	info, err := r.tree.Lstat(at)
	if err != nil {
		return unreadable(err)
	}
	if info.IsDir() {
		return r.directory(ctx, at, depth+1)
	}
	if err := plainFile(name, info); err != nil {
		return err
	}
	if err := r.builder.allow(name, info.Size()); err != nil {
		return err
	}
	data, err := r.tree.ReadSeen(at, info, MaxFile)
	if err != nil {
		return unreadable(err)
	}
	return r.builder.add(name, data)
}

// plainFile says why what info describes is not just a file.
func plainFile(name string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return refuseFile(name, "is a link").WithHint("put the file itself in its place")
	case !info.Mode().IsRegular():
		return refuseFile(name, "is no regular file")
	case runtime.GOOS != "windows" && info.Mode()&0o111 != 0:
		return refuseFile(name, "is executable").WithHint("take the permission to execute away: chmod a-x")
	case fsroot.Links(info) > 1:
		return refuseFile(name, "has another name elsewhere, by which it could be changed").WithHint("copy the file")
	}
	return nil
}

// unreadable types the errors of a directory that is no package.
func unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Wrap(err, fault.NotInstalled, "read", "package", "there is no package")
	}
	return err
}
