package preparertest

import (
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// Rule is a rule that an adapter must keep; see package rules. Each is a subtest of [Run].
type Rule = rules.Rule

// Finding is a broken rule.
type Finding = rules.Finding

// CheckDescriptor is rules.CheckDescriptor, for tests of one adapter's own.
func CheckDescriptor(d preparer.Descriptor) []error { return rules.CheckDescriptor(d) }

// CheckLayout is rules.CheckLayout, for tests of one adapter's own.
func CheckLayout(d preparer.Descriptor, l *preparer.Layout) []error { return rules.CheckLayout(d, l) }
