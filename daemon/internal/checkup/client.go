package checkup

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Client looks for the client of an adapter and for the tools that it is better with, in the environment that env
// answers for.
func Client(provider string, c preparer.Client, env func(string) string) []Finding {
	subject := "client " + provider
	var all []Finding
	switch path, problem := executable(c, env); {
	case problem != "":
		all = append(all, Finding{Wrong, subject, problem, "unset " + c.Override + ", or name an executable file with it"})
	case path != "":
		all = append(all, Finding{Level: Fine, Subject: subject, Text: path})
	case len(c.Executables) > 0:
		all = append(all, Finding{Notice, subject, "is not on PATH: " + strings.Join(c.Executables, ", "),
			"install it, to run sessions; they can be prepared without it"})
	}
	for _, tool := range c.Tools {
		if onPath(tool, env) == "" {
			all = append(all, Finding{Notice, subject, "works better with " + tool + ", which is not on PATH", "install " + tool})
		}
	}
	return all
}

// executable is the path of the client, "" when there is none, and what is wrong with the one that a person named.
func executable(c preparer.Client, env func(string) string) (path, problem string) {
	if c.Override != "" {
		if named := strings.TrimSpace(env(c.Override)); named != "" {
			if !runs(named) {
				return "", c.Override + " names " + named + ", which cannot be run"
			}
			return named, ""
		}
	}
	for _, name := range c.Executables {
		if path := onPath(name, env); path != "" {
			return path, ""
		}
	}
	return "", ""
}

func onPath(name string, env func(string) string) string {
	endings := []string{""}
	if runtime.GOOS == "windows" {
		endings = strings.Split(strings.ToLower(env("PATHEXT")), ";")
	}
	for _, dir := range filepath.SplitList(env("PATH")) {
		for _, ending := range endings {
			if path := filepath.Join(dir, name+ending); filepath.IsAbs(dir) && runs(path) {
				return path
			}
		}
	}
	return ""
}

func runs(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && (runtime.GOOS == "windows" || info.Mode()&0o111 != 0)
}
