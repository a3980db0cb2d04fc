package core

import (
	"context"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/client"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// listSeparator separates the directories of a PATH-like variable on the system that sessions run on.
func listSeparator(windows bool) string {
	if windows {
		return ";"
	}
	return ":"
}

// environ applies the overlay of a session to a base environment. Where letter case does not tell variables apart, the
// spelling of the base stays.
func environ(p *Prepared, base []string, foldCase bool) []string {
	names := make([]string, 0, len(base)+len(p.Env))
	values := make(map[string]string, len(base)+len(p.Env))
	key := func(name string) string {
		if foldCase {
			return strings.ToUpper(name)
		}
		return name
	}
	spelt := make(map[string]string, len(base)+len(p.Env))
	set := func(name, value string) {
		k := key(name)
		if _, ok := spelt[k]; !ok {
			names = append(names, k)
			spelt[k] = name
		}
		values[k] = value
	}
	for _, kv := range base {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" || stripped(p.strip, key(name)) {
			continue
		}
		set(name, value)
	}
	for _, v := range p.Env {
		switch v.Op {
		case preparer.EnvSet:
			set(v.Name, v.Value)
		case preparer.EnvSetEmpty:
			set(v.Name, "")
		case preparer.EnvUnset:
			delete(values, key(v.Name))
		case preparer.EnvPrepend:
			set(v.Name, prepend(v.Value, values[key(v.Name)], v.Separator))
		case preparer.EnvAppend:
			set(v.Name, appendList(values[key(v.Name)], v.Value, v.Separator))
		}
	}
	out := make([]string, 0, len(names))
	for _, k := range names {
		if value, ok := values[k]; ok {
			out = append(out, spelt[k]+"="+value)
		}
	}
	return out
}

// stripped says whether a name is one of a list in which a trailing * stands for any ending.
func stripped(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		prefix, wild := strings.CutSuffix(pattern, "*")
		return pattern == name || wild && strings.HasPrefix(name, prefix)
	})
}

// prepend puts a directory first, and takes it out where it stood before, so that nested sessions do not pile it up.
func prepend(dir, list, sep string) string {
	out := []string{dir}
	for _, d := range strings.Split(list, sep) {
		if d != dir && (d != "" || list != "") {
			out = append(out, d)
		}
	}
	return strings.Join(out, sep)
}

// appendList adds the items that are not in the list yet, and keeps what is there.
func appendList(list, items, sep string) string {
	var have []string
	if list != "" {
		have = strings.Split(list, sep)
	}
	known := map[string]bool{}
	for _, h := range have {
		known[strings.TrimSpace(h)] = true
	}
	for _, item := range strings.Split(items, sep) {
		if !known[item] {
			have = append(have, item)
		}
	}
	return strings.Join(have, sep)
}

func clientCommand(ctx context.Context, p *Prepared, base, args []string) (*exec.Cmd, error) {
	if p.Executable == "" {
		return nil, fault.New(fault.ClientMissing, "start client", p.Provider, "no client was found").
			WithHint("install the client, or name its executable")
	}
	all := append(append(append([]string{}, p.Args...), args...), p.ArgsAfter...)
	cmd := exec.CommandContext(ctx, p.Executable, all...)
	cmd.Dir = p.Cwd
	cmd.Env = environ(p, base, runtime.GOOS == "windows")
	client.OwnGroup(cmd)
	return cmd, nil
}

// lookup finds a variable in an environment in the form of os.Environ. The last one counts.
func lookup(env []string, name string, foldCase bool) (string, bool) {
	for i := len(env) - 1; i >= 0; i-- {
		key, value, ok := strings.Cut(env[i], "=")
		if ok && (key == name || foldCase && strings.EqualFold(key, name)) {
			return value, true
		}
	}
	return "", false
}
