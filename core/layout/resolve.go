package layout

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/input"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Text is a document that core rendered.
type Text struct {
	Whole    string
	Sections map[string]string
}

// Roots are the absolute directories of one session.
type Roots struct {
	Session   string
	Workspace string
	User      string
	Cache     string
	Homes     map[string]string
}

// Handles are what the handles of a layout stand for.
type Handles struct {
	Roots   Roots
	Texts   map[string]Text
	Secrets map[string]string
	// SecretsInFiles says that one may stand in a file of the session.
	SecretsInFiles bool
	Inputs         *input.Snapshot

	filing bool // what is resolved goes into a file
}

// resolved is a value without handles.
type resolved struct {
	value  any
	secret bool // holds the value of a Secret
}

func (h *Handles) resolve(v preparer.Value) (resolved, error) {
	switch v := v.(type) {
	case nil:
		return resolved{}, refused("value", "is missing")
	case preparer.Bool:
		return resolved{value: bool(v)}, nil
	case preparer.Int:
		return resolved{value: int64(v)}, nil
	case preparer.Float:
		return resolved{value: float64(v)}, nil
	case preparer.List:
		out, secret := make([]any, len(v)), false
		for i, item := range v {
			r, err := h.resolve(item)
			if err != nil {
				return resolved{}, err
			}
			out[i], secret = r.value, secret || r.secret
		}
		return resolved{out, secret}, nil
	case preparer.Object:
		out, secret := make(map[string]any, len(v)), false
		for key, item := range v {
			r, err := h.resolve(item)
			if err != nil {
				return resolved{}, err
			}
			out[key], secret = r.value, secret || r.secret
		}
		return resolved{out, secret}, nil
	}
	s, secret, err := h.text(v)
	return resolved{s, secret}, err
}

// text resolves a string-like value.
func (h *Handles) text(v preparer.Value) (s string, secret bool, err error) {
	switch v := v.(type) {
	case preparer.String:
		return string(v), false, nil
	case preparer.Text:
		t, ok := h.Texts[v.Document]
		if !ok {
			return "", false, refused("text", fmt.Sprintf("there is no document %q", v.Document))
		}
		if v.Section == "" {
			return t.Whole, false, nil
		}
		section, ok := t.Sections[v.Section]
		if !ok {
			return "", false, refused("text", fmt.Sprintf("document %q has no section %q", v.Document, v.Section))
		}
		return section, false, nil
	case preparer.PathValue:
		p, err := h.path(v.Place)
		return p, false, err
	case preparer.InputPath:
		it := h.Inputs.Items[v.Input]
		if it == nil || it.Path == "" {
			return "", false, refused("path", fmt.Sprintf("there is no input %q", v.Input))
		}
		return it.Path, false, nil
	case preparer.Secret:
		if h.filing && !h.SecretsInFiles {
			return "", false, refused("secret", "stands in a file, where this host does not allow it")
		}
		s, ok := h.Secrets[v.Name]
		if !ok || s == "" {
			return "", false, refused("secret", fmt.Sprintf("there is no secret %q", v.Name))
		}
		return s, true, nil
	case preparer.Concat:
		return h.join(v)
	case preparer.Quoted:
		inner, secret, err := h.text(v.Value)
		if err != nil {
			return "", false, err
		}
		out, err := merge.Quote(v.As, inner)
		return out, secret, err
	}
	return "", false, refused("value", fmt.Sprintf("a %T stands where a string must", v))
}

func (h *Handles) join(parts []preparer.Value) (string, bool, error) {
	var b strings.Builder
	var any bool
	for _, p := range parts {
		s, secret, err := h.text(p)
		if err != nil {
			return "", false, err
		}
		b.WriteString(s)
		any = any || secret
	}
	return b.String(), any, nil
}

// path is the absolute path of a place.
func (h *Handles) path(p preparer.Place) (string, error) {
	rel := filepath.FromSlash(p.Path)
	switch p.Root {
	case preparer.RootSession:
		return filepath.Join(h.Roots.Session, rel), nil
	case preparer.RootWorkspace:
		return filepath.Join(h.Roots.Workspace, rel), nil
	case preparer.RootCache:
		return filepath.Join(h.Roots.Cache, h.cacheDir(p), rel), nil
	case preparer.RootHome:
		home, ok := h.Roots.Homes[p.Name]
		if !ok {
			return "", refused(p.String(), "there is no such home")
		}
		return filepath.Join(home, rel), nil
	}
	return "", refused(p.String(), "is in no root that there is")
}

// cacheDir is the directory of a cache, by the values that would make it stale.
func (h *Handles) cacheDir(p preparer.Place) string {
	parts := []string{p.Name}
	if p.Keys != "" {
		for _, key := range strings.Split(p.Keys, "\n") {
			parts = append(parts, key, h.Inputs.Identity(key))
		}
	}
	return path.Join(p.Name, short(parts...))
}

// nowhere says whether a home of the user's that may be missing is: no variable names it.
func (h *Handles) nowhere(home string) bool { return h.Roots.Homes[home] == "" }

// location is the absolute path of a location of the user's, and its label.
func (h *Handles) location(l preparer.Location) (string, string, error) {
	rel := filepath.FromSlash(l.Path)
	switch l.Base {
	case preparer.BaseHome:
		home, ok := h.Roots.Homes[l.Home]
		if !ok {
			return "", "", refused("home:"+l.Home, "there is no such home")
		}
		return filepath.Join(home, rel), path.Join("home:"+l.Home, l.Path), nil
	case preparer.BaseUser:
		return filepath.Join(h.Roots.User, rel), "~/" + l.Path, nil
	}
	return filepath.Join(h.Roots.Workspace, rel), "workspace:" + l.Path, nil
}

func refused(subject, detail string) *fault.Error {
	return fault.New(fault.LayoutRefused, "check layout", subject, detail).
		WithHint("the adapter is at fault: tell its author, or use another version")
}
