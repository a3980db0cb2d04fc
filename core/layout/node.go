package layout

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"

	"github.com/greenroom-agents/greenroom/core/internal/fsroot"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Node is one thing below the session's directory, as it should be on the disk.
type Node struct {
	Path    string // clean, relative
	Kind    manifest.Kind
	Mode    fs.FileMode // of a file or directory
	Data    []byte      // of a file
	Target  string      // of a link, absolute
	Via     fsroot.LinkKind
	Custody manifest.Custody
	// Secret says that Data holds a credential: no digest of it is recorded.
	Secret bool
	// Keep leaves whatever link stands there already.
	Keep bool
	// Through says that the worth of a link is that the client writes through it.
	Through bool
	// Adopt says that a directory which stands in the place of a link is moved to where it leads before.
	Adopt bool
	// Login is the index of the login that the link exposes, or -1.
	Login int
	// Guards is one more than the index of the login whose lock the link leads to, or 0. Where links cannot be made it is
	// left out: a copy of a login is brought back under a lock of our own.
	Guards int
	// Why says where the content comes from, for people.
	Why string
}

// Tree is the concrete result of a layout for one session.
type Tree struct {
	Nodes []Node // sorted by path, parents first
	// Unlinked says that copies stand in the place of links; see [Tree.Unlink].
	Unlinked bool
	// Blocks are managed blocks and links in the workspace.
	Blocks []manifest.Block
	Logins []manifest.Login
	// Shares are directories of the user's that have to be there before the links to them are made.
	Shares []manifest.Share
	// Caches are directories below the cache root that have to exist.
	Caches []string
	Checks []preparer.Check
	Env    []Var
	Before []string
	After  []string
	// FirstPrompt is context behind the user's blocks of the first prompt.
	FirstPrompt string
	// Leases are the digests of the bundles that the session keeps alive.
	Leases []string
	// Bundles are where skills were placed.
	Bundles []Bundle
}

// Var is one change of the client's environment.
type Var struct {
	Name      string
	Op        preparer.EnvKind
	Value     string
	Separator string
	Secret    bool
}

// Bundle is a set of skills as it is placed below one directory.
type Bundle struct {
	Place string // session path, "" in the workspace
	Path  string // absolute, as the agent sees it
}

func short(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		sum := sha256.Sum256([]byte(p))
		h.Write(sum[:])
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
