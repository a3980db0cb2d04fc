package command_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
)

func normal(t testing.TB, p *command.CommandCapabilityProjection) command.Projection {
	t.Helper()
	n, err := command.Normal(p)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// catalog has public, integration and hidden commands, and a path that begins another.
func catalog() []command.Command {
	integration, hidden := plain("sync.push"), plain("debug.dump")
	integration.Visibility, hidden.Visibility = command.Integration, "hidden"
	return []command.Command{plain("issue"), plain("issue.get"), plain("issue.delete"), plain("app.open"), integration, hidden}
}

func TestC164_ModeFollowsTheList(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		json string
		mode command.Mode
	}{
		"absent":         {`{}`, command.All},
		"null":           {`{"allowedIds": null}`, command.All},
		"empty":          {`{"allowedIds": []}`, command.None},
		"ids":            {`{"allowedIds": ["issue"]}`, command.Only},
		"explicit none":  {`{"mode": "none"}`, command.None},
		"explicit all":   {`{"mode": "all", "excludeIds": ["issue"]}`, command.All},
		"only, excluded": {`{"mode": "only", "allowedIds": ["issue"], "excludeIds": ["app.open"]}`, command.Only},
	} {
		var p command.CommandCapabilityProjection
		if err := json.Unmarshal([]byte(test.json), &p); err != nil {
			t.Fatal(err)
		}
		n := normal(t, &p)
		if n.Mode != test.mode || !n.Dedicated {
			t.Errorf("%s: %+v", name, n)
		}
		// A host may store what it got as well: the modes survive.
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again command.CommandCapabilityProjection
		if err := json.Unmarshal(data, &again); err != nil {
			t.Fatal(err)
		}
		if !normal(t, &again).Equal(n) {
			t.Errorf("%s: %s means something else", name, data)
		}
	}
	if n := normal(t, nil); !n.Equal(command.Projection{}) {
		t.Errorf("a general session is %+v", n)
	}
}

func TestProjectionsThatContradictThemselves(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]command.CommandCapabilityProjection{
		"unknown mode":             {Mode: "some"},
		"only nothing":             {Mode: command.Only},
		"all and a list":           {Mode: command.All, AllowedIDs: []string{"a"}},
		"none and a list":          {Mode: command.None, AllowedIDs: []string{"a"}},
		"none and included":        {Mode: command.None, IncludeIntegrationIDs: []string{"a"}},
		"allowed and excluded":     {AllowedIDs: []string{"a"}, ExcludeIDs: []string{"a"}},
		"included and excluded":    {IncludeIntegrationIDs: []string{"a"}, ExcludeIDs: []string{"a"}},
		"included and not allowed": {AllowedIDs: []string{"a"}, IncludeIntegrationIDs: []string{"b"}},
		"blank id":                 {AllowedIDs: []string{""}},
	} {
		if _, err := command.Normal(&p); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestC156_Projections(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		p    *command.CommandCapabilityProjection
		want []string // nil: an error
	}{
		"general":            {nil, []string{"issue", "issue.get", "issue.delete", "app.open"}},
		"exact":              {&command.CommandCapabilityProjection{AllowedIDs: []string{"app.open", "issue.get"}}, []string{"issue.get", "app.open"}},
		"promoted":           {&command.CommandCapabilityProjection{IncludeIntegrationIDs: []string{"sync.push"}, ExcludeIDs: []string{"issue.delete", "gone"}}, []string{"issue", "issue.get", "app.open", "sync.push"}},
		"only the promoted":  {&command.CommandCapabilityProjection{AllowedIDs: []string{"sync.push"}, IncludeIntegrationIDs: []string{"sync.push"}}, []string{"sync.push"}},
		"nothing":            {&command.CommandCapabilityProjection{AllowedIDs: []string{}}, []string{}},
		"unavailable":        {&command.CommandCapabilityProjection{AllowedIDs: []string{"issue.get", "issue.move"}}, nil},
		"allowed but hidden": {&command.CommandCapabilityProjection{AllowedIDs: []string{"debug.dump"}}, nil},
		"not promoted":       {&command.CommandCapabilityProjection{AllowedIDs: []string{"sync.push"}}, nil},
		"promoted hidden":    {&command.CommandCapabilityProjection{IncludeIntegrationIDs: []string{"debug.dump"}}, nil},
		"promoted, gone":     {&command.CommandCapabilityProjection{IncludeIntegrationIDs: []string{"gone"}}, nil},
	} {
		s, err := command.New("tutti", catalog(), normal(t, test.p))
		if test.want == nil {
			if fault.CodeOf(err) != fault.CommandUnavailable {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(test.want, s.IDs()); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestC157_C158_C160_C165_Approval(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		p    *command.CommandCapabilityProjection
		want command.Approval
	}{
		"C157 general": {nil, command.Approval{Prefixes: [][]string{{"tutti"}}}},
		"C158 one for each": {&command.CommandCapabilityProjection{AllowedIDs: []string{"issue.get", "app.open"}},
			command.Approval{Prefixes: [][]string{{"tutti", "app", "open"}, {"tutti", "issue", "get"}}}},
		"C165 begins another": {&command.CommandCapabilityProjection{AllowedIDs: []string{"issue", "app.open"}},
			command.Approval{Prefixes: [][]string{{"tutti", "app", "open"}}, Refused: []string{"issue"}}},
		"begins allowed ones only": {&command.CommandCapabilityProjection{AllowedIDs: []string{"issue", "issue.get", "issue.delete"}},
			command.Approval{Prefixes: [][]string{{"tutti", "issue"}, {"tutti", "issue", "delete"}, {"tutti", "issue", "get"}}}},
		"all but one": {&command.CommandCapabilityProjection{ExcludeIDs: []string{"issue.delete"}},
			command.Approval{Prefixes: [][]string{{"tutti", "app", "open"}, {"tutti", "issue", "get"}}, Refused: []string{"issue"}}},
		"C159 none": {&command.CommandCapabilityProjection{Mode: command.None}, command.Approval{}},
	} {
		got := snapshot(t, normal(t, test.p), catalog()...).Approval()
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if got := command.Empty("tutti").Approval(); len(got.Prefixes) != 0 {
		t.Errorf("a host without commands approves %v", got.Prefixes)
	}
	// What is hidden or only for integrations counts as well, and so does another letter case.
	push, upper := plain("sync.push"), command.Command{ID: "other", Path: []string{"Tasks", "drop"}, Visibility: "hidden"}
	push.Visibility = command.Integration
	got := snapshot(t, normal(t, &command.CommandCapabilityProjection{AllowedIDs: []string{"sync", "tasks"}}), plain("sync"), plain("tasks"), push, upper).Approval()
	if len(got.Prefixes) != 0 || !slices.Equal(got.Refused, []string{"sync", "tasks"}) {
		t.Errorf("prefixes of what cannot be seen: %+v", got)
	}
}

func TestC162_NotAllowedIsNotFound(t *testing.T) {
	t.Parallel()
	s := snapshot(t, normal(t, &command.CommandCapabilityProjection{AllowedIDs: []string{"issue.get"}}), catalog()...)
	if err := s.Authorize("issue.get"); err != nil {
		t.Error(err)
	}
	for _, id := range []string{"issue.delete", "debug.dump", "nothing", "", "issue.get "} {
		if err := s.Authorize(id); fault.CodeOf(err) != fault.CommandUnavailable {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// No rule approves a command that the session does not have, whatever was asked for.
func FuzzProjection(f *testing.F) {
	f.Add("issue", "sync.push", "app.open", uint8(1))
	f.Fuzz(func(t *testing.T, allowed, included, excluded string, mode uint8) {
		p := &command.CommandCapabilityProjection{AllowedIDs: []string{allowed}, IncludeIntegrationIDs: []string{included}, ExcludeIDs: []string{excluded}}
		p.Mode = []command.Mode{"", command.All, command.Only, command.None, "x"}[mode%5]
		if mode&8 > 0 {
			p.AllowedIDs = nil
		}
		if mode&16 > 0 {
			p.IncludeIntegrationIDs = nil
		}
		n, err := command.Normal(p)
		if err != nil {
			return
		}
		s, err := command.New("tutti", catalog(), n)
		if err != nil {
			return
		}
		for _, prefix := range s.Approval().Prefixes {
			for _, c := range catalog() {
				argv := append([]string{"tutti"}, c.Path...)
				if len(argv) >= len(prefix) && slices.Equal(argv[:len(prefix)], prefix) && s.Authorize(c.ID) != nil {
					t.Errorf("%v approves %s, which %+v does not have", prefix, c.ID, n)
				}
			}
		}
	})
}
