package cli

import (
	"context"
	"errors"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/access"
	"github.com/greenroom-agents/greenroom/daemon/api/client"
	"github.com/greenroom-agents/greenroom/daemon/detect"
	"github.com/greenroom-agents/greenroom/daemon/internal/socket"
	"github.com/greenroom-agents/greenroom/daemon/keychain"
	"github.com/greenroom-agents/greenroom/daemon/subscription"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// dataDir is the directory that plans and agents are kept in, which is not the one of sessions: what is there was typed by
// a person. It is not made here.
func (a *app) dataDir() (string, error) {
	if dir := a.env("GREENROOM_DATA"); dir != "" {
		return a.abs(dir), nil
	}
	if a.GOOS == "windows" {
		if local := a.env("LOCALAPPDATA"); filepath.IsAbs(local) {
			return filepath.Join(local, "greenroom", "data"), nil
		}
	} else if xdg := a.env("XDG_DATA_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "greenroom"), nil
	}
	if a.Home == "" {
		return "", refuse(codeNoHome, "set HOME, or name a directory with GREENROOM_DATA", "the user's home directory is not known")
	}
	switch a.GOOS {
	case "windows":
		return filepath.Join(a.Home, "AppData", "Local", "greenroom", "data"), nil
	case "darwin":
		return filepath.Join(a.Home, "Library", "Application Support", "greenroom-data"), nil
	}
	return filepath.Join(a.Home, ".local", "share", "greenroom"), nil
}

func (a *app) accessConfig() (access.Config, error) {
	dir, err := a.dataDir()
	return access.Config{
		Dir: dir, Database: a.env("GREENROOM_DATABASE"), Secret: a.env("GREENROOM_PLAN_SECRET"), Proxy: http.ProxyFromEnvironment, Now: a.Now, Random: a.Rand,
		Keychain: keychain.New("greenroom"), InKeychain: a.env("GREENROOM_PLAN_KEYCHAIN") == "1",
	}, err
}

// asking has official subscriptions checked by their own client, through a host that is opened for it.
func (a *app) asking(c *access.Config) {
	c.Native = func(ctx context.Context, protocol preparer.Protocol) (detect.Native, func(), error) {
		h, err := a.hostForState(ctx)
		if err != nil {
			return nil, nil, err
		}
		asks, end := a.native(ctx, h, protocol)
		return asks, func() { end(); _ = h.Close() }, nil
	}
}

// native is what asks the client of a subscription through a host.
func (a *app) native(ctx context.Context, h *core.Host, protocol preparer.Protocol) (detect.Native, func()) {
	c := subscription.New(subscription.Config{Host: h, Environ: a.Environ, TempDir: a.TempDir, Random: a.Rand}, protocol)
	return c, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		_ = c.Close(ctx) // what it cannot take away is among the sessions, to be cleaned up there
	}
}

// withAccess does some work on the plans and agents of the data directory: through the daemon that serves it, so that those
// who listen to that hear of it, else on the store itself. A database that is named is made for several, and needs no daemon
// between.
func (a *app) withAccess(ctx context.Context, work func(modelAccess) error) error {
	c, err := a.accessConfig()
	if err != nil {
		return err
	}
	if c.Database == "" {
		probe, err := socket.Dial(ctx, c.Dir)
		if errors.Is(err, socket.ErrStranger) {
			return refuse(codeStranger, "mend the owner and mode of the data directory", "%v", socket.ErrStranger)
		}
		if err == nil {
			_ = probe.Close()
			asked := client.New(client.Config{Dial: func(ctx context.Context) (net.Conn, error) { return socket.Dial(ctx, c.Dir) }})
			defer asked.Close()
			return work(served{asked})
		}
	}
	a.asking(&c)
	opened, err := access.Open(ctx, c)
	if err != nil {
		return err
	}
	defer opened.Close()
	return work(opened)
}
