package canon

import (
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// HostFacts are what a kind of host can do for a session, as far as texts depend on it. The zero value is a desktop:
// files of turns lie on this machine, the workspace is one person's, and every target can be gone on with.
type HostFacts struct {
	TurnResources      TurnResources
	WorkspaceScope     WorkspaceScope
	TargetContinuation TargetContinuation
}

// TurnResources is how an agent reaches the files of another session's turns.
type TurnResources string

// The ways to reach them.
const (
	LocalPath   TurnResources = "local-path" // the default: at the path where they were made
	ReadPath    TurnResources = "read-path"  // at another path, which the answer names
	Unavailable TurnResources = "unavailable"
)

// WorkspaceScope is what a workspace is.
type WorkspaceScope string

// The scopes.
const (
	WorkspaceEnvironment WorkspaceScope = "workspace-environment" // the default: one person's
	Room                 WorkspaceScope = "room"                  // several people's
)

// TargetContinuation says which agent targets take a second message.
type TargetContinuation struct {
	Mode ContinuationMode
	// UnsupportedTargetIDPrefixes begin the ids of those that do not, with ExceptPrefixes.
	UnsupportedTargetIDPrefixes []string
}

// ContinuationMode is which targets can be gone on with.
type ContinuationMode string

// The modes.
const (
	ContinueAll    ContinuationMode = "all" // the default
	ExceptPrefixes ContinuationMode = "except-prefixes"
)

// Complete fills in the defaults and refuses what contradicts itself.
func (h HostFacts) Complete() (HostFacts, error) {
	bad := func(what, detail string) (HostFacts, error) {
		return HostFacts{}, fault.New(fault.Invalid, "resolve host facts", what, detail)
	}
	switch h.TurnResources {
	case "":
		h.TurnResources = LocalPath
	case LocalPath, ReadPath, Unavailable:
	default:
		return bad("TurnResources", "is none that there is")
	}
	switch h.WorkspaceScope {
	case "":
		h.WorkspaceScope = WorkspaceEnvironment
	case WorkspaceEnvironment, Room:
	default:
		return bad("WorkspaceScope", "is none that there is")
	}
	c := h.TargetContinuation
	var prefixes []string
	for _, p := range c.UnsupportedTargetIDPrefixes {
		if p = strings.TrimSpace(p); p != "" && !slices.Contains(prefixes, p) {
			if !name.MatchString(strings.NewReplacer(":", "", "/", "").Replace(p)) {
				return bad("TargetContinuation", "a prefix holds other than letters, digits, dots, colons, slashes and dashes")
			}
			prefixes = append(prefixes, p)
		}
	}
	switch c.Mode {
	case "", ContinueAll:
		if len(prefixes) > 0 {
			return bad("TargetContinuation", "mode all cannot exclude target id prefixes")
		}
		c.Mode = ContinueAll
	case ExceptPrefixes:
		if len(prefixes) == 0 {
			return bad("TargetContinuation", "mode except-prefixes requires at least one target id prefix")
		}
	default:
		return bad("TargetContinuation", "its mode is none that there is")
	}
	h.TargetContinuation = TargetContinuation{Mode: c.Mode, UnsupportedTargetIDPrefixes: prefixes}
	return h, nil
}
