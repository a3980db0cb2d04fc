package cli

import (
	"path/filepath"
)

// stateDir is the directory that sessions are kept in. It is not made here.
func (a *app) stateDir() (string, error) {
	for _, dir := range []string{a.state, a.env("GREENROOM_STATE")} {
		if dir != "" {
			return a.abs(dir), nil
		}
	}
	if a.GOOS == "windows" {
		if local := a.env("LOCALAPPDATA"); filepath.IsAbs(local) {
			return filepath.Join(local, "greenroom", "state"), nil
		}
	} else if xdg := a.env("XDG_STATE_HOME"); filepath.IsAbs(xdg) {
		return filepath.Join(xdg, "greenroom"), nil
	}
	if a.Home == "" {
		return "", refuse(codeNoHome, "set HOME, or name a directory with --state", "the user's home directory is not known")
	}
	switch a.GOOS {
	case "windows":
		return filepath.Join(a.Home, "AppData", "Local", "greenroom", "state"), nil
	case "darwin":
		return filepath.Join(a.Home, "Library", "Application Support", "greenroom"), nil
	}
	return filepath.Join(a.Home, ".local", "state", "greenroom"), nil
}

// abs is a path as seen from the working directory of the invocation.
func (a *app) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Cwd, path)
}
