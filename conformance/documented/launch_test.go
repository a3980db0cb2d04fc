//go:build unix

package documented

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/core/launch/launchtest"
)

func TestMain(m *testing.M) {
	launchtest.Main()
	os.Exit(m.Run())
}

// An agent of the same protocol stands in the client's place, under its name: it is started as the vendor documents, and has
// the catalogue of the skills behind what the person says, with paths that can be read.
func TestH73_CursorIsToldOfItsSkillsBehindTheFirstPrompt(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	started := filepath.Join(bin, "started")
	rig.WriteProgram(t, filepath.Join(bin, "cursor-agent"), "#!/bin/sh\n[ \"$1\" = --version ] || printf '%s\\n' \"$@\" > '"+started+
		"'\nexec '"+filepath.Join(launchtest.Install(t), launchtest.Provider)+"' \"$@\"\n")
	s := newStage(t, bin)
	p := s.prepare(s.session())
	c, err := launch.Open(t.Context(), p, launch.Options{Host: s.host, Environ: s.environ})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := c.NewSession(t.Context()); err != nil {
		t.Fatal(err)
	}
	args, err := os.ReadFile(started)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"--plugin-dir", filepath.Join(p.Dir, "cursor", "plugin"), "acp"}, strings.Fields(string(args))); diff != "" {
		t.Errorf("it is started otherwise (-want +got):\n%s", diff)
	}

	// The agent says what it was sent.
	told := func() (blocks []string) {
		var text strings.Builder
		events := slices.Collect(c.Prompt(t.Context(), launch.Block{Text: "show"}))
		for _, e := range events {
			if e.Kind == launch.Text {
				text.WriteString(e.Text)
			}
		}
		var sent struct{ Prompt []struct{ Text string } }
		if err := json.Unmarshal([]byte(text.String()), &sent); err != nil {
			t.Fatalf("%v: %+v", err, events[len(events)-1])
		}
		for _, b := range sent.Prompt {
			blocks = append(blocks, b.Text)
		}
		return blocks
	}
	first := told()
	if len(first) != 2 || first[0] != "show" || strings.LastIndex(first[1], "\n## ") != strings.Index(first[1], "\n## Where the skills lie") {
		t.Fatalf("the first prompt is %q, want the person's block, and one in which the catalogue comes last", first)
	}
	paths := regexp.MustCompile(regexp.QuoteMeta(filepath.Dir(s.state))+"[^\\s`'\"),]*").FindAllString(first[1], -1)
	for _, path := range paths {
		if fi, err := os.Stat(path); err != nil || fi.IsDir() {
			t.Errorf("%s is told of, and is no file: %v", path, err)
		} else if data, err := os.ReadFile(path); err != nil || len(data) == 0 {
			t.Errorf("%s is told of, and cannot be read: %v", path, err)
		}
	}
	for _, skill := range p.Skills {
		if !slices.Contains(paths, skill.Path) {
			t.Errorf("nothing is said of where %s lies", skill.Name)
		}
	}
	if len(p.Skills) < 5 {
		t.Errorf("the session has %d skills", len(p.Skills))
	}
	if again := told(); len(again) != 1 {
		t.Errorf("the second prompt has %q", again)
	}
}
