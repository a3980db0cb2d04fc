package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestExplainWritesNothingAndIsWhatPrepareDoes(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]prop{"plain": {provider: "prop"}, "with a block": {provider: "prop", workspace: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t, p)
			s.program("bin/prop-client", "1.2.3")
			before := snapshot(t, s.dir, true)
			var calls []string
			s.host = s.open(func(c *Config) {
				c.BeforeChange = func(_ int64, call, path string) error { calls = append(calls, call+" "+path); return nil }
			}, p)
			ex, err := s.host.Explain(t.Context(), s.session("one"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(before, snapshot(t, s.dir, true)); diff != "" || len(calls) != 0 {
				t.Errorf("explain changed something, by %q:\n%s", calls, diff)
			}
			got := s.prepare(s.session("one"))
			ex.Prepared.Generation = got.Generation
			a, errA := json.Marshal(ex.Prepared)
			b, errB := json.Marshal(got)
			if err := errors.Join(errA, errB); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(a), string(b)); diff != "" {
				t.Errorf("the overlay (-explained +prepared):\n%s", diff)
			}
			want := map[string]string{}
			for _, n := range ex.Tree {
				root, path, _ := strings.Cut(n.Place, ":")
				dir := got.Dir
				if root == "workspace" {
					dir = s.cwd
				}
				fi, err := os.Lstat(filepath.Join(dir, path))
				if err != nil {
					t.Errorf("%s was explained and is not there", n.Place)
					continue
				}
				if n.Mode != "" && n.Kind != "block" && n.Mode != fmt.Sprintf("%04o", fi.Mode().Perm()) {
					t.Errorf("%s has mode %v, explained %s", n.Place, fi.Mode(), n.Mode)
				}
				if n.Kind == "file" && int64(n.Size) != fi.Size() {
					t.Errorf("%s has %d bytes, explained %d", n.Place, fi.Size(), n.Size)
				}
				if root == "session" {
					want[path] = ""
				}
			}
			for path := range snapshot(t, got.Dir, false) {
				if _, ok := want[path]; !ok && path != "." {
					t.Errorf("%s is there and was not explained", path)
				}
			}
			reads := map[string]bool{}
			for _, r := range ex.Reads {
				reads[r.Source] = r.Exists
			}
			if !reads["home:prop/config.toml"] || !reads["home:prop/auth.json"] {
				t.Errorf("reads %v", reads)
			}
			if slices.ContainsFunc(ex.Reads, func(r InputView) bool { return strings.Contains(fmt.Sprint(r), "R1") }) {
				t.Error("explain tells what is in the login")
			}
		})
	}
}

func TestInheritChoices(t *testing.T) {
	t.Parallel()
	all, none, only := preparer.Choice{Mode: preparer.All}, preparer.Choice{Mode: preparer.None}, preparer.Choice{Mode: preparer.Only, Names: []string{"a", "b"}}
	for name, c := range map[string]struct {
		in   Inherit
		want map[preparer.Kind]preparer.Choice // what differs from all
		bad  string
	}{
		"zero":    {Inherit{}, map[preparer.Kind]preparer.Choice{preparer.Memories: none}, ""},
		"desktop": {Inherit{Preset: Desktop}, map[preparer.Kind]preparer.Choice{preparer.Memories: none}, ""},
		"automation": {Inherit{Preset: Automation}, map[preparer.Kind]preparer.Choice{
			preparer.Instructions: none, preparer.Skills: none, preparer.MCPServers: none, preparer.Hooks: none,
			preparer.Plugins: none, preparer.Memories: none, preparer.ModelSettings: none,
		}, ""},
		"a kind over the preset": {Inherit{Kinds: map[preparer.Kind]preparer.Choice{preparer.Memories: all, preparer.Hooks: none}},
			map[preparer.Kind]preparer.Choice{preparer.Hooks: none}, ""},
		"names are sorted and once": {Inherit{Kinds: map[preparer.Kind]preparer.Choice{preparer.Skills: {Mode: preparer.Only, Names: []string{"b", "a", "b"}}}},
			map[preparer.Kind]preparer.Choice{preparer.Memories: none, preparer.Skills: only}, ""},
		"names count with only alone": {Inherit{Kinds: map[preparer.Kind]preparer.Choice{preparer.Skills: {Mode: preparer.All, Names: []string{"b"}}}},
			map[preparer.Kind]preparer.Choice{preparer.Memories: none}, ""},
		"unknown preset": {Inherit{Preset: "everything"}, nil, "preset"},
		"unknown kind":   {Inherit{Kinds: map[preparer.Kind]preparer.Choice{"secrets": all}}, nil, "secrets"},
		"unknown mode":   {Inherit{Kinds: map[preparer.Kind]preparer.Choice{preparer.Skills: {Mode: "some"}}}, nil, "skills"},
		"no mode":        {Inherit{Kinds: map[preparer.Kind]preparer.Choice{preparer.Skills: {}}}, nil, "skills"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := c.in.resolve()
			if c.bad != "" {
				if !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.bad) {
					t.Fatalf("error %v, want %v that names %s", err, ErrInvalid, c.bad)
				}
				s := newStage(t)
				ses := s.session("one")
				ses.Inherit = c.in
				if _, err := s.host.Prepare(t.Context(), ses); !errors.Is(err, ErrInvalid) {
					t.Errorf("prepare: %v", err)
				}
				if _, err := os.Stat(s.state); err == nil {
					t.Error("state was made")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			want := preparer.Inherit{}
			for _, k := range preparer.Kinds() {
				want[k] = all
				if w, ok := c.want[k]; ok {
					want[k] = w
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("choices (-want +got):\n%s", diff)
			}
		})
	}
}

func TestInheritedItemsAreReported(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	ses := s.session("one")
	report := func(in Inherit) map[string]InheritState {
		ses.Inherit = in
		got := map[string]InheritState{}
		p := s.prepare(ses)
		for _, i := range p.Inherited {
			got[string(i.Kind)+" "+i.Name+" from "+i.Source] = i.State
		}
		warned := 0
		for _, d := range p.Diagnostics {
			if d.Code == "not_excludable" {
				warned++
			}
		}
		kept := 0
		for _, state := range got {
			if state == NotExcluded {
				kept++
			}
		}
		if warned != kept {
			t.Errorf("%d warnings for %d items that could not be left out", warned, kept)
		}
		return got
	}
	const (
		rules = "instructions RULES.md from home:prop/RULES.md"
		docs  = "mcp_servers docs from home:prop/config.toml"
		mine  = "skills mine from home:prop/skills"
		hook  = "hooks one.json from home:prop/hooks"
	)
	if diff := cmp.Diff(map[string]InheritState{rules: CameAlong, docs: CameAlong, mine: CameAlong, hook: CameAlong}, report(Inherit{})); diff != "" {
		t.Errorf("desktop (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]InheritState{rules: LeftOut, docs: LeftOut, mine: LeftOut, hook: NotExcluded}, report(Inherit{Preset: Automation})); diff != "" {
		t.Errorf("automation (-want +got):\n%s", diff)
	}
	for _, path := range []string{"prop/skills/mine"} {
		if _, err := os.Lstat(filepath.Join(s.state, "s", nameOf(s, "one"), path)); err == nil {
			t.Errorf("%s is there all the same", path)
		}
	}
	if got := s.read(filepath.Join(s.state, "s", nameOf(s, "one"), "prop/RULES.md")); strings.Contains(got, "USER RULES") {
		t.Error("the user's instructions are there all the same")
	}
}

// every walks what hosts do, and calls back after each step.
func (s *stage) every(bad prop, step func(what string)) {
	s.t.Helper()
	ses := s.session("one")
	s.prepare(ses)
	step("prepare")
	s.prepare(ses)
	step("prepare again")
	if _, err := s.open(nil, bad).Prepare(s.t.Context(), ses); err == nil {
		s.t.Error("nothing failed")
	}
	step("a failed preparation")
	if _, err := s.host.Recover(s.t.Context()); err != nil {
		s.t.Error(err)
	}
	step("recover")
	s.prepare(ses)
	s.release(s.hold("one"))
	step("a run")
	s.cleanup(ses)
	step("clean-up")
	if _, err := s.open(nil, bad).Prepare(s.t.Context(), s.session("two")); err == nil {
		s.t.Error("nothing failed")
	}
	step("a failed first preparation")
}

func TestH16_HomesAreNeverWrittenTo(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("home/.prop/settings.json", `{"hooks":{},"env":{"A":"b"}}`)
	s.write("home/.other/x", "x")
	before := snapshot(t, s.home, true)
	bad := prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
		l.File(preparer.Session("prop/more"), preparer.S("more"))
		l.Check(preparer.Session("prop/config.toml"), preparer.CheckTOML, preparer.Key("nothing"))
	}}
	s.every(bad, func(what string) {
		if diff := cmp.Diff(before, snapshot(t, s.home, true)); diff != "" {
			t.Errorf("%s changed the user's home:\n%s", what, diff)
		}
	})
}

func TestH15_CleanupFollowsNoLink(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("victim/dir/file", "precious")
	p := s.prepare(s.session("one"))
	for at, to := range map[string]string{
		"a": "victim", "prop/b": "victim/dir/file", "prop/plugins2": "victim/dir", "c/d/e": "victim", "prop/loop": "state/s", "prop/home": "home",
	} {
		path := filepath.Join(p.Dir, at)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.Symlink(s.path(to), path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.Symlink("..", filepath.Join(p.Dir, "up")), os.Mkdir(filepath.Join(p.Dir, "closed"), 0)); err != nil {
		t.Fatal(err)
	}
	victim, home := snapshot(t, s.path("victim"), true), snapshot(t, s.home, true)
	s.prepare(s.session("one"))
	s.cleanup(s.session("one"))
	if diff := cmp.Diff(victim, snapshot(t, s.path("victim"), true)) + cmp.Diff(home, snapshot(t, s.home, true)); diff != "" {
		t.Errorf("something that a link leads to changed:\n%s", diff)
	}
	if left := s.left(); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func TestH18_ReaderNeverSeesHalfAFile(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	stop := make(chan struct{})
	bad := make(chan string, 1)
	go func() {
		defer close(bad)
		for {
			select {
			case <-stop:
				return
			default:
			}
			for name, whole := range map[string]func(string) bool{
				"prop/config.toml": func(text string) bool {
					return strings.HasSuffix(text, "ours = true\n") && strings.Contains(text, "model = ") || strings.Contains(text, "docs")
				},
				"prop/RULES.md": func(text string) bool {
					return strings.HasPrefix(text, "USER RULES") && strings.Contains(text, "GREENROOM END")
				},
				"prop/auth.json": func(text string) bool { return strings.HasSuffix(text, "}") },
			} {
				data, err := os.ReadFile(filepath.Join(p.Dir, name))
				if err != nil || !whole(string(data)) {
					bad <- fmt.Sprintf("%s: %q, %v", name, data, err)
					return
				}
			}
		}
	}()
	for n := range 200 {
		s.renamed(s.path("home/.prop/config.toml"), fmt.Sprintf("model = \"%s\"\n", strings.Repeat("x", n)))
		s.renamed(s.path("home/.prop/RULES.md"), "USER RULES"+strings.Repeat("y", 200-n))
		s.prepare(s.session("one"))
	}
	close(stop)
	if text := <-bad; text != "" {
		t.Error(text)
	}
	s.overwrite(s.path("home/.prop/config.toml"), "model = \"unterminated\n[")
	before := s.read(filepath.Join(p.Dir, "prop/config.toml"))
	if _, err := s.host.Prepare(t.Context(), s.session("one")); !errors.Is(err, ErrUnparsable) {
		t.Errorf("a file that does not parse: %v, want %v", err, ErrUnparsable)
	}
	if got := s.read(filepath.Join(p.Dir, "prop/config.toml")); got != before {
		t.Errorf("the session's file became %q", got)
	}
}

func TestH22_SameDirectoryTwice(t *testing.T) {
	t.Parallel()
	twice := prop{provider: "prop", describe: func(d *preparer.Descriptor) {
		for i := range d.Inputs {
			if d.Inputs[i].Name == "skills" {
				d.Inputs[i].At = append(d.Inputs[i].At, preparer.AtUser(".agents/skills"), preparer.AtWorkspace(".prop/skills").UpToGitRoot())
			}
		}
	}}
	s := newStage(t, twice)
	if err := errors.Join(os.Mkdir(s.path("home/.agents"), 0o755), os.Symlink(s.path("home/.prop/skills"), s.path("home/.agents/skills"))); err != nil {
		t.Fatal(err)
	}
	ses := s.session("one")
	ses.Cwd = s.home // the working directory is the home, too
	p := s.prepare(ses)
	n := 0
	for _, i := range p.Inherited {
		if i.Kind == preparer.Skills && i.Name == "mine" {
			n++
		}
	}
	if n != 1 {
		t.Errorf("the skill is listed %d times: %v", n, p.Inherited)
	}
	entries, err := os.ReadDir(filepath.Join(p.Dir, "prop/skills"))
	if err != nil || len(entries) != 2 {
		t.Errorf("skills %v, %v; want the user's and ours", entries, err)
	}
}

func TestH06_OddSkillsAreReported(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const good = "---\nname: %s\ndescription: of the user\n---\n"
	s.write("elsewhere/linked/SKILL.md", fmt.Sprintf(good, "linked"))
	s.write("elsewhere/real.md", fmt.Sprintf(good, "x"))
	s.write("home/.prop/skills/plain.md", "stray")
	s.write("home/.prop/skills/.hidden/SKILL.md", fmt.Sprintf(good, "hidden"))
	s.write("home/.prop/skills/nothing/readme.md", "")
	s.write("home/.prop/skills/broken/SKILL.md", "no front matter")
	s.write("home/.prop/skills/filelink/other.md", "")
	for at, to := range map[string]string{
		"linked": s.path("elsewhere/linked"), "dangling": s.path("nowhere"), "loop": "loop", "stray": s.path("elsewhere/real.md"),
		"filelink/SKILL.md": s.path("elsewhere/real.md"), "up": "..",
	} {
		if err := os.Symlink(to, s.path("home/.prop/skills/"+at)); err != nil {
			t.Fatal(err)
		}
	}
	_ = mkfifo(s.path("home/.prop/skills/fifo"))
	p := s.prepare(s.session("one"))
	var got []string
	entries, err := os.ReadDir(filepath.Join(p.Dir, "prop/skills"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if diff := cmp.Diff([]string{"greenroom", "linked", "mine"}, got); diff != "" {
		t.Errorf("skills (-want +got):\n%s", diff)
	}
	for _, name := range []string{"dangling", "loop", "filelink", "broken", "nothing", "up"} {
		if !slices.ContainsFunc(p.Diagnostics, func(d Diagnostic) bool {
			return d.Code == "input_passed_over" && strings.HasPrefix(d.Text, "home:prop/skills/"+name+": ")
		}) {
			t.Errorf("nothing says why %s was passed over: %v", name, p.Diagnostics)
		}
	}
	for _, d := range p.Diagnostics {
		if strings.Contains(d.Text, s.dir) {
			t.Errorf("a diagnostic names a path: %s", d.Text)
		}
	}
}

func TestH07_NamesDoNotPileUp(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range []string{"greenroom", "greenroom-tutti", "tutti-handoff", "tutti-handoff-tutti", "Reference"} {
		s.write("home/.prop/skills/"+name+"/SKILL.md", "---\nname: "+name+"\ndescription: of the user\n---\n")
	}
	p := s.prepare(s.session("one"))
	before, record := snapshot(t, p.Dir, true), s.read(s.record())
	for range 50 {
		s.prepare(s.session("one"))
	}
	if diff := cmp.Diff(before, snapshot(t, p.Dir, true)); diff != "" || s.read(s.record()) != record {
		t.Errorf("50 preparations changed the tree or its record:\n%s", diff)
	}
	for _, name := range []string{"greenroom", "greenroom-tutti", "tutti-handoff", "tutti-handoff-tutti", "Reference"} {
		if got := s.read(filepath.Join(p.Dir, "prop/skills", name, "SKILL.md")); !strings.Contains(got, "of the user") {
			t.Errorf("skill %s is %q", name, got)
		}
	}
	for _, v := range p.Skills {
		for _, taken := range []string{"tutti-handoff", "tutti-handoff-tutti", "reference"} {
			if strings.EqualFold(v.Name, taken) {
				t.Errorf("C113: ours took the name %s", taken)
			}
		}
		if _, err := os.Stat(v.Path); err != nil {
			t.Errorf("the path of skill %s leads nowhere", v.Name)
		}
	}
	// Removing what we brought removes exactly that.
	if _, err := s.told("zebra", prop{provider: "prop"}).Prepare(t.Context(), s.session("one")); err != nil {
		t.Fatal(err)
	}
	links, _ := filepath.Glob(filepath.Join(p.Dir, "prop/skills/*/one/SKILL.md"))
	old, _ := filepath.Glob(filepath.Join(p.Dir, "prop/skills/*/tutti-*/SKILL.md"))
	if len(links) != 1 || len(old) != 0 {
		t.Errorf("C104: new skills %v, old ones %v", links, old)
	}
}

func TestC103_WhatIsNotWantedAnyMoreGoes(t *testing.T) {
	t.Parallel()
	s := newStage(t, prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
		l.File(preparer.Session("gone/a/b"), preparer.S("x"))
		l.Dir(preparer.Session("gone/kept"))
		l.Link(preparer.Session("gone/link"), preparer.Session("prop"))
		l.File(preparer.Session("becomes"), preparer.S("a file"))
	}})
	p := s.prepare(s.session("one"))
	s.write("state/s/"+nameOf(s, "one")+"/gone/kept/client.db", "client")
	after := s.open(nil, prop{provider: "prop", extra: func(_ preparer.Request, l *preparer.Layout) {
		l.File(preparer.Session("becomes/a"), preparer.S("below"))
	}})
	if _, err := after.Prepare(t.Context(), s.session("one")); err != nil {
		t.Fatal(err)
	}
	for path, there := range map[string]bool{"gone/a": false, "gone/link": false, "gone/kept/client.db": true, "becomes/a": true} {
		if _, err := os.Lstat(filepath.Join(p.Dir, path)); (err == nil) != there {
			t.Errorf("%s: %v, want it there: %v", path, err, there)
		}
	}
	// And the other way, a directory that becomes a file.
	s.prepare(s.session("one"))
	if fi, err := os.Lstat(filepath.Join(p.Dir, "becomes")); err != nil || !fi.Mode().IsRegular() {
		t.Errorf("becomes: %v", err)
	}
	s.cleanup(s.session("one"))
}

func TestC116_LinkInTheSessionIsNeverWrittenThrough(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	s.write("victim/config.toml", "precious")
	s.write("victim/bin/run", "precious")
	before := snapshot(t, s.path("victim"), true)
	for at, to := range map[string]string{"prop/config.toml": "victim/config.toml", "prop/bin": "victim/bin", "prop/skills": "victim", "prop/hooks": "victim"} {
		path := filepath.Join(p.Dir, at)
		if err := errors.Join(os.RemoveAll(path), os.Symlink(s.path(to), path)); err != nil {
			t.Fatal(err)
		}
	}
	s.prepare(s.session("one"))
	if diff := cmp.Diff(before, snapshot(t, s.path("victim"), true)); diff != "" {
		t.Errorf("written through a link:\n%s", diff)
	}
	for at, mode := range map[string]fs.FileMode{"prop/config.toml": 0, "prop/bin": fs.ModeDir, "prop/skills": fs.ModeDir, "prop/hooks": fs.ModeDir} {
		if fi, err := os.Lstat(filepath.Join(p.Dir, at)); err != nil || fi.Mode().Type() != mode {
			t.Errorf("%s is %v, %v", at, fi.Mode(), err)
		}
	}
	// All of it behind a link: there is no login to be found then.
	if err := errors.Join(os.RemoveAll(filepath.Join(p.Dir, "prop")), os.Symlink(s.path("victim"), filepath.Join(p.Dir, "prop"))); err != nil {
		t.Fatal(err)
	}
	if _, err := s.host.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{Keep: KeepTranscripts}); err != nil {
		t.Errorf("clean-up that keeps transcripts: %v", err)
	}
	s.cleanup(s.session("one"))
	if diff := cmp.Diff(before, snapshot(t, s.path("victim"), true)); diff != "" {
		t.Errorf("cleaned up through a link:\n%s", diff)
	}
}
