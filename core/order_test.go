package core

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/manifest"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestC137_RecordIsDurableBeforeTheFirstChangeOutside(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"first", "again"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := prop{provider: "prop", workspace: true}
			s := newStage(t, p)
			if what == "again" {
				s.prepare(s.session("one"))
			}
			var calls []string
			h := s.open(func(c *Config) {
				c.Content = nonce(t, "zebra")
				c.BeforeChange = func(_ int64, call, path string) error { calls = append(calls, call+" "+path); return nil }
			}, p)
			if _, err := h.Prepare(t.Context(), s.session("one")); err != nil {
				t.Fatal(err)
			}
			outside := slices.IndexFunc(calls, func(c string) bool { return strings.HasSuffix(c, " AGENTS.md") })
			record, shared := slices.Index(calls, "sync m"), slices.Index(calls, "sync w")
			if outside < 0 || record < 0 || shared < 0 || record > shared || shared > outside {
				t.Errorf("manifest %d, record of the workspace %d, workspace %d in %q", record, shared, outside, calls)
			}
			synced := 0 // the file, and the name that it got
			for _, c := range calls[outside:] {
				if c == "sync AGENTS.md" {
					synced++
				}
			}
			if synced != 2 || !slices.Contains(calls[outside:], "sync m") {
				t.Errorf("the file and then the manifest are not made durable: %q", calls[outside:])
			}
		})
	}
}

func TestPreparationWithoutAnythingOutsideWaitsForNoDisk(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.prepare(s.session("zero")) // puts the skills into the store
	var syncs []string
	h := s.open(func(c *Config) {
		c.BeforeChange = func(_ int64, call, path string) error {
			if call == "sync" {
				syncs = append(syncs, path)
			}
			return nil
		}
	}, prop{provider: "prop"})
	for range 2 {
		if _, err := h.Prepare(t.Context(), s.session("one")); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{}); err != nil {
		t.Fatal(err)
	}
	if len(syncs) != 0 {
		t.Errorf("made durable: %q", syncs)
	}
}

func TestH03_EveryWayToASessionGivesTheSame(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const config, skill = "home/.prop/config.toml", "home/.prop/skills/later/SKILL.md"
	s.prepare(s.session("again"))
	s.prepare(s.session("resumed"))
	s.prepare(s.session("kept"))
	s.write(config, "model = \"later\"\n")
	s.write(skill, "---\nname: later\ndescription: of the user\n---\n")
	if _, err := s.host.Cleanup(t.Context(), s.session("kept").Ref(), CleanupOptions{Keep: KeepTranscripts}); err != nil {
		t.Fatal(err)
	}
	s.prepare(s.session("again"))
	s.host = s.open(nil, prop{provider: "prop"})
	for _, id := range []string{"fresh", "resumed", "kept", "again"} {
		s.prepare(s.session(id))
	}
	tree := func(id string) (map[string]string, []manifest.Entry) {
		dir := filepath.Join(s.state, "s", nameOf(s, id))
		got := map[string]string{}
		for path, line := range snapshot(t, dir, false) {
			if data, err := os.ReadFile(filepath.Join(dir, path)); err == nil {
				line = line[:11] + strings.ReplaceAll(string(data), dir, "SESSION")
			}
			got[path] = strings.ReplaceAll(line, dir, "SESSION")
		}
		data := s.read(filepath.Join(s.state, "m", nameOf(s, id)+".json"))
		m, err := manifest.Decode([]byte(data))
		if err != nil {
			t.Fatal(err)
		}
		for i := range m.Entries {
			if strings.HasSuffix(m.Entries[i].Path, "bin/run") {
				m.Entries[i].Digest = "" // it names the session's directory
			}
		}
		return got, m.Entries
	}
	wantTree, wantEntries := tree("fresh")
	if wantTree["prop/skills/later"] == "" {
		t.Error("the user's skill is not there")
	}
	for _, id := range []string{"again", "resumed", "kept"} {
		gotTree, gotEntries := tree(id)
		if diff := cmp.Diff(wantTree, gotTree) + cmp.Diff(wantEntries, gotEntries); diff != "" {
			t.Errorf("%s differs from a fresh one:\n%s", id, diff)
		}
	}
}

func TestC115_MarkerIsNotEnoughToBeRemoved(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	marker := filepath.Join(p.Skills[0].Path, "..", ".tutti-managed-skill")
	planted := []string{filepath.Join(p.Dir, "prop/skills/planted"), s.path("home/.prop/skills/planted"), s.path("work/planted")}
	for _, dir := range planted {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		s.overwrite(filepath.Join(dir, ".tutti-managed-skill"), s.read(marker))
		s.overwrite(filepath.Join(dir, "SKILL.md"), "mine")
	}
	for range 2 {
		if _, err := s.told("zebra", prop{provider: "prop"}).Prepare(t.Context(), s.session("one")); err != nil {
			t.Fatal(err)
		}
		s.prepare(s.session("one"))
	}
	if _, err := s.host.Cleanup(t.Context(), s.session("one").Ref(), CleanupOptions{Keep: KeepTranscripts}); err != nil {
		t.Fatal(err)
	}
	for _, dir := range planted {
		if got := s.read(filepath.Join(dir, "SKILL.md")); got != "mine" {
			t.Errorf("%s holds %q", dir, got)
		}
	}
}

func TestH10_HomesAreShown(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for name, c := range map[string]struct {
		value string
		want  HomeView
		note  bool
	}{
		"default":  {"", HomeView{ID: "prop", Path: s.path("home/.prop"), By: "default", Exists: true}, false},
		"variable": {s.path("work"), HomeView{ID: "prop", Path: s.path("work"), By: "variable", Exists: true}, false},
		"missing":  {s.path("none"), HomeView{ID: "prop", Path: s.path("none"), By: "variable"}, true},
		"a file":   {s.path("work/main.go"), HomeView{ID: "prop", Path: s.path("work/main.go"), By: "variable"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := s.open(func(c2 *Config) { c2.Environ = []string{"PROP_HOME=" + c.value} }, prop{provider: "prop"})
			ex, err := h.Explain(t.Context(), s.session("one"))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]HomeView{c.want}, ex.Homes); diff != "" {
				t.Errorf("homes (-want +got):\n%s", diff)
			}
			noted := slices.ContainsFunc(ex.Prepared.Diagnostics, func(d Diagnostic) bool { return d.Code == "home_missing" })
			if noted != c.note {
				t.Errorf("diagnostics %v", ex.Prepared.Diagnostics)
			}
			for _, d := range ex.Prepared.Diagnostics {
				if strings.Contains(fmt.Sprint(d), s.dir) {
					t.Errorf("a diagnostic names a path: %v", d)
				}
			}
		})
	}
}

func TestC211_SharedDirectoriesAndCaches(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	one, two := s.prepare(s.session("one")), s.prepare(s.session("two"))
	in := func(p *Prepared, rel string) string { return filepath.Join(p.Dir, "prop", rel) }
	s.overwrite(in(one, "plugins/installed"), "by the client")
	if got := s.read(s.path("home/.prop/plugins/installed")); got != "by the client" {
		t.Errorf("the user's directory holds %q", got)
	}
	if _, err := os.Stat(in(one, "models.json")); err == nil {
		t.Error("C210: a cache that nobody wrote is there")
	}
	s.overwrite(in(one, "models.json"), "models")
	if got := s.read(in(two, "models.json")); got != "models" {
		t.Errorf("C210: the other session sees %q", got)
	}
	s.overwrite(in(one, "config.toml"), "model = \"of the session\"\n")
	if got := s.read(s.path("home/.prop/config.toml")); strings.Contains(got, "session") {
		t.Errorf("C212: the user's configuration is %q", got)
	}
	s.write("home/.prop/config.toml", "model = \"other\"\n")
	s.prepare(s.session("one"))
	if _, err := os.Stat(in(one, "models.json")); err == nil {
		t.Error("C221: another configuration has the cache of the one before")
	}
	if got := s.read(in(two, "models.json")); got != "models" {
		t.Errorf("C221: the session of the configuration before sees %q", got)
	}
	s.cleanup(s.session("one"))
	s.cleanup(s.session("two"))
	if got := s.read(s.path("home/.prop/plugins/installed")); got != "by the client" {
		t.Errorf("after clean-up the user's directory holds %q", got)
	}
	if names, _ := filepath.Glob(s.path("home/.prop/*")); len(names) != 7 {
		t.Errorf("C232: the user's home holds %v", names)
	}
}

func TestC144_WhatTheClientPutInThePlaceOfALinkIsKept(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	file, dir := filepath.Join(p.Dir, "prop/models.json"), filepath.Join(p.Dir, "prop/plugins")
	cache, err := os.Readlink(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 2 {
		text := fmt.Sprint("by the client ", n)
		s.renamed(file, text)
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		s.write("state/s/"+nameOf(s, "one")+"/prop/plugins/x", text)
		again := s.prepare(s.session("one"))
		if got := s.read(file + ".displaced"); got != text {
			t.Errorf("the file is %q", got)
		}
		if got := s.read(dir + ".displaced/x"); got != text {
			t.Errorf("the directory holds %q", got)
		}
		said := 0
		for _, d := range again.Diagnostics {
			if d.Code == "displaced" {
				said++
			}
		}
		if said != 2 {
			t.Errorf("diagnostics %v", again.Diagnostics)
		}
	}
	for link, want := range map[string]string{file: cache, dir: s.path("home/.prop/plugins")} {
		if target, err := os.Readlink(link); err != nil || target != want {
			t.Errorf("the link leads to %q, %v, want %q", target, err, want)
		}
	}
	s.cleanup(s.session("one"))
}

func TestSeededFileIsTheClientsOwn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	p := s.prepare(s.session("one"))
	file := filepath.Join(p.Dir, "prop/state.json")
	theirs := "{\n    \"theirs\":   [1,2],\n\"seeded\": true}"
	s.renamed(file, theirs)
	again := s.prepare(s.session("one"))
	if got := s.read(file); got != theirs || again.Generation != p.Generation {
		t.Errorf("generation %d, file %q; want it left alone", again.Generation, got)
	}
	s.renamed(file, `{"theirs": 1, "seeded": false}`)
	s.prepare(s.session("one"))
	if got := s.read(file); !strings.Contains(got, "theirs") || !strings.Contains(strings.ReplaceAll(got, " ", ""), `"seeded":true`) {
		t.Errorf("file is %q", got)
	}
	s.renamed(file, "broken {")
	_, err := s.host.Prepare(t.Context(), s.session("one"))
	if CodeOf(err) != ErrUnparsable {
		t.Errorf("a file that does not parse: %v, want %v", err, ErrUnparsable)
	}
	checkError(t, s, "prepare", err)
	if got := s.read(file); got != "broken {" {
		t.Errorf("file is %q", got)
	}
	s.cleanup(s.session("one"))
}

// A file that was ours for a while does not become the client's by being there: it begins anew.
func TestSeededFileDoesNotBeginAsOneOfOurs(t *testing.T) {
	t.Parallel()
	bound := prop{provider: "prop", extra: func(r preparer.Request, l *preparer.Layout) {
		base := []preparer.Base{preparer.Current(), preparer.FromInput("note"), preparer.Empty()}
		if r.Options.Inherit.None(preparer.Hooks) {
			base = base[2:]
		}
		edit := preparer.Set(preparer.Key("bound"), preparer.Bool(true))
		if len(base) > 1 {
			edit = preparer.Set(preparer.Key("free"), preparer.Bool(true))
		}
		l.Merge(preparer.Session("prop").Join("own.json"), preparer.JSON, base, edit)
	}}
	s := newStage(t, bound)
	s.write("home/.prop/note.txt", `{"user": 1}`)
	free, taken := s.session("one"), s.session("one")
	taken.Inherit.Kinds = map[preparer.Kind]preparer.Choice{preparer.Hooks: {Mode: preparer.None}}
	for step, c := range []struct {
		session Session
		want    string
	}{
		{free, `{"free":true,"user":1}`}, {taken, `{"bound":true}`}, {taken, `{"bound":true}`}, {free, `{"free":true,"user":1}`}, {free, `{"free":true,"user":1}`},
	} {
		p := s.prepare(c.session)
		file := filepath.Join(p.Dir, "prop/own.json")
		if got := strings.Join(strings.Fields(s.read(file)), ""); got != c.want && got != `{"user":1,"free":true}` {
			t.Errorf("step %d: got %s, want %s", step, got, c.want)
		}
	}
	s.cleanup(free)
}
