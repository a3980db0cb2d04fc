package shelf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// programMode is that of a program: nobody may write to it.
const programMode fs.FileMode = 0o500

// making is the name of a program that is being made by whoever holds the lock.
const making = ".making"

// Program is a program that stands at dir/digest/name of a tree. Its functions are for who holds the lock, of the directory or
// of the tree.
type Program struct {
	Tree              *fsroot.Tree
	Dir, Digest, Name string
	// Windows says that a file keeps no mode.
	Windows bool
}

func (p Program) at() string { return path.Join(p.Dir, p.Digest, p.Name) }

// Whole says whether the program stands as it was taken, by all of its bytes, and what describes its file.
func (p Program) Whole(ctx context.Context) (fs.FileInfo, bool) {
	r, info, err := p.Tree.OpenFile(p.at())
	if err != nil {
		return nil, false
	}
	defer r.Close()
	sum, err := Hash(ctx, r)
	return info, err == nil && sum == p.Digest && (p.Windows || info.Mode().Perm() == programMode)
}

// Take copies what r gives, and hashes it on the way. It gets its place, in that of a damaged one, when it was found to be what
// the digest says; sum and n say what it was. What runs of one that gives way goes on running.
func (p Program) Take(ctx context.Context, r io.Reader, limit int64) (sum string, n int64, err error) {
	temp, dir := path.Join(p.Dir, making), path.Join(p.Dir, p.Digest)
	if err := p.Tree.RemoveAll(temp); err != nil {
		return "", 0, err
	}
	h := sha256.New()
	n, err = p.Tree.WriteFrom(temp, io.TeeReader(reader{ctx, r}, h), limit, programMode)
	if err != nil {
		return "", n, errors.Join(err, p.Tree.RemoveAll(temp))
	}
	if sum = hex.EncodeToString(h.Sum(nil)); sum != p.Digest {
		return sum, n, p.Tree.RemoveAll(temp)
	}
	if err := p.room(dir); err != nil {
		return sum, n, errors.Join(err, p.Tree.RemoveAll(temp))
	}
	if err := p.Tree.Rename(temp, p.at()); err != nil {
		return sum, n, err
	}
	if err := p.Tree.Sync(dir); err != nil {
		return sum, n, err
	}
	return sum, n, p.Tree.Sync(p.Dir)
}

// room makes the directory of the program, and takes what is no file out of its place.
func (p Program) room(dir string) error {
	if info, err := p.Tree.Lstat(dir); err == nil && !info.IsDir() {
		if err := p.Tree.RemoveAll(dir); err != nil {
			return err
		}
	}
	if made, err := p.Tree.MkdirAll(dir, 0o700); err != nil {
		return err
	} else if len(made) == 0 {
		if err := p.Tree.Chmod(dir, 0o700); err != nil { // one that was closed to writing
			return err
		}
	}
	if info, err := p.Tree.Lstat(p.at()); err == nil && info.IsDir() {
		return p.Tree.RemoveAll(p.at())
	}
	return nil
}

// Hash is the SHA-256 of what r gives, in hexadecimal digits. It ends with the context.
func Hash(ctx context.Context, r io.Reader) (string, error) {
	h := sha256.New()
	_, err := io.Copy(h, reader{ctx, r})
	return hex.EncodeToString(h.Sum(nil)), err
}

// reader ends reading with its context.
type reader struct {
	ctx context.Context
	r   io.Reader
}

func (r reader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.r.Read(p)
}
