package preparertest

import (
	"testing"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// Config says what to hold to the rules.
type Config struct {
	// Preparer is the adapter. Required.
	Preparer preparer.Preparer
	// Binary is the path of the built adapter, "" to leave out what needs one. Use [Build].
	Binary string
	// Args are its arguments, for a binary that holds several adapters.
	Args []string
	// Requests is how many random requests are asked. Default: 1000.
	Requests int
	// Seed chooses them. Default: 1, so that a run can be repeated.
	Seed uint64
	// Skip leaves subtests out, by name, and says why. The reason is printed.
	Skip map[string]string
}

// Run holds an adapter to the rules, one subtest each.
func Run(t *testing.T, c Config) {
	t.Helper()
	if playHost(c) {
		return
	}
	if c.Preparer == nil {
		t.Fatal("preparertest: Config.Preparer is missing")
	}
	for _, k := range checks(c) {
		t.Run(k.name, func(t *testing.T) {
			if why, skip := c.Skip[k.name]; skip {
				t.Skip(why)
			}
			for _, err := range k.run(t) {
				t.Error(err)
			}
		})
	}
}

// check is one subtest.
type check struct {
	name string
	run  func(testing.TB) []error
}

func checks(c Config) []check {
	if c.Requests <= 0 {
		c.Requests = 1000
	}
	if c.Seed == 0 {
		c.Seed = 1
	}
	c.Preparer = &bounded{Preparer: c.Preparer, limit: patience}
	var surveyed map[Rule][]error
	rule := func(r Rule) check {
		return check{string(r), func(t testing.TB) []error {
			if surveyed == nil {
				surveyed = survey(t.Context(), c.Preparer, c.Requests, c.Seed)
			}
			return surveyed[r]
		}}
	}
	all := []check{
		{"descriptor", func(testing.TB) []error { return CheckDescriptor(c.Preparer.Describe()) }},
		rule(Answers), rule(rules.Shape), rule(rules.Places), rule(rules.Names), rule(rules.Prose), rule(rules.Secrets),
		{"determinism", func(t testing.TB) []error { return determinism(t.Context(), c.Preparer, c.Seed) }},
		{"given", func(t testing.TB) []error { return given(t.Context(), c.Preparer) }},
		{"endpoint", func(t testing.TB) []error { return endpoints(t.Context(), c.Preparer) }},
		{"displaced", func(t testing.TB) []error { return displaced(t.Context(), c.Preparer) }},
		{"rtk", func(t testing.TB) []error { return rewrites(t.Context(), c.Preparer) }},
		{"saver", func(t testing.TB) []error { return savers(t.Context(), c.Preparer) }},
		{"servers", func(t testing.TB) []error { return servers(t.Context(), c.Preparer) }},
		{"trust", func(t testing.TB) []error { return trusts(t.Context(), c.Preparer) }},
		{"unknown", func(t testing.TB) []error { return unknown(t.Context(), c.Preparer) }},
		{"inherit", func(t testing.TB) []error { return leavesOut(t.Context(), c.Preparer) }},
		{"cancel", func(t testing.TB) []error { return cancelled(t.Context(), c.Preparer) }},
	}
	if c.Binary != "" {
		all = append(all,
			check{"imports", func(t testing.TB) []error { return imports(t) }},
			check{"binary-same", func(t testing.TB) []error { return sameLayouts(t, c) }},
			check{"binary-stdout", func(t testing.TB) []error { return quiet(t, c) }},
			check{"binary-disk", func(t testing.TB) []error { return touchesNothing(t, c) }},
			check{"binary-by-hand", func(t testing.TB) []error { return byHand(t, c) }},
			check{"binary-orphan", func(t testing.TB) []error { return endsWithHost(t, c) }},
		)
	}
	return all
}
