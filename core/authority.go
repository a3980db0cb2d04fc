package core

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/input"
	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// check refuses a login that is nowhere.
func (l Login) check(name string) error {
	bad := func(detail string) error { return fault.New(fault.Invalid, "prepare", "login "+name, detail) }
	switch {
	case l.Path == "":
		return nil
	case strings.ContainsRune(l.Path, 0) || !utf8.ValidString(l.Path):
		return bad("its path holds a NUL byte, or is not UTF-8")
	case !filepath.IsAbs(l.Path):
		return bad("its path is not absolute")
	}
	return nil
}

// authorities are the logins that a session names, for the inputs of its adapter.
func authorities(s Session, d preparer.Descriptor) (map[string]input.Authority, error) {
	var out map[string]input.Authority
	for name, l := range s.Logins {
		bad := func(detail string) *Error { return fault.New(fault.Invalid, "prepare", "login "+name, detail) }
		if !slices.ContainsFunc(d.Inputs, func(i preparer.Input) bool { return i.Name == name && i.Secret && i.Kind == preparer.InputFile }) {
			return nil, bad("is no login that the adapter knows").WithHint("see what it reads: greenroom adapters show")
		}
		if l.Path != "" {
			l.Path = filepath.Clean(l.Path)
			if manifest.Within(l.Path) {
				return nil, bad("lies in the state of Greenroom, and would go with a session")
			}
		}
		if out == nil {
			out = make(map[string]input.Authority, len(s.Logins))
		}
		out[name] = input.Authority{Path: l.Path}
	}
	return out, nil
}
