package client

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Place is the machine that homes are looked for on. It is passed in whole, so that the rules of one system can be
// tested on another.
type Place struct {
	OS   string // as GOOS
	User string // absolute path of the user's home directory
	Cwd  string // relative values of variables are relative to it
	Env  Env
	// Ours says whether a path lies below a state directory of Greenroom. A home there is that of a session.
	Ours func(path string) bool
}

// Home is a client home that was found.
type Home struct {
	Path string
	By   string // "variable", "native" or "default"
	// Nested says that the variable named the home of a session, as it does inside of one, and was passed over.
	Nested bool
}

// FindHome finds a home of the user's. Whether it exists is not looked at, but for the native rule of Windows.
func FindHome(h preparer.Home, at Place) (Home, error) {
	var found Home
	if h.Env != "" {
		if v, ok := at.Env(h.Env); ok && strings.TrimSpace(v) != "" {
			if !filepath.IsAbs(v) {
				v = filepath.Join(at.Cwd, v)
			}
			p := filepath.Join(v, filepath.FromSlash(h.Sub))
			if !at.Ours(p) {
				return Home{Path: p, By: "variable"}, nil
			}
			found.Nested = true
		}
	}
	if h.Default == "" {
		return found, fault.New(fault.Invalid, "find home", "home:"+h.ID, "no variable names it").
			WithHint("set " + h.Env)
	}
	found.Path, found.By = filepath.Join(at.User, filepath.FromSlash(h.Default)), "default"
	if p, ok := native(h, at); ok {
		found.Path, found.By = p, "native"
	}
	if at.Ours(found.Path) {
		return found, fault.New(fault.Invalid, "find home", "home:"+h.ID, "lies in a state directory of Greenroom, where the homes of sessions are").
			WithHint("have the user's own directory there, and no link, or name it by a variable")
	}
	return found, nil
}

// native is the directory below the native cache root of Windows, when it is there: .vendor is %LOCALAPPDATA%\vendor.
func native(h preparer.Home, at Place) (string, bool) {
	if !h.WindowsNative || at.OS != "windows" || !strings.HasPrefix(h.Default, ".") {
		return "", false
	}
	root, ok := at.Env("LOCALAPPDATA")
	if !ok || strings.TrimSpace(root) == "" {
		return "", false
	}
	p := filepath.Join(root, filepath.FromSlash(strings.TrimPrefix(h.Default, ".")))
	fi, err := os.Stat(p)
	return p, err == nil && fi.IsDir()
}
