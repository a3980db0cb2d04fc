package access

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"time"

	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/secret"
	"github.com/greenroom-agents/greenroom/daemon/store"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The names of what is in a data directory.
const (
	Database = "greenroom.db"
	KeyFile  = "key"
)

// Personal is the workspace of a person at a terminal, who has the same plans in every directory.
const Personal = "personal"

// Config says what is opened. Dir, Now and Random are required.
type Config struct {
	// Dir is the absolute path of the data directory. It is made where there is none.
	Dir string
	// Database is the connection string of a PostgreSQL database that several daemons share, in the place of the file
	// in Dir. They need one Secret, or the same key file.
	Database string
	// Secret is what credentials are sealed with instead of the secret in the key file, at least 16 bytes. What the key
	// file sealed still opens, as long as it is there.
	Secret string
	// Keychain is where the secret is when the key file names it there, and with InKeychain a fresh one goes there.
	Keychain   secret.Keychain
	InKeychain bool
	// Legacy is what credentials of earlier installations were sealed with.
	Legacy []secret.Legacy
	// Proxy is the proxy of checks; see [detect.Config].
	Proxy  func(*http.Request) (*url.URL, error)
	Now    func() time.Time
	Random io.Reader
	// Native makes what asks the vendor's own client of a protocol in the check of an official subscription, and ends it.
	// nil: there is no such client.
	Native func(ctx context.Context, protocol preparer.Protocol) (asks detect.Native, end func(), err error)
	// Changed is told of each change that this process makes, after it was stored.
	Changed func(store.Change)
}

// Access is an open data directory. It is safe for concurrent use, and several processes may have one open.
type Access struct {
	*store.Store
	c        Config
	detector *detect.Detector
	checks   checks
}

// Open opens a data directory. Errors are [problem.Storage].
func Open(ctx context.Context, c Config) (*Access, error) {
	k := &keys{c: c}
	if _, err := k.ring(); err != nil {
		return nil, err
	}
	s, err := c.store(ctx, store.Config{Ring: k.ring, Now: c.Now, Random: c.Random, Changed: c.Changed})
	if err != nil {
		return nil, err
	}
	return &Access{Store: s, c: c, detector: detect.New(detect.Config{Proxy: c.Proxy, Now: c.Now, Random: c.Random})}, nil
}

func (c Config) store(ctx context.Context, sc store.Config) (*store.Store, error) {
	if c.Database != "" {
		return store.OpenPostgres(ctx, c.Database, sc)
	}
	return store.OpenSQLite(ctx, filepath.Join(c.Dir, Database), sc)
}

// Close closes what was opened.
func (a *Access) Close() error {
	a.detector.Close()
	return a.Store.Close()
}

// Rotate puts a fresh secret in the key file, seals every credential with it, and takes the old secrets away unless one of
// the credentials can be opened by none of them. It gives how many were sealed, and how many nothing opens. Others that have
// the directory open go on with the fresh secret; two rotations at once are not for it. Whoever is killed here leaves all that
// opens what is stored, and the next rotation takes the rest away. A Secret of the host's is not replaced: credentials
// are sealed with it, and the key file stays as it is.
func Rotate(ctx context.Context, c Config) (sealed, unreadable int, err error) {
	file := c.keyFile()
	var secrets [][]byte
	if c.Secret == "" {
		if secrets, err = file.Rotate(); err != nil {
			return 0, 0, err
		}
	}
	a, err := Open(ctx, c)
	if err != nil {
		return 0, 0, err
	}
	sealed, unreadable, err = a.Reseal(ctx)
	if err = errors.Join(err, a.Close()); err != nil || unreadable > 0 || c.Secret != "" {
		return sealed, unreadable, err
	}
	return sealed, unreadable, file.Prune(secrets[0])
}
