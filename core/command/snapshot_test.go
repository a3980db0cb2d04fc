package command_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
)

func schema(required []any, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required}
}

// get is a command with one required input and options of every kind.
func get() command.Command {
	return command.Command{ID: "issue.get", Path: []string{"issue", "get"}, Summary: "Read an issue", JSON: true, InputSchema: schema(
		[]any{"id"}, map[string]any{
			"id":   map[string]any{"type": "string"},
			"view": map[string]any{"type": "string", "enum": []any{"short", "long"}},
			"all":  map[string]any{"type": "boolean"}, "limit": map[string]any{"type": "integer"}, "note": map[string]any{},
		})}
}

func plain(id string) command.Command {
	return command.Command{ID: id, Path: strings.Split(id, "."), Summary: "About " + id}
}

func snapshot(t testing.TB, p command.Projection, list ...command.Command) *command.Snapshot {
	t.Helper()
	s, err := command.New("tutti", list, p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestC150_OnlyWhatIsAdvertised(t *testing.T) {
	t.Parallel()
	s := snapshot(t, command.Projection{}, get(), plain("app.list"))
	for id, want := range map[string]string{"issue.get": "tutti issue get --id <id> --json", "app.list": "tutti app list"} {
		if got, err := s.Text(id, nil); err != nil || got != want {
			t.Errorf("%s is %q, %v", id, got, err)
		}
	}
	if _, err := s.Text("issue.delete", nil); err == nil {
		t.Error("a command that there is not has a text")
	}
	if diff := cmp.Diff([]string{"issue", "app"}, s.Families()); diff != "" {
		t.Error(diff)
	}
}

func TestC151_CatalogsThatAreRefused(t *testing.T) {
	t.Parallel()
	with := func(change func(*command.Command)) []command.Command {
		c := get()
		change(&c)
		return []command.Command{c}
	}
	set := func(properties map[string]any, required ...any) []command.Command {
		return with(func(c *command.Command) { c.InputSchema = schema(required, properties) })
	}
	for name, list := range map[string][]command.Command{
		"duplicate id":           {get(), get()},
		"duplicate path":         {get(), with(func(c *command.Command) { c.ID = "other" })[0]},
		"blank id":               with(func(c *command.Command) { c.ID = "" }),
		"no path":                with(func(c *command.Command) { c.Path = nil }),
		"unknown required":       set(nil, "id"),
		"required twice":         set(map[string]any{"id": map[string]any{}}, "id", "id"),
		"blank required":         set(map[string]any{"id": map[string]any{}}, " "),
		"required no list":       with(func(c *command.Command) { c.InputSchema = map[string]any{"required": "id"} }),
		"properties no object":   with(func(c *command.Command) { c.InputSchema = map[string]any{"properties": []any{}} }),
		"a property no object":   set(map[string]any{"id": "string"}),
		"a property null":        set(map[string]any{"id": nil}),
		"enum no list":           set(map[string]any{"id": map[string]any{"enum": "a"}}),
		"enum with an object":    set(map[string]any{"id": map[string]any{"enum": []any{map[string]any{}}}}),
		"enum value with breaks": set(map[string]any{"id": map[string]any{"enum": []any{"a\nb"}}}),
		"number with breaks":     set(map[string]any{"id": map[string]any{"enum": []any{json.Number("1\n# x")}}}),
		"unknown type":           set(map[string]any{"id": map[string]any{"type": "date"}}),
		"schema of a list":       with(func(c *command.Command) { c.InputSchema = map[string]any{"type": "array"} }),
		"input named like code":  set(map[string]any{"a b": map[string]any{}}),
		"C166 quote in a word":   with(func(c *command.Command) { c.Path = []string{"issue", `g"et`} }),
		"C166 break in a word":   with(func(c *command.Command) { c.Path = []string{"issue\nget"} }),
		"C166 leading dash":      with(func(c *command.Command) { c.Path = []string{"issue", "--all"} }),
		"C166 empty word":        with(func(c *command.Command) { c.Path = []string{"issue", ""} }),
		"C166 blank in a word":   with(func(c *command.Command) { c.Path = []string{"issue get"} }),
	} {
		if _, err := command.New("tutti", list, command.Projection{}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: it gives %v", name, err)
		}
	}
	if _, err := command.New("rm -rf", nil, command.Projection{}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a tool with a blank: %v", err)
	}
}

func TestC152_C153_C167_Values(t *testing.T) {
	t.Parallel()
	s := snapshot(t, command.Projection{}, get())
	for name, test := range map[string]struct {
		pairs []string
		want  string // "" for an error
	}{
		"plain":             {[]string{"id", "I-1"}, "--id I-1"},
		"optional behind":   {[]string{"view", "long", "id", "I-1"}, "--id I-1 --view long"},
		"blank":             {[]string{"id", "a b"}, "--id 'a b'"},
		"dollar":            {[]string{"id", "$HOME"}, "--id '$HOME'"},
		"backtick":          {[]string{"id", "`x`"}, "--id '`x`'"},
		"apostrophe":        {[]string{"id", "it's"}, `--id "it's"`},
		"at":                {[]string{"id", "@x"}, "--id '@x'"},
		"curly apostrophe":  {[]string{"id", "it’s; rm x"}, `--id "it’s; rm x"`},
		"curly and dollar":  {[]string{"id", "it’s $(x)"}, ""},
		"curly quotes":      {[]string{"id", "it’s “x”"}, ""},
		"empty":             {[]string{"id", ""}, "--id ''"},
		"both quotes":       {[]string{"id", `it's "x"`}, ""},
		"apostrophe dollar": {[]string{"id", "it's $5"}, ""},
		"line break":        {[]string{"id", "a\nb"}, ""},
		"line separator":    {[]string{"id", "a\u2028b"}, ""},
		"turned around":     {[]string{"id", "a\u202eb"}, ""},
		"no UTF-8":          {[]string{"id", "a\xff"}, ""},
		"wide blank, emoji": {[]string{"id", "a\u3000👩\u200d💻"}, "--id 'a\u3000👩\u200d💻'"},
		"leading dash":      {[]string{"id", "--force"}, ""},
		"placeholder":       {[]string{"id", "<issue id>", "view", "<short|long>", "limit", "<n>"}, "--id <issue id> --limit <n> --view <short|long>"},
		"false placeholder": {[]string{"id", "<a>; rm <b>"}, "--id '<a>; rm <b>'"},
		"not in the enum":   {[]string{"id", "x", "view", "wide"}, ""},
		"true":              {[]string{"id", "x", "all", "true"}, "--id x --all"},
		"false":             {[]string{"id", "x", "all", "false"}, "--id x --all false"},
		"no truth":          {[]string{"id", "x", "all", "yes"}, ""},
		"number":            {[]string{"id", "x", "limit", "-3"}, "--id x --limit=-3"},
		"no number":         {[]string{"id", "x", "limit", "3.5"}, ""},
		"unknown input":     {[]string{"id", "x", "nothing", "y"}, ""},
		"odd":               {[]string{"id"}, ""},
		"blank name":        {[]string{" ", "x"}, ""},
		"twice":             {[]string{"id", "x", "id", "y"}, ""},
	} {
		args, err := command.MakeArgs(test.pairs...)
		got := ""
		if err == nil {
			got, err = s.Text("issue.get", args)
		}
		want := ""
		if test.want != "" {
			want = "tutti issue get " + test.want + " --json"
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v, want %q", name, got, err, want)
		}
	}
}

func TestC154_SnapshotDoesNotChange(t *testing.T) {
	t.Parallel()
	list := sample.Catalog()
	s := snapshot(t, command.Projection{}, list...)
	guide, digest := s.Guide(), s.Digest()
	for i := range list {
		list[i].Path[0], list[i].Summary = "changed", "changed"
		for _, p := range list[i].InputSchema["properties"].(map[string]any) {
			p.(map[string]any)["type"] = "boolean"
		}
		list[i].InputSchema["required"] = []any{}
	}
	if s.Guide() != guide || s.Digest() != digest || strings.Contains(guide, "changed") {
		t.Error("a change of the catalog reached the snapshot")
	}
}

func TestC155_HiddenAndWaiting(t *testing.T) {
	t.Parallel()
	hidden, integration, wait := plain("a.hidden"), plain("a.integration"), plain("a.wait")
	hidden.Visibility, integration.Visibility, wait.Wait = "internal", command.Integration, true
	s := snapshot(t, command.Projection{}, hidden, integration, wait)
	if diff := cmp.Diff([]string{"a.wait"}, s.IDs()); diff != "" {
		t.Error(diff)
	}
	if ok, err := s.HasInput("a.wait", "timeout-ms"); !ok || err != nil {
		t.Errorf("a command that waits has no time limit: %v", err)
	}
	if _, err := s.HasInput("a.hidden", "x"); err == nil {
		t.Error("a hidden command is known")
	}
}

func TestGuideOfEveryCommand(t *testing.T) {
	t.Parallel()
	c := get()
	c.Summary, c.AppID, c.AppName = "Read\n# Obey\n```", "app-1", "Notes <b>"
	guide := snapshot(t, command.Projection{}, c, plain("x")).Guide()
	want := "- Read # Obey ''': `tutti issue get --id <id> --json` Provided by workspace app Notes ‹b›. App id: app-1. Arguments: " +
		"`--id <string>` (required); `--all <boolean>` (optional); `--limit <integer>` (optional); `--note <any>` (optional); " +
		"`--view <string>` (optional; values: short, long).\n- About x: `tutti x`\n"
	if diff := cmp.Diff(want, guide); diff != "" {
		t.Error(diff)
	}
	if got := command.Empty("tutti").Guide(); strings.Count(got, "\n") != 1 || !strings.Contains(got, "no commands") {
		t.Errorf("without commands: %q", got)
	}
}

func TestC163_OutageIsAnError(t *testing.T) {
	t.Parallel()
	down := errors.New("connection refused")
	c := command.CatalogFunc(func(context.Context, command.Query) ([]command.Command, error) { return nil, down })
	if _, err := command.Resolve(t.Context(), c, "tutti", "w", command.Projection{}); !errors.Is(err, fault.CatalogFailed) || !errors.Is(err, down) {
		t.Errorf("it gives %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := command.Resolve(ctx, c, "tutti", "w", command.Projection{}); !errors.Is(err, fault.Deadline) {
		t.Errorf("when nobody waits it gives %v", err)
	}
	s, err := command.Resolve(t.Context(), nil, "tutti", "w", command.Projection{})
	if err != nil || len(s.IDs()) != 0 {
		t.Errorf("a host without commands: %v", err)
	}
}

func TestIntegrationsAreAskedForByDedicatedSessionsOnly(t *testing.T) {
	t.Parallel()
	var asked []command.Query
	c := command.CatalogFunc(func(_ context.Context, q command.Query) ([]command.Command, error) {
		asked = append(asked, q)
		return sample.Catalog(), nil
	})
	for _, p := range []command.Projection{{}, {Dedicated: true, Mode: command.None}} {
		if _, err := command.Resolve(t.Context(), c, "tutti", "w", p); err != nil {
			t.Fatal(err)
		}
	}
	want := []command.Query{{Workspace: "w"}, {Workspace: "w", Integration: true}}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %v", asked)
	}
}
