package client

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Env looks up a variable.
type Env func(name string) (string, bool)

// Find is the absolute path of the client's executable, "" when there is none. The override variable wins, then the
// one that the host manages, then PATH. An override that names no executable is an error, since falling back would
// run another program than the user chose; a managed one that does not exist is passed over.
func Find(c preparer.Client, managed string, env Env) (string, error) {
	if c.Override != "" {
		if v, ok := env(c.Override); ok && strings.TrimSpace(v) != "" {
			if !executable(v) {
				return "", fault.New(fault.Invalid, "find client", "variable "+c.Override, "names no executable file").
					WithHint("correct the variable, or unset it")
			}
			return filepath.Abs(v)
		}
	}
	if managed != "" && executable(managed) {
		return managed, nil
	}
	for _, name := range c.Executables {
		if p := onPath(name, env); p != "" {
			return p, nil
		}
	}
	return "", nil
}

// Tools lists which of the client's tools are on PATH, sorted.
func Tools(c preparer.Client, env Env) []string {
	var have []string
	for _, tool := range c.Tools {
		if onPath(tool, env) != "" {
			have = append(have, tool)
		}
	}
	slices.Sort(have)
	return have
}

func onPath(name string, env Env) string {
	list, _ := env("PATH")
	for _, dir := range filepath.SplitList(list) {
		if !filepath.IsAbs(dir) {
			continue // a relative directory would find what a repository holds
		}
		for _, ending := range endings(env) {
			if p := filepath.Join(dir, name+ending); executable(p) {
				return p
			}
		}
	}
	return ""
}

func endings(env Env) []string {
	if runtime.GOOS != "windows" {
		return []string{""}
	}
	list, ok := env("PATHEXT")
	if !ok || list == "" {
		list = ".COM;.EXE;.BAT;.CMD"
	}
	return strings.Split(strings.ToLower(list), ";")
}

func executable(p string) bool {
	fi, err := os.Stat(p)
	if err != nil || !fi.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || fi.Mode().Perm()&0o111 != 0
}
