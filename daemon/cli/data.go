package cli

import (
	"context"
	"net/http"
	"path/filepath"

	"github.com/greenroom-agents/greenroom/daemon/access"
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
	}, err
}

// withAccess opens the data directory for some work.
func (a *app) withAccess(ctx context.Context, work func(*access.Access) error) error {
	c, err := a.accessConfig()
	if err != nil {
		return err
	}
	opened, err := access.Open(ctx, c)
	if err != nil {
		return err
	}
	defer opened.Close()
	return work(opened)
}
