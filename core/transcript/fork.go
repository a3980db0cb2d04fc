package transcript

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io/fs"
	"path"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const (
	// maxFile bounds one transcript.
	maxFile = 256 << 20
	// maxDepth bounds how deep they are looked for below a directory; the clients that are known go three deep.
	maxDepth = 8
)

// Fork copies the transcript of a conversation from one tree to the other, at the same relative path, durably. Where
// the other tree has the conversation already, also in another of the directories, that file is completed or stays.
func Fork(ctx context.Context, from, to *fsroot.Tree, at preparer.Transcripts, id string) error {
	source, err := one(ctx, from, at, id)
	if err != nil {
		return err
	}
	if source == "" {
		return refused("the conversation was not found in the session that it is to come from")
	}
	data, err := read(from, source)
	if err != nil {
		return err
	}
	switch {
	case whole(data) < len(data) || len(data) == 0:
		return refused("it has a line that is no record")
	case idOf(data, at.ID) != id:
		return refused("its first record names another conversation")
	}
	target, err := one(ctx, to, at, id)
	if err != nil {
		return err
	}
	if target == "" {
		target = source
		if _, err := to.MkdirAll(path.Dir(target), 0o700); err != nil {
			return err
		}
	} else if done, err := settle(to, target, data, at.ID, id); done || err != nil {
		return err
	}
	if again, err := read(from, source); err != nil || !bytes.Equal(again, data) {
		return refused("it changed while it was read").WithHint("wait until the client has written it, and try again")
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := to.WriteFile(target, data, fsroot.WriteOptions{Mode: 0o600, Sync: true}); err != nil {
		return err
	}
	if written, err := read(to, target); err != nil || sha256.Sum256(written) != sha256.Sum256(data) {
		return refused("what was written is not what was read")
	}
	return nil
}

// settle looks at what the target has of the conversation. done says that it may stay as it is.
func settle(to *fsroot.Tree, target string, data []byte, key preparer.KeyPath, id string) (done bool, err error) {
	have, err := read(to, target)
	if err != nil {
		return false, err
	}
	good := whole(have)
	switch {
	case bytes.Equal(have, data):
		return true, nil
	case good == 0 || idOf(have, key) != id:
		return false, refused("the file of its name in the other session cannot be told to be the same conversation")
	case good == len(have) && begins(have, data):
		return true, nil // it went on
	case begins(data, have[:good]):
		return false, nil // it was cut off, or its last record was
	case begins(have[:good], data):
		return false, refused("in the other session it went on, and its end there is damaged")
	}
	return false, refused("in the other session it went on in another way")
}

func read(tree *fsroot.Tree, rel string) ([]byte, error) {
	data, _, err := tree.ReadFile(rel, maxFile)
	return data, err
}

// one is the path of the conversation's file, "" when there is none. Files that have the id in their name count, and
// where there is none of these, files whose first record has it.
func one(ctx context.Context, tree *fsroot.Tree, at preparer.Transcripts, id string) (string, error) {
	var named, others []string
	for _, dir := range at.Dirs {
		if err := walk(ctx, tree, dir, maxDepth, func(rel string, link bool) error {
			switch holds := strings.Contains(path.Base(rel), id); {
			case link && holds:
				return fault.New(fault.LinkRefused, "fork conversation", "session:"+rel, "a link stands where its file should")
			case link || !strings.HasSuffix(rel, at.Suffix):
			case holds:
				named = append(named, rel)
			default:
				others = append(others, rel)
			}
			return nil
		}); err != nil {
			return "", err
		}
	}
	if len(named) == 0 {
		for _, rel := range others {
			data, err := read(tree, rel)
			if err != nil {
				return "", err
			}
			if idOf(data, at.ID) == id {
				named = append(named, rel)
			}
		}
	}
	if len(named) > 1 {
		return "", refused("a session has it in several files")
	}
	if len(named) == 0 {
		return "", nil
	}
	return named[0], nil
}

// walk shows each file and each link below a directory, and looks behind no link. That the directory itself lies behind one
// is an error.
func walk(ctx context.Context, tree *fsroot.Tree, dir string, depth int, see func(rel string, link bool) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := tree.List(dir)
	if errors.Is(err, fs.ErrNotExist) || depth == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		rel := path.Join(dir, e.Name())
		if e.IsDir() {
			err = walk(ctx, tree, rel, depth-1, see)
		} else if e.Type().IsRegular() || e.Type()&fs.ModeSymlink != 0 {
			err = see(rel, !e.Type().IsRegular())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func refused(detail string) *fault.Error {
	return fault.New(fault.Transcript, "fork conversation", "transcript", detail)
}
