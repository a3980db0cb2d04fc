package checkup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

const subjectState = "state directory"

// lowSpace is how little free space is worth a word, in bytes. A session takes some kilobytes, the client in it more.
const lowSpace = 100 << 20

// State tries whether a directory can hold sessions: it is a directory that is only for its owner, it can be written,
// and two openers of one directory exclude each other with flock. One that does not exist yet is tried where it would
// be made.
func State(dir string) []Finding {
	at, info, err := nearest(dir)
	if err != nil {
		return []Finding{wrong("cannot be looked at: "+reason(err), "name another one with --state")}
	}
	if !info.IsDir() {
		return []Finding{wrong(at+" is not a directory", "move it away, or name another directory with --state")}
	}
	text := dir
	if at != dir {
		text += " (made when it is needed)"
	}
	all := []Finding{}
	if at == dir && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		all = append(all, wrong(fmt.Sprintf("is open to others (%04o)", info.Mode().Perm()), "chmod 700 "+dir))
	}
	probe, err := os.MkdirTemp(at, ".greenroom-doctor-*")
	if err != nil {
		return append(all, wrong("cannot be written: "+reason(err), "mend its owner and mode, or name another one with --state"))
	}
	defer os.Remove(probe)
	if err := excludes(probe); err != nil {
		all = append(all, wrong("lies on a file system without working locks: "+reason(err), "name a directory on a local disk with --state"))
	}
	if free, ok := freeBytes(at); ok && free < lowSpace {
		all = append(all, Finding{Notice, subjectState, fmt.Sprintf("has %d MB left", free>>20), "make room on its disk"})
	}
	if len(all) == 0 {
		all = append(all, Finding{Level: Fine, Subject: subjectState, Text: text})
	}
	return all
}

func wrong(text, hint string) Finding {
	return Finding{Level: Wrong, Subject: subjectState, Text: text, Hint: hint}
}

// reason is an error without the path, which is said already.
func reason(err error) string {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err.Error()
	}
	return err.Error()
}

// nearest is the directory itself, or the nearest parent that exists.
func nearest(dir string) (string, fs.FileInfo, error) {
	for {
		info, err := os.Stat(dir)
		if !errors.Is(err, fs.ErrNotExist) {
			return dir, info, err
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return dir, nil, err
		}
		dir = parent
	}
}
