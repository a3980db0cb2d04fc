package connector

import (
	"regexp"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// Context is what a session is told of connectors.
type Context struct {
	// SharedInvocation says that several people work in the session, so that an agent has to choose by whose authority
	// it calls a connector.
	SharedInvocation bool
	// EnabledConnectors are the keys that the user has switched on. Empty is discovery mode: none is switched on, and
	// those of the index can be found.
	EnabledConnectors []string
	// Hints are all that there are, for the routing index.
	Hints []Hint
	// Granted are names of connectors that the caller's own authority was granted for, with SharedInvocation.
	Granted []string
}

// Clone is a copy that shares nothing; nil of nil.
func (c *Context) Clone() *Context {
	if c == nil {
		return nil
	}
	n := *c
	n.EnabledConnectors, n.Hints, n.Granted = slices.Clone(c.EnabledConnectors), slices.Clone(c.Hints), slices.Clone(c.Granted)
	for i := range n.Hints {
		n.Hints[i].Aliases = slices.Clone(n.Hints[i].Aliases)
	}
	return &n
}

// Hint is one connector as a request may name it.
type Hint struct {
	Key         string // stable, e.g. "crm"
	DisplayName string
	Aliases     []string
}

var keyForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// IsKey says whether text has the form of a connector's key. The word [None] is none: a set of it alone would read as one
// of nothing, which is discovery mode.
func IsKey(text string) bool { return keyForm.MatchString(text) && !strings.EqualFold(text, None) }

// Check refuses keys that are none. Hints are filtered by [Index] and need no check.
func (c Context) Check() error {
	for _, key := range slices.Concat(c.EnabledConnectors) {
		if strings.TrimSpace(key) != "" && !IsKey(strings.TrimSpace(key)) {
			return fault.New(fault.Invalid, "tell of connectors", "enabled connectors", "one of the keys is not made of letters, digits, dots, dashes and underscores, or is the word none")
		}
	}
	return nil
}

// Enabled are the enabled keys, trimmed, sorted and each once.
func (c Context) Enabled() []string { return keys(c.EnabledConnectors) }

func keys(list []string) []string {
	out := make([]string, 0, len(list))
	for _, key := range list {
		if key = strings.TrimSpace(key); IsKey(key) {
			out = append(out, key)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// None stands for no connector in a rendered set.
const None = "none"

// EnabledIndex renders a set of enabled keys: sorted and joined by commas, or [None].
func EnabledIndex(enabled []string) string {
	if list := keys(enabled); len(list) > 0 {
		return strings.Join(list, ", ")
	}
	return None
}
