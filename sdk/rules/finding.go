package rules

import "fmt"

// Rule is a rule that an adapter must keep. Each is a subtest of [Run].
type Rule string

// The rules that [CheckDescriptor] and [CheckLayout] know.
const (
	// Descriptor: ids, versions, names and locations are well formed and refer to each other.
	Descriptor Rule = "descriptor"
	// Shape: the layout can be carried over the wire, and every entry, edit and variable has what it needs.
	Shape Rule = "shape"
	// Places: inside their roots, clean, possible on every system, no two the same but for letter case.
	Places Rule = "places"
	// Names: only variables, flags, inputs and homes that the descriptor declares.
	Names Rule = "names"
	// Prose: an agent reads documents of core's, never sentences of the adapter's own.
	Prose Rule = "prose"
	// Secrets: a credential stands in the environment, or in a session file where the descriptor says so.
	Secrets Rule = "secrets"
)

// Finding is a broken rule.
type Finding struct {
	Rule  Rule
	Where string // e.g. "file session:codex/config.toml"
	What  string
}

func (f *Finding) Error() string { return fmt.Sprintf("%s: %s: %s", f.Rule, f.Where, f.What) }

// findings collects broken rules.
type findings struct{ all []error }

func (f *findings) add(r Rule, where, format string, args ...any) {
	f.all = append(f.all, &Finding{Rule: r, Where: where, What: fmt.Sprintf(format, args...)})
}
