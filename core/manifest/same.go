package manifest

import (
	"maps"
	"slices"
)

// Same says whether two records differ in nothing but their history: in when they were made, in how the last preparation
// went about it, and in what is known of a login only once it was written.
func (m *Manifest) Same(o *Manifest) bool {
	return m.Schema == o.Schema && m.Workspace == o.Workspace && m.Session == o.Session && m.Provider == o.Provider && m.Cwd == o.Cwd &&
		m.Adapter == o.Adapter && m.Client == o.Client &&
		slices.Equal(m.Entries, o.Entries) &&
		slices.EqualFunc(m.Outside, o.Outside, sameHold) && slices.EqualFunc(m.Logins, o.Logins, sameLogin) &&
		slices.Equal(m.Leases, o.Leases) && m.Program == o.Program && slices.Equal(m.Snapshots, o.Snapshots) && maps.Equal(m.Names, o.Names) && maps.Equal(m.Homes, o.Homes) &&
		slices.Equal(m.Env, o.Env) && slices.Equal(m.Inherit, o.Inherit) && m.Commands.Equal(o.Commands) && m.Models == o.Models && m.Copied == o.Copied
}

func sameHold(a, b Outside) bool {
	return a.Path == b.Path && a.Key == b.Key && a.Link == b.Link && a.Dropped == b.Dropped
}

func sameLogin(a, b Login) bool {
	return a.Path == b.Path && a.Source == b.Source && a.Label == b.Label && a.Baseline == b.Baseline && a.JSON == b.JSON &&
		slices.Equal(a.Fresher, b.Fresher)
}
