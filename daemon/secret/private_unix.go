//go:build unix

package secret

import (
	"io/fs"

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
