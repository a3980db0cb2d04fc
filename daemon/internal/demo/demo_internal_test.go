package demo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestStageIsBuiltAndStruck(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s, err := Build(dir)
	if err != nil {
		t.Fatal(err)
	}
	before, err := fingerprint(s.Home, s.State)
	if err != nil || len(before) < len(props) {
		t.Fatalf("%v, %v", before, err)
	}
	// What a client could leave: something in the state directory, and a folder that cannot be written.
	sealed := filepath.Join(s.State, "sealed")
	if err := os.MkdirAll(filepath.Join(sealed, "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(sealed, 0o500); err != nil {
		t.Fatal(err)
	}
	same, err := fingerprint(s.Home, s.State)
	if err != nil || same.digest() != before.digest() || len(before.changes(same)) != 0 {
		t.Errorf("the state directory counts: %v, %v", before.changes(same), err)
	}
	if err := os.WriteFile(filepath.Join(s.Home, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(s.Home, ".profile"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(s.Project, "README.md")); err != nil {
		t.Fatal(err)
	}
	now, err := fingerprint(s.Home, s.State)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{".profile", "new", "project/README.md"}, before.changes(now)); diff != "" {
		t.Error(diff)
	}
	if err := s.Strike(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestPlainProgramReadsWhatIsNamedAndFollowsLinks(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for path, body := range map[string]string{
		"session/RULES.md":      "# One\n\ntext\n# Two\n",
		"bundle/skill/SKILL.md": "---\nname: mine\ndescription: d\n---\n# A skill\n",
		"elsewhere/secret.md":   "# Not named\n",
		"cwd/README.md":         "# The project\n",
	} {
		file := filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"skills": "../bundle", "loop": ".", "later": "nowhere"} {
		if err := os.Symlink(target, filepath.Join(root, "session", link)); err != nil {
			t.Skip(err)
		}
	}
	var b strings.Builder
	cwd := filepath.Join(root, "cwd")
	environ := []string{"A_HOME=" + filepath.Join(root, "session"), "CWD=" + cwd, "PATH=/bin:/usr/bin", "WORD=x"}
	if err := Read(&b, environ, []string{"--rules", filepath.Join(root, "session", "RULES.md"), "-p"}, cwd); err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		"$A_HOME is a directory",
		"  text      RULES.md: # One, # Two",
		"  link      later leads nowhere yet",
		"  skill     skills/skill/SKILL.md: mine, # A skill",
		"--rules is a file",
		"  text      RULES.md: # One, # Two",
		"",
	}, "\n")
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestChecksFindWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := &core.Prepared{Skills: []core.SkillView{{Name: "plug:ours"}}}
	good := performance{said: reply, turn: "# Greenroom session, " + houseRule + ", " + ownSkill + ", plug:ours"}
	if all := checksOfTurn(p, "Greenroom", &good); failed(all) {
		t.Errorf("%+v", all)
	}
	for name, spoil := range map[string]func(*performance){
		"ended badly":       func(q *performance) { q.status = errors.New("x") },
		"no answer":         func(q *performance) { q.said = "" },
		"ours twice":        func(q *performance) { q.turn += "# Greenroom session" },
		"ours missing":      func(q *performance) { q.turn = strings.Replace(q.turn, "# Greenroom", "", 1) },
		"theirs twice":      func(q *performance) { q.turn += houseRule },
		"their skill gone":  func(q *performance) { q.turn = strings.Replace(q.turn, ownSkill, "", 1) },
		"our skill gone":    func(q *performance) { q.turn = strings.Replace(q.turn, "ours", "", 1) },
		"no request at all": func(q *performance) { q.turn = "" },
	} {
		bad := good
		spoil(&bad)
		if !failed(checksOfTurn(p, "Greenroom", &bad)) {
			t.Errorf("%s: nothing failed", name)
		}
	}
	if failed(checksOfReading(p, "Greenroom", "# Greenroom session\nours")) || !failed(checksOfReading(p, "Greenroom", "ours")) {
		t.Error("the reading is judged wrongly")
	}
}

func TestOwnStateIsBelowTheHome(t *testing.T) {
	t.Parallel()
	d := preparer.Descriptor{
		Homes:    []preparer.Home{{ID: "h", Default: ".h"}},
		OwnState: []preparer.Location{preparer.At("h", "logs"), preparer.AtUser(".h.json"), preparer.AtWorkspace("x")},
	}
	got := ownState([]core.AdapterInfo{{Descriptor: &d}, {Error: "broken"}})
	if diff := cmp.Diff([]string{".h/logs", ".h.json"}, got); diff != "" {
		t.Error(diff)
	}
	foreign, theirs := apart([]string{".h/logs/a", ".h/logs/b", ".h/rules", ".h.json"}, got)
	if diff := cmp.Diff([][]string{{".h/rules"}, {".h/logs", ".h.json"}}, [][]string{foreign, theirs}); diff != "" {
		t.Error(diff)
	}
	if !within(".h/logs/a", ".h/logs") || within(".h/logs2", ".h/logs") {
		t.Error("within")
	}
}
