package secret

import (
	"io/fs"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

// private: the directories that key files lie in belong to the user alone by their access lists.
func private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return problem.New(problem.Storage, "", "the key file is no regular file")
	}
	return nil
}

// settle has nothing to do: directories cannot be synced here.
func settle(string) error { return nil }
