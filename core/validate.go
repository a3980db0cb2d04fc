package core

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxID is the longest id in bytes.
const maxID = 1024

// clean gives the working directory one spelling, so that it is the same directory for all that compares it.
func (s Session) clean() Session {
	if filepath.IsAbs(s.Cwd) {
		s.Cwd = filepath.Clean(s.Cwd)
	}
	return s
}

// validate checks a session without looking at the disk.
func (s Session) validate() error {
	bad := func(what, detail string) error { return fault.New(fault.Invalid, "prepare", what, detail) }
	for _, id := range []struct{ what, value string }{{"workspace", s.Workspace}, {"session", s.ID}, {"provider", s.Provider}} {
		if err := checkID(id.what, id.value); err != nil {
			return err
		}
	}
	switch {
	case strings.TrimSpace(s.Cwd) == "":
		return bad("cwd", "is blank")
	case strings.ContainsRune(s.Cwd, 0):
		return bad("cwd", "holds a NUL byte")
	case !utf8.ValidString(s.Cwd):
		return bad("cwd", "is not UTF-8, and neither records nor the files of clients can name it")
	case !filepath.IsAbs(s.Cwd):
		return bad("cwd", "is not absolute")
	}
	if err := s.extended(); err != nil {
		return err
	}
	if err := s.Detail.check(); err != nil {
		return err
	}
	if s.TrustWorkspace != preparer.NotTrusted && !s.TrustWorkspace.Given() {
		return bad("trust in the workspace", "is none that there is").(*Error).WithHint("use host_created or user_said_yes, or leave it out")
	}
	if _, err := command.Normal(s.Projection); err != nil {
		return err
	}
	if s.Transcript != "" && !filepath.IsAbs(s.Transcript) {
		return bad("transcript", "is not absolute")
	}
	if s.Endpoint != nil && s.Endpoint.Unusable == "" {
		if _, err := s.Endpoint.Clean(); err != nil {
			return err
		}
	} else if s.Endpoint != nil && !s.Endpoint.Unusable.Known() {
		return bad("endpoint", "cannot be used for a reason that there is none of")
	}
	if _, err := connector.Servers(s.Servers); err != nil {
		return err
	}
	for name, l := range s.Logins {
		if err := l.check(name); err != nil {
			return err
		}
	}
	_, err := s.Inherit.resolve()
	return err
}

// standing checks that the working directory is there, and the directories of skills that the host keeps.
func (s Session) standing() error {
	fi, err := os.Stat(s.Cwd)
	if err != nil || !fi.IsDir() {
		return fault.Wrap(err, fault.CwdMissing, "prepare", "cwd", "does not exist or is no directory").
			WithHint("name a directory that exists; it is never made")
	}
	return checkRoots(s.SkillRoots)
}

func (d DetailMode) check() error {
	if slices.Contains([]DetailMode{Coding, "coding", General}, d) {
		return nil
	}
	return fault.New(fault.Invalid, "prepare", "detail mode", "is none that there is").WithHint("use coding or general")
}

func checkID(what, id string) error {
	bad := func(detail string) error { return fault.New(fault.Invalid, "prepare", what, detail) }
	switch {
	case strings.TrimSpace(id) == "":
		return bad("is blank")
	case len(id) > maxID:
		return bad("is longer than 1,024 bytes")
	case !utf8.ValidString(id) || strings.ContainsRune(id, 0):
		return bad("is not UTF-8, or holds a NUL byte")
	}
	return nil
}

// resolve is the choice for every kind.
func (i Inherit) resolve() (preparer.Inherit, error) {
	bad := func(what, detail string) error { return fault.New(fault.Invalid, "prepare", "inherit "+what, detail) }
	out := preparer.Inherit{}
	for _, k := range preparer.Kinds() {
		switch i.Preset {
		case "", Desktop:
			out[k] = preparer.Choice{Mode: preparer.All}
		case Automation:
			out[k] = preparer.Choice{Mode: preparer.None}
		default:
			return nil, bad("preset", "is none that there is").(*Error).WithHint("use desktop or automation")
		}
	}
	if i.Preset == "" || i.Preset == Desktop {
		out[preparer.Memories] = preparer.Choice{Mode: preparer.None}
	}
	for k, c := range i.Kinds {
		if _, ok := out[k]; !ok {
			return nil, bad(string(k), "is no kind that there is")
		}
		switch c.Mode {
		case preparer.All, preparer.None:
			c.Names = nil
		case preparer.Only:
			c.Names = slices.Clone(c.Names)
			slices.Sort(c.Names)
			c.Names = slices.Compact(c.Names)
		default:
			return nil, bad(string(k), "must be all, none or only")
		}
		out[k] = c
	}
	return out, nil
}
