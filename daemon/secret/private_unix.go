//go:build unix

package secret

import (
	"errors"
	"io/fs"
	"os"

	"github.com/greenroom-agents/greenroom/daemon/problem"
)

func private(info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return problem.New(problem.Storage, "", "the key file is no regular file")
	}
	if info.Mode().Perm()&0o077 != 0 {
		return problem.New(problem.Storage, "", "the key file is open to others").WithHint("chmod 600 it; if others may have read it, rotate it too")
	}
	return nil
}

// settle has the names in a directory outlive a loss of power.
func settle(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
