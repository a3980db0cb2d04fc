package command

import (
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

// CommandCapabilityProjection narrows the commands of a dedicated session. A nil one stands for a general session.
//
// With an empty Mode the mode follows AllowedIDs: absent is [All], a list with ids is [Only], and a list that is there
// and empty is [None]. Stored projections always have a mode.
type CommandCapabilityProjection struct {
	Mode Mode `json:"mode,omitempty"`
	// AllowedIDs are all commands that the session has, with Only.
	AllowedIDs []string `json:"allowedIds"`
	// IncludeIntegrationIDs are commands of integrations that this session has like public ones.
	IncludeIntegrationIDs []string `json:"includeIntegrationIds,omitempty"`
	// ExcludeIDs are commands that it does not have.
	ExcludeIDs []string `json:"excludeIds,omitempty"`
}

// Mode is how a projection narrows.
type Mode string

// The modes.
const (
	All  Mode = "all"
	Only Mode = "only"
	None Mode = "none"
)

// Projection is a projection in its one normal form, so that equal ones are equal. Its zero value, and only that, is
// the one of a general session.
type Projection struct {
	// Dedicated says that the session was narrowed, also by a projection that takes nothing away.
	Dedicated          bool     `json:"dedicated,omitempty"`
	Mode               Mode     `json:"mode,omitempty"`
	AllowedIDs         []string `json:"allowedIds,omitempty"`
	IncludeIntegration []string `json:"includeIntegrationIds,omitempty"`
	ExcludeIDs         []string `json:"excludeIds,omitempty"`
}

// Normal brings a projection into its normal form. One that contradicts itself is an error.
func Normal(p *CommandCapabilityProjection) (Projection, error) {
	if p == nil {
		return Projection{}, nil
	}
	n := Projection{
		Dedicated: true, Mode: p.Mode, AllowedIDs: ids(p.AllowedIDs),
		IncludeIntegration: ids(p.IncludeIntegrationIDs), ExcludeIDs: ids(p.ExcludeIDs),
	}
	if n.Mode == "" {
		switch {
		case p.AllowedIDs == nil:
			n.Mode = All
		case len(p.AllowedIDs) == 0:
			n.Mode = None
		default:
			n.Mode = Only
		}
	}
	bad := func(detail string) (Projection, error) {
		return Projection{}, fault.New(fault.Invalid, "project commands", "projection", detail)
	}
	switch n.Mode {
	case All, None:
		if len(n.AllowedIDs) > 0 {
			return bad("it lists allowed commands, and its mode is " + string(n.Mode))
		}
	case Only:
		if len(n.AllowedIDs) == 0 {
			return bad("its mode is only, and it allows nothing")
		}
	default:
		return bad("its mode is none of all, only and none")
	}
	if n.Mode == None && len(n.IncludeIntegration) > 0 {
		return bad("it includes commands, and its mode is none")
	}
	for _, id := range n.ExcludeIDs {
		if slices.Contains(n.AllowedIDs, id) || slices.Contains(n.IncludeIntegration, id) {
			return bad("command " + shown(id) + " is allowed and excluded")
		}
	}
	for _, id := range n.IncludeIntegration {
		if n.Mode == Only && !slices.Contains(n.AllowedIDs, id) {
			return bad("command " + shown(id) + " is included and not allowed")
		}
	}
	if slices.Contains(slices.Concat(n.AllowedIDs, n.IncludeIntegration, n.ExcludeIDs), "") {
		return bad("it names a command with a blank id")
	}
	return n, nil
}

// Equal says whether two projections in normal form are the same.
func (p Projection) Equal(o Projection) bool {
	return p.Dedicated == o.Dedicated && p.Mode == o.Mode && slices.Equal(p.AllowedIDs, o.AllowedIDs) &&
		slices.Equal(p.IncludeIntegration, o.IncludeIntegration) && slices.Equal(p.ExcludeIDs, o.ExcludeIDs)
}

// ids are ids sorted and without doubles.
func ids(list []string) []string {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.Sort(list)
	return slices.Compact(list)
}

// apply marks what the session has. Everything that the projection names has to be there.
func (p Projection) apply(s *Snapshot) error {
	missing := func(what, id string) error {
		return fault.New(fault.CommandUnavailable, "project commands", "command "+shown(id), "the projection "+what+" it, and the catalog has none").
			WithHint("update the host's tool, or leave the command out of the projection")
	}
	for _, id := range p.IncludeIntegration {
		e := s.all[id]
		if e == nil || e.visibility != Integration && !e.visibility.visible() {
			return missing("includes", id)
		}
		e.has = true
	}
	for _, id := range p.ExcludeIDs {
		if e := s.all[id]; e != nil {
			e.has = false
		}
	}
	switch p.Mode {
	case None:
		for _, e := range s.all {
			e.has = false
		}
	case Only:
		for _, id := range p.AllowedIDs {
			if e := s.all[id]; e == nil || !e.has {
				return missing("requires", id)
			}
		}
		for id, e := range s.all {
			e.has = e.has && slices.Contains(p.AllowedIDs, id)
		}
	}
	return nil
}
