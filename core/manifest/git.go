package manifest

import (
	"bytes"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// maxIndex bounds an index of git that is looked into.
const maxIndex = 256 << 20

// tracked says whether git has a file of the workspace in its index: such a file is not ours to remove. It looks from
// the workspace upwards, as git does.
func (w *Workspace) tracked(rel string) bool {
	for dir := w.record.Path; ; dir = filepath.Dir(dir) {
		if in, err := fsroot.StatInput(filepath.Join(dir, ".git")); err == nil {
			index, _, err := fsroot.ReadInput(filepath.Join(gitDir(dir, in.Kind), "index"), maxIndex)
			below, _ := filepath.Rel(dir, filepath.Join(w.record.Path, filepath.FromSlash(rel)))
			return err == nil && listed(index, filepath.ToSlash(below))
		}
		if dir == filepath.Dir(dir) {
			return false
		}
	}
}

// gitDir is where git keeps what it knows of a directory: in .git, or where the file of that name says, as in a worktree.
func gitDir(dir string, kind fsroot.InputKind) string {
	at := filepath.Join(dir, ".git")
	if kind != fsroot.InputFile {
		return at
	}
	data, _, err := fsroot.ReadInput(at, 1<<16)
	to, ok := bytes.CutPrefix(data, []byte("gitdir:"))
	if err != nil || !ok {
		return at
	}
	path := filepath.FromSlash(string(bytes.TrimSpace(to)))
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return path
}

// listed says whether an index has a path. The name of an entry follows its length, in the low 12 bits of two bytes,
// and two further bytes of flags where it has those. Version 4 writes instead of the beginning of a name that the entry
// before shares how much to cut off that, in one byte for all but the longest paths; there another path of the same
// length and ending may be taken for this one, and then an empty file stays that could have gone.
func listed(index []byte, rel string) bool {
	short := len(index) > 8 && index[7] == 4
	for from := 0; from < len(rel); from++ {
		name := []byte(rel[from:] + "\x00")
		for rest, at := index, 0; ; {
			i := bytes.Index(rest, name)
			if i < 0 {
				break
			}
			at += i
			end := at
			if short {
				end--
			}
			if lengthAt(index, end-2) == len(rel) || lengthAt(index, end-4) == len(rel) {
				return true
			}
			at++
			rest = index[at:]
		}
		if !short {
			return false
		}
	}
	return false
}

func lengthAt(index []byte, at int) int {
	if at < 0 || at+2 > len(index) {
		return -1
	}
	return int(index[at]&0x0f)<<8 | int(index[at+1])
}
