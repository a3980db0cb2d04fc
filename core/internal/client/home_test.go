//go:build unix

package client

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestH11_HomesOfEverySystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user, native, state := filepath.Join(dir, "user"), filepath.Join(dir, "local"), filepath.Join(dir, "state")
	for _, d := range []string{"user", "local/vendor/tool", "state/s/one/tool"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(native, "file"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	plain := preparer.Home{ID: "tool", Env: "TOOL_HOME", Default: ".vendor/tool", WindowsNative: true}
	sub := preparer.Home{ID: "tool", Env: "XDG_CONFIG_HOME", Sub: "tool", Default: ".config/tool"}
	for name, c := range map[string]struct {
		home   preparer.Home
		os     string
		env    map[string]string
		want   string
		by     string
		nested bool
	}{
		"default":                        {plain, "linux", nil, filepath.Join(user, ".vendor/tool"), "default", false},
		"variable":                       {plain, "linux", map[string]string{"TOOL_HOME": "/x"}, "/x", "variable", false},
		"variable is the home itself":    {plain, "windows", map[string]string{"TOOL_HOME": "/x/", "LOCALAPPDATA": native}, "/x", "variable", false},
		"blank variable":                 {plain, "linux", map[string]string{"TOOL_HOME": " \t"}, filepath.Join(user, ".vendor/tool"), "default", false},
		"relative variable":              {plain, "linux", map[string]string{"TOOL_HOME": "rel"}, filepath.Join(dir, "cwd/rel"), "variable", false},
		"variable with a part":           {sub, "linux", map[string]string{"XDG_CONFIG_HOME": "/x"}, "/x/tool", "variable", false},
		"part only with the variable":    {sub, "linux", nil, filepath.Join(user, ".config/tool"), "default", false},
		"variable of a session":          {plain, "linux", map[string]string{"TOOL_HOME": filepath.Join(state, "s/one/tool")}, filepath.Join(user, ".vendor/tool"), "default", true},
		"native":                         {plain, "windows", map[string]string{"LOCALAPPDATA": native}, filepath.Join(native, "vendor/tool"), "native", false},
		"native after one of a session":  {plain, "windows", map[string]string{"LOCALAPPDATA": native, "TOOL_HOME": state}, filepath.Join(native, "vendor/tool"), "native", true},
		"native that is not there":       {plain, "windows", map[string]string{"LOCALAPPDATA": filepath.Join(dir, "none")}, filepath.Join(user, ".vendor/tool"), "default", false},
		"native root that is not known":  {plain, "windows", map[string]string{"LOCALAPPDATA": " "}, filepath.Join(user, ".vendor/tool"), "default", false},
		"native elsewhere":               {plain, "darwin", map[string]string{"LOCALAPPDATA": native}, filepath.Join(user, ".vendor/tool"), "default", false},
		"native that the client has not": {sub, "windows", map[string]string{"LOCALAPPDATA": native}, filepath.Join(user, ".config/tool"), "default", false},
		"native that is a file":          {preparer.Home{ID: "x", Default: ".file", WindowsNative: true}, "windows", map[string]string{"LOCALAPPDATA": native}, filepath.Join(user, ".file"), "default", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := FindHome(c.home, Place{
				OS: c.os, User: user, Cwd: filepath.Join(dir, "cwd"), Env: lookup(c.env),
				Ours: func(p string) bool { return strings.HasPrefix(p, state) },
			})
			if want := (Home{Path: c.want, By: c.by, Nested: c.nested}); err != nil || got != want {
				t.Errorf("found %+v, %v; want %+v", got, err, want)
			}
		})
	}
	_, err := FindHome(preparer.Home{ID: "x", Env: "X_HOME"}, Place{OS: "linux", User: user, Env: lookup(nil), Ours: func(string) bool { return false }})
	if !errors.Is(err, fault.Invalid) {
		t.Errorf("a home that nothing names: %v", err)
	}
}

func lookup(env map[string]string) Env {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func TestSupportedVersions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		version, want string
		ok            bool
	}{
		{"1.2.3", ">=1 <2", true}, {"2.0.0", ">=1 <2", false}, {"1.2.3", "", true}, {"", ">=1", true}, {"nonsense", ">=1", false},
		{"2.0.0-alpha.1", ">=1 <2", false},
	} {
		if ok, err := Supported(c.version, c.want); err != nil || ok != c.ok {
			t.Errorf("%q in %q: %v, %v", c.version, c.want, ok, err)
		}
	}
	if _, err := Supported("1.2.3", "so-so"); err == nil {
		t.Error("a range that is none is no error")
	}
}

func TestToolsAreLookedForOnAbsoluteDirectoriesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"rg", "git"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "plain"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	c := preparer.Client{Tools: []string{"rg", "plain", "none", "git"}}
	list := string(filepath.ListSeparator)
	if got := Tools(c, lookup(map[string]string{"PATH": "." + list + list + dir})); strings.Join(got, " ") != "git rg" {
		t.Errorf("tools %v", got)
	}
	if got := Tools(c, lookup(map[string]string{"PATH": filepath.Base(dir)})); len(got) != 0 {
		t.Errorf("tools by a relative directory: %v", got)
	}
}
