package view_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func shown(show func(view.View)) string {
	var b strings.Builder
	show(view.View{W: &b, Home: "/home/ada"})
	return b.String()
}

func TestOverlayMasksSecretsAndShortensTheHome(t *testing.T) {
	t.Parallel()
	p := &core.Prepared{
		Dir: "/home/ada/state/s/one",
		Env: []core.EnvVar{
			{Name: "KEY", Op: preparer.EnvSet, Value: "s3cret", Secret: true},
			{Name: "A_HOME", Op: preparer.EnvSet, Value: "/home/ada/state/s/one/a"},
			{Name: "LIST", Op: preparer.EnvAppend, Value: "x,y", Separator: ","},
			{Name: "NONE", Op: preparer.EnvUnset},
		},
		Args: []string{"--file", "/home/ada/state/s/one/f", "--bare", "--set=/home/ada/x", "word"},
	}
	want := strings.Join([]string{
		"",
		"Environment",
		"  set     A_HOME  ~/state/s/one/a",
		"  set     KEY     •••••••• secret",
		"  append  LIST    x,y",
		"  unset   NONE",
		"",
		"Arguments",
		"  --file ~/state/s/one/f",
		"  --bare",
		"  --set=~/x",
		"  word",
		"",
	}, "\n")
	if diff := cmp.Diff(want, shown(func(v view.View) { v.Overlay(p) })); diff != "" {
		t.Error(diff)
	}
}

func TestPathsOfOthersAreNotShortened(t *testing.T) {
	t.Parallel()
	v := view.View{Home: "/home/ada"}
	for path, want := range map[string]string{
		"/home/ada":       "~",
		"/home/ada/x":     "~/x",
		"/home/adam/x":    "/home/adam/x",
		"/srv/home/ada/x": "/srv/home/ada/x",
		"/home/ada/\x1b[": "~/\uFFFD[",
	} {
		if got := v.Path(path); got != want {
			t.Errorf("Path(%q) = %q, want %q", path, got, want)
		}
	}
	if got := (view.View{Home: "/"}).Path("/etc"); got != "/etc" {
		t.Errorf("with the root as home: %q", got)
	}
}

func TestASessionOfACheckIsSaidToBeOne(t *testing.T) {
	t.Parallel()
	got := shown(func(v view.View) {
		v.Sessions([]core.Info{{Ref: core.Ref{Workspace: "plan-check", ID: "check-00"}, Cwd: "/tmp/x"}, {Ref: core.Ref{Workspace: "w", ID: "check-00"}, Cwd: "/srv/y"}}, time.Now())
	})
	if strings.Count(got, "a check of a subscription") != 1 || strings.Contains(got, "/tmp/x") || !strings.Contains(got, "/srv/y") {
		t.Error(got)
	}
}

func TestTreeHasOneRootForEachPlaceOfThings(t *testing.T) {
	t.Parallel()
	nodes := []core.Node{
		{Place: "workspace:AGENTS.md", Kind: "block", Why: "managed block"},
		{Place: "session:a/b.json", Kind: "file", Size: 1500, Why: "edited"},
		{Place: "session:a", Kind: "dir"},
		{Place: "session:a.txt", Kind: "file"},
		{Place: "session:a/link", Kind: "link", Target: "/home/ada/store/" + strings.Repeat("0123456789ab", 6), Why: "skills"},
	}
	want := strings.Join([]string{
		"  session",
		"  ├─ a/         dir",
		"  │  ├─ b.json  file  1.5 kB  edited",
		"  │  └─ link    link  → ~/store/0123456789ab…  skills",
		"  └─ a.txt      file",
		"",
		"  workspace",
		"  └─ AGENTS.md  block  managed block",
		"",
	}, "\n")
	if diff := cmp.Diff(want, shown(func(v view.View) { v.Tree(nodes) })); diff != "" {
		t.Error(diff)
	}
}

func TestInheritedAndDiagnostics(t *testing.T) {
	t.Parallel()
	got := shown(func(v view.View) {
		v.Inherited([]core.Inherited{
			{Kind: preparer.MCPServers, Name: "docs", Source: "home:x/c.toml", State: core.CameAlong},
			{Kind: preparer.Hooks, Name: "h", Source: "home:x/h", State: core.LeftOut},
			{Kind: preparer.Plugins, Name: "p", Source: "home:x/p", State: core.NotExcluded},
			{Kind: preparer.ModelSettings, Name: "model", Source: "home:x/c", State: core.Displaced},
		})
		v.Diagnostics([]core.Diagnostic{preparer.Warn("x.y", "look here", "do that")})
	})
	want := strings.Join([]string{
		"",
		"Your own set-up",
		"  ✓  mcp servers     docs   comes along                             home:x/c.toml",
		"  –  hooks           h      left out                                home:x/h",
		"  !  plugins         p      cannot be left out                      home:x/p",
		"  –  model settings  model  the model endpoint stands in its place  home:x/c",
		"",
		"Good to know",
		"  ! look here (x.y)",
		"    hint: do that",
		"",
	}, "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestDescriptorListsWhatIsReadAndChanged(t *testing.T) {
	t.Parallel()
	got := shown(func(v view.View) {
		v.Descriptor(preparer.Descriptor{
			Inputs: []preparer.Input{{
				Name: "trees", Kind: preparer.InputNames, Filter: preparer.FilterSkillTrees,
				At: []preparer.Location{preparer.At("x", "skills"), preparer.AtWorkspace(".x").UpToGitRoot()},
			}},
			OwnState: []preparer.Location{preparer.At("x", "auth.json"), preparer.AtUser(".x.json")},
		})
	})
	for _, want := range []string{
		"x:skills/**/SKILL.md\n", " ./.x/**/SKILL.md (and up to the git root)\n",
		"The client itself may change of yours\n    x:auth.json ~/.x.json\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}

func TestAgoIsShort(t *testing.T) {
	t.Parallel()
	now := time.Date(2030, 1, 10, 12, 0, 0, 0, time.UTC)
	for d, want := range map[time.Duration]string{
		time.Second: "just now", 3 * time.Minute: "3 min ago", 5 * time.Hour: "5 h ago", 72 * time.Hour: "3 days ago",
		-time.Hour: "just now",
	} {
		if got := view.Ago(now, now.Add(-d)); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
	if got := view.Ago(now, time.Time{}); got != "unknown" {
		t.Errorf("%q", got)
	}
}
