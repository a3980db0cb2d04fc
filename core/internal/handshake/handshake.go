package handshake

import (
	"context"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Steps are what has to be done, in order. The zero value is nothing.
type Steps struct{ list []Step }

// Step is one of them.
type Step struct {
	Kind preparer.ActionKind
	// Roots are, for ExtraRoots, all directories that the client is to be told of: absolute, no two alike, also none.
	Roots []string
	// Skills are, for VerifySkills, those that the client has to list once each.
	Skills []Skill
	// Do is, for SnapshotTree, what core does on the disk.
	Do func(context.Context) error
}

// Skill is a skill that a client has to list.
type Skill struct {
	Name string // as the client lists it
	Path string // of its main file, links resolved
}

// Of are the steps of a list.
func Of(list []Step) Steps { return Steps{list} }

// List are the steps one by one.
func List(s Steps) []Step { return s.list }
