package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestExitStatusAndMessage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		args   []string
		status int
		says   []string
	}{
		"no provider":       {[]string{"prepare"}, 2, []string{"PROVIDER is missing", "hint: ", "[usage]"}},
		"two providers":     {[]string{"prepare", "fake", "more"}, 2, []string{`"more" is one argument too many`}},
		"unknown command":   {[]string{"prepar"}, 2, []string{`there is no command "prepar"`, "did you mean prepare?"}},
		"help on nothing":   {[]string{"nosuch", "--help"}, 2, []string{`there is no command "nosuch"`, "[usage]"}},
		"help before it":    {[]string{"-h", "prepar"}, 2, []string{`there is no command "prepar"`, "did you mean prepare?"}},
		"help below":        {[]string{"sessions", "nosuch", "--help"}, 2, []string{`there is no command "nosuch"`, "sessions --help"}},
		"help of nothing":   {[]string{"help", "nosuch"}, 2, []string{`there is no command "nosuch"`}},
		"help of a part":    {[]string{"help", "sessions", "nosuch"}, 2, []string{`there is no command "nosuch"`}},
		"unknown flag":      {[]string{"sessions", "--wat"}, 2, []string{"unknown flag: --wat"}},
		"client's flag":     {[]string{"run", "fake", "--wat"}, 2, []string{"unknown flag: --wat", "behind --"}},
		"two answers":       {[]string{"prepare", "fake", "--json", "--shell"}, 2, []string{`"code":"usage"`}},
		"no preset":         {[]string{"explain", "fake", "--inherit", "some"}, 2, []string{"presets are"}},
		"no kind":           {[]string{"explain", "fake", "--inherit", "cats=all"}, 2, []string{"kinds are"}},
		"empty name":        {[]string{"explain", "fake", "--inherit", "skills=a,,b"}, 2, []string{"empty name"}},
		"no such keep":      {[]string{"cleanup", "x", "--keep", "some"}, 2, []string{"--keep does not know"}},
		"client arguments":  {[]string{"run", "fake", "hello"}, 2, []string{"stand behind --"}},
		"run json":          {[]string{"run", "fake", "--json"}, 2, []string{"prepare --json"}},
		"cleanup what":      {[]string{"cleanup"}, 2, []string{"SESSION is missing"}},
		"cleanup both":      {[]string{"cleanup", "x", "--all"}, 2, []string{"exclude each other"}},
		"no such shell":     {[]string{"completion", "tcsh"}, 2, []string{"bash, zsh, fish or powershell"}},
		"no such adapter":   {[]string{"prepare", "nobody"}, 3, []string{"[adapter_not_found]", "found: fake"}},
		"no such session":   {[]string{"sessions", "show", "none"}, 3, []string{"[session_not_found]"}},
		"cleanup none":      {[]string{"cleanup", "none"}, 3, []string{"[session_not_found]"}},
		"no such directory": {[]string{"prepare", "fake", "--cwd", "nowhere"}, 3, []string{"[cwd_not_directory]", filepath.Join("project", "nowhere")}},
		"blank session":     {[]string{"prepare", "fake", "--session", " "}, 3, []string{"[invalid_input]"}},
		"version":           {[]string{"--version"}, 0, nil},
		"absent binary":     {[]string{"prepare", "fake", "--adapter", "nowhere"}, 3, []string{"[adapter_unreadable]", "nowhere"}},
		"no client":         {[]string{"run", "fake"}, 3, []string{"[client_not_found]", "hint: "}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			got := w.run(c.args...)
			if got.status != c.status {
				t.Errorf("status %d, want %d", got.status, c.status)
			}
			for _, want := range c.says {
				if !strings.Contains(got.errors, want) {
					t.Errorf("no %q in %q", want, got.errors)
				}
			}
			if strings.Contains(got.out, "Usage:") || strings.Contains(got.errors, "Usage:") {
				t.Error("the whole help is no answer to a mistake")
			}
			if left := w.sessionDirs(); len(left) != 0 {
				t.Errorf("left: %q", left)
			}
		})
	}
}

func TestErrorsAreJSONWhereAnswersAre(t *testing.T) {
	t.Parallel()
	got := newWorld(t).run("prepare", "nobody", "--json")
	var answer struct {
		Error struct{ Code, Message, Hint string }
	}
	if err := json.Unmarshal([]byte(got.errors), &answer); err != nil {
		t.Fatalf("%v in %q", err, got.errors)
	}
	if answer.Error.Code != "adapter_not_found" || answer.Error.Message == "" || answer.Error.Hint == "" || got.out != "" {
		t.Errorf("%+v, stdout %q", answer.Error, got.out)
	}
}

func TestARefusalOfAnAdapterIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.clientOf("1.6.6", "")
	got := w.run("prepare", "fake")
	for _, want := range []string{"[adapter_refused]", "this version cannot be prepared", "fake.cursed", "hint: install another one"} {
		if got.status != 3 || !strings.Contains(got.errors, want) {
			t.Errorf("status %d, no %q in %q", got.status, want, got.errors)
		}
	}
}

func TestAnInterruptedPreparationLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.ctx = ctx
	if got := w.run("prepare", "fake"); got.status != 1 || !strings.Contains(got.errors, "interrupted") {
		t.Errorf("%+v", got)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

func TestUnknownHomeIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.environ, w.home = []string{"PATH=/bin"}, ""
	if got := w.run("sessions"); got.status != 3 || !strings.Contains(got.errors, "[home_unknown]") {
		t.Errorf("%+v", got)
	}
}

func TestStateDirectoryIsChosenInOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	flagged, env, xdg := filepath.Join(w.home, "flag"), filepath.Join(w.home, "env"), filepath.Join(w.home, "xdg")
	for _, c := range []struct {
		environ []string
		args    []string
		want    string
	}{
		{[]string{"GREENROOM_STATE=" + env, "XDG_STATE_HOME=" + xdg}, []string{"--state", flagged}, flagged},
		{[]string{"GREENROOM_STATE=" + env, "XDG_STATE_HOME=" + xdg}, nil, env},
		{[]string{"XDG_STATE_HOME=" + xdg}, nil, filepath.Join(xdg, "greenroom")},
		{[]string{"XDG_STATE_HOME=relative"}, nil, filepath.Join(w.home, ".local", "state", "greenroom")},
		{nil, []string{"--state", "here"}, filepath.Join(w.project, "here")},
	} {
		w.environ = append([]string{"PATH=/usr/bin:/bin"}, c.environ...)
		w.must(append([]string{"prepare", "fake", "--session", "one"}, c.args...)...)
		if entries, err := os.ReadDir(filepath.Join(c.want, "s")); err != nil || len(entries) != 1 {
			t.Errorf("%v %v: %v, %v", c.environ, c.args, entries, err)
		}
	}
}
