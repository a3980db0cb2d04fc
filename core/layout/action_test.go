package layout

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestC193_ActionsAreOrderedAndWhole(t *testing.T) {
	t.Parallel()
	at := preparer.Session
	skills := preparer.PlaceSkills{At: at("skills")}
	roots := preparer.Action{Kind: preparer.ExtraRoots, At: at("skills")}
	none := preparer.Action{Kind: preparer.ExtraRoots}
	verify := preparer.Action{Kind: preparer.VerifySkills}
	snapshot := preparer.Action{Kind: preparer.SnapshotTree, At: at("home/tree"), Marker: ".done"}
	dir := preparer.Dir{At: at("home/tree/x")}
	for name, c := range map[string]struct {
		entries []preparer.Entry
		actions []preparer.Action
		change  func(*preparer.Descriptor)
		want    string // in the message, "" for no refusal
	}{
		"all":                  {[]preparer.Entry{skills}, []preparer.Action{snapshot, roots, verify}, nil, ""},
		"no skills":            {nil, []preparer.Action{snapshot, none, verify}, nil, ""},
		"nothing":              {nil, nil, nil, ""},
		"no transport":         {nil, []preparer.Action{none}, func(d *preparer.Descriptor) { d.Client.Transport = preparer.ACP }, "has none"},
		"snapshot too late":    {[]preparer.Entry{skills}, []preparer.Action{roots, snapshot, verify}, nil, "must come before"},
		"looked too early":     {[]preparer.Entry{skills}, []preparer.Action{verify, roots}, nil, "must come before"},
		"twice":                {[]preparer.Entry{skills}, []preparer.Action{roots, roots, verify}, nil, "twice"},
		"no kind":              {nil, []preparer.Action{{}}, nil, "the kind is missing"},
		"roots without skills": {nil, []preparer.Action{roots}, nil, "no skills are placed"},
		"roots elsewhere":      {nil, []preparer.Action{{Kind: preparer.ExtraRoots, At: preparer.Workspace("x")}}, nil, "no skills are placed"},
		"look at a place":      {nil, []preparer.Action{{Kind: preparer.VerifySkills, At: at("x")}}, nil, "it has no place"},
		"no marker":            {nil, []preparer.Action{{Kind: preparer.SnapshotTree, At: at("x")}}, nil, "a snapshot has one"},
		"marker elsewhere":     {nil, []preparer.Action{{Kind: preparer.SnapshotTree, At: at("x"), Marker: "../m"}}, nil, "the marker is no name"},
		"marker for roots":     {nil, []preparer.Action{{Kind: preparer.ExtraRoots, Marker: "m"}}, nil, "belongs to a snapshot"},
		"snapshot elsewhere":   {nil, []preparer.Action{{Kind: preparer.SnapshotTree, At: preparer.InHome("prop", "x"), Marker: "m"}}, nil, "may not refer to root"},
		"snapshot of ours":     {[]preparer.Entry{dir}, []preparer.Action{snapshot}, nil, "the tree is the client's own"},
		"not handed over":      {[]preparer.Entry{skills}, []preparer.Action{verify}, nil, "no action hands them over"},
		"not verified":         {[]preparer.Entry{skills}, []preparer.Action{roots}, nil, "no action hands them over"},
		"not by extra roots": {[]preparer.Entry{skills}, nil,
			func(d *preparer.Descriptor) { d.Skills.Kind = preparer.SkillDirectory }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := descriptor()
			d.Client.Transport, d.Skills.Kind = preparer.CodexAppServer, preparer.SkillExtraRoots
			if c.change != nil {
				c.change(&d)
			}
			l := preparer.NewLayout()
			l.Entries, l.Launch.Actions = c.entries, c.actions
			err := Check(d, l)
			if c.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else if !errors.Is(err, fault.LayoutRefused) || !strings.Contains(fmt.Sprint(err), c.want) {
				t.Errorf("error %v, want one that says %q", err, c.want)
			}
		})
	}
}
