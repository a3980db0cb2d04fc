package core

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// userFile is one of the configuration files that people really have.
func userFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("merge", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestC326_C338_ConfigurationsOfUsers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dirs   []any // of the user, as they are in the session; HOME stands for their home of the agent
		keeps  []string
		record string // what the record says was made absolute
	}{
		"hermes-typical.yaml": {[]any{"~/notes/skills", "/srv/team skills/main", "${SHARED_SKILLS}/common", "HOME/../relative-to-home", "/srv/技能"},
			[]string{"# Home lab profile - edited by hand, keep my notes please\n", "# (second header line)\n", "# switched in spring\n", "# order matters: mine first\n",
				"# tilde\n", "# has a space\n", "# trailing remark inside the list\n", "# end of file remark\n", "mode: 0644", "<<: *defaults\n", "big: 12345678901234567890\n"},
			"made absolute: skills/external_dirs/3"},
		"hermes-null-dirs.yaml": {nil, []string{"# cleared by a setup tool\n"}, ""},
		"hermes-bom-crlf.yaml":  {[]any{`C:\Users\A B\skills`, `C:\Team\skills`}, []string{"# bare backslashes\n", "# saved by a Windows editor\n"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := envoyStage(t)
			s.write("home/.envoy/config.yaml", userFile(t, name))
			ses := s.extended("one", envoy())
			p := s.prepare(ses)
			var want []any
			for _, d := range c.dirs {
				want = append(want, strings.Replace(d.(string), "HOME", s.path("home/.envoy"), 1))
			}
			want = append(want, filepath.Join(p.Dir, "extension-skills/.agents/skills"), s.path("home/.envoy/skills"))
			if diff := cmp.Diff(want, s.dirs(p)); diff != "" {
				t.Errorf("directories (-want +got):\n%s", diff)
			}
			text := s.read(filepath.Join(p.Dir, "envoy/config.yaml"))
			for _, part := range c.keeps {
				if strings.Count(text, part) != 1 {
					t.Errorf("%q stands %d times:\n%s", part, strings.Count(text, part), text)
				}
			}
			before, after := s.parsed(userFile(t, name)), s.parsed(text)
			for _, m := range []map[string]any{before, after} {
				delete(m["skills"].(map[string]any), "external_dirs")
			}
			if diff := cmp.Diff(before, after); diff != "" {
				t.Errorf("what is outside of the list:\n%s", diff)
			}
			in, err := s.host.Session(t.Context(), ses.Ref())
			if err != nil {
				t.Fatal(err)
			}
			for _, n := range in.Tree {
				if n.Place == "session:envoy/config.yaml" && !strings.Contains(n.Why, c.record) {
					t.Errorf("H12: the record says %q, want %q", n.Why, c.record)
				}
			}
			if again := s.prepare(ses); again.Generation != p.Generation {
				t.Error("a second preparation changed something")
			}
		})
	}
}

func (s *stage) parsed(text string) map[string]any {
	s.t.Helper()
	m, err := merge.Parse(preparer.YAML, []byte(text), "config")
	if err != nil {
		s.t.Fatal(err)
	}
	return m
}

func TestC327_ConfigurationsThatStopAPreparation(t *testing.T) {
	t.Parallel()
	files := map[string][]string{
		userFile(t, "hermes-scalar-dirs.yaml"):            {"skills/external_dirs", "a string", "line 3", "a list"},
		userFile(t, "hermes-duplicate-keys.yaml"):         {"skills", "lines 1 and 6"},
		userFile(t, "hermes-alias-bomb.yaml"):             {"excessive aliasing"},
		"a: 1\n---\nb: 2\n":                               {"more than one document", "line 2"},
		"- a\n":                                           {"a list"},
		"skills: [a]\n":                                   {"skills", "a list", "line 1"},
		"skills:\n  external_dirs:\n    - {a: b}\n":       {"skills/external_dirs/0", "a table", "line 3"},
		"skills:\n  external_dirs:\n    - sk-canary: [\n": {"line"},
	}
	for text, parts := range files {
		s := envoyStage(t)
		s.write("home/.envoy/config.yaml", text)
		// Whether or not there is something to add: what the agent would read otherwise is refused.
		for id, inherit := range map[string]Inherit{"desktop": {}, "automation": {Preset: Automation}} {
			ses := s.extended(id, envoy())
			ses.Inherit, ses.SkipSkills = inherit, id == "automation"
			if id == "automation" && (strings.Contains(text, "external_dirs: '") || strings.Contains(text, "{a: b}")) {
				continue // the list is left out, of whatever shape it is
			}
			_, err := s.host.Prepare(t.Context(), ses)
			if !errors.Is(err, ErrUnparsable) {
				t.Errorf("%q: %v", text, err)
				continue
			}
			for _, part := range append(parts, "home:envoy/config.yaml") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
			if strings.Contains(err.Error(), "canary") {
				t.Errorf("the message holds a part of the file: %v", err)
			}
		}
		if left := s.left(); len(left) > 0 {
			t.Errorf("%q: left %v", text, left)
		}
		if _, err := os.Lstat(filepath.Join(s.cwd, "AGENTS.md")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%q: AGENTS.md is there", text)
		}
	}
}

func TestHermesDotenvIsAnOpaqueCopy(t *testing.T) {
	t.Parallel()
	const text = "# provider login, opaque to us\r\nexport SHELF_KEY=\"sk-test-env\"\r\nSHELF_URL=http://127.0.0.1:9/v1\r\nEMPTY=\r\nWITH_HASH=\"a#b\"\r\nMULTI=\"line1\\nline2\"\r\n"
	s := envoyStage(t)
	s.write("home/.envoy/.env", text)
	p := s.prepare(s.extended("one", envoy()))
	at := filepath.Join(p.Dir, "envoy/.env")
	if fi, err := os.Lstat(at); err != nil || fi.Mode() != 0o600 || s.read(at) != text {
		t.Errorf("%v, %v: %q", fi.Mode(), err, s.read(at))
	}
}

// Nothing of the user's own skills comes along where they are to stay out; ours do.
func TestAutomationLeavesSkillDirectoriesOut(t *testing.T) {
	t.Parallel()
	s := envoyStage(t)
	ses := s.extended("one", envoy())
	ses.Inherit = Inherit{Preset: Automation}
	p := s.prepare(ses)
	if diff := cmp.Diff([]any{filepath.Join(p.Dir, "extension-skills/.agents/skills")}, s.dirs(p)); diff != "" {
		t.Error(diff)
	}
	states := map[string]InheritState{}
	for _, i := range p.Inherited {
		states[string(i.Kind)+" "+i.Name] = i.State
	}
	want := map[string]InheritState{"skills external_dirs": LeftOut, "skills mine": LeftOut, "model_settings config.yaml": NotExcluded}
	if diff := cmp.Diff(want, states); diff != "" {
		t.Error(diff)
	}
}
