package manifest

import (
	"errors"
	"io/fs"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
)

// maxNote is the longest note, in bytes.
const maxNote = 64 << 10

// Note is what whoever runs clients in the session has kept under a key, nil for nothing. It goes when the session does.
func (l *Lease) Note(key string) ([]byte, error) {
	data, _, err := l.dir.ReadFile(noteFile(key), maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// KeepNote keeps something under a key, in the place of what was there.
func (l *Lease) KeepNote(key string, data []byte) error {
	return l.dir.WriteFile(noteFile(key), data, fsroot.WriteOptions{Mode: 0o600})
}

func noteFile(key string) string { return digest16("note", key) + ".json" }
