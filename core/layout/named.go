package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// named adds a file below a directory under the name that is made of the path of the workspace: of the one that the
// session has, and of the one that a client sees when it asks the system.
func (c *compiler) named(n Node, by preparer.PathName) error {
	dir, spelt := n.Path, c.Handles.Roots.Workspace
	for _, workspace := range []string{spelt, real(spelt)} {
		name := fileName(workspace, by)
		if n.Path == path.Join(dir, name) {
			break // there is no link in it
		}
		n.Path = path.Join(dir, name)
		if err := c.add(n); err != nil {
			return err
		}
	}
	return nil
}

// fileName is the name of a file that is made of the path of a directory.
func fileName(dir string, by preparer.PathName) string {
	dir = strings.TrimRight(strings.ReplaceAll(filepath.ToSlash(dir), `\`, "/"), "/")
	var slug strings.Builder
	for _, r := range strings.ToLower(dir[strings.LastIndexByte(dir, '/')+1:]) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
			slug.WriteRune(r)
		} else if text := slug.String(); text == "" || text[len(text)-1] != 0 {
			slug.WriteByte(0) // for a run of others
		}
	}
	name := strings.Trim(strings.ReplaceAll(slug.String(), "\x00", "-"), "-")
	if len(name) > by.Slug {
		name = strings.TrimRight(name[:by.Slug], "-")
	}
	if name == "" || name == "." || name == ".." {
		name = "workspace"
	}
	sum := sha256.Sum256([]byte(dir))
	return by.Prefix + name + "_" + hex.EncodeToString(sum[:])[:by.Digest]
}
