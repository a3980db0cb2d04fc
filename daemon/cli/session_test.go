package cli_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
)

func decode[T any](t *testing.T, text string) T {
	t.Helper()
	var v T
	d := json.NewDecoder(strings.NewReader(text))
	if err := d.Decode(&v); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if d.More() {
		t.Errorf("more than one answer in %s", text)
	}
	return v
}

func TestPrepareListShowCleanUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := decode[core.Prepared](t, w.must("prepare", "fake", "--session", "one", "--json"))
	if p.Ref.ID != "one" || !strings.HasPrefix(p.Ref.Workspace, "project-") || p.Provider != "fake" || p.Cwd != w.project || p.Generation != 1 {
		t.Errorf("%+v", p)
	}
	rules, err := os.ReadFile(filepath.Join(p.Dir, "fake", "RULES.md"))
	if err != nil || !bytes.Contains(rules, []byte("Be brief.")) || !bytes.Contains(rules, []byte("# Greenroom session")) {
		t.Errorf("%s, %v", rules, err)
	}
	again := decode[core.Prepared](t, w.must("prepare", "fake", "--session", "one", "--json"))
	if diff := cmp.Diff(p, again, cmp.AllowUnexported(core.Prepared{})); diff != "" {
		t.Error("prepared again:", diff)
	}
	human := w.must("prepare", "fake", "--session", "one")
	for _, want := range []string{"session is ready", "one", "~/project", "FAKE_HOME", "--rules", "comes along", "home:fake/RULES.md", "greenroom cleanup one"} {
		if !strings.Contains(human, want) {
			t.Errorf("no %q in:\n%s", want, human)
		}
	}
	w.must("prepare", "fake", "--session", "two", "--inherit", "automation")

	all := decode[[]core.Info](t, w.must("sessions", "--json"))
	if len(all) != 2 || all[0].Ref.ID != "one" || all[1].Ref.ID != "two" {
		t.Errorf("%+v", all)
	}
	list := w.must("sessions")
	if !strings.Contains(list, "SESSION") || strings.Count(list, "ready") != 2 {
		t.Error(list)
	}
	info := decode[core.Info](t, w.must("sessions", "show", "tw", "--json"))
	if info.Ref.ID != "two" || len(info.Tree) == 0 {
		t.Errorf("%+v", info)
	}
	tree := w.must("sessions", "show", "two")
	for _, want := range []string{"├─ ", "└─ ", "RULES.md"} {
		if !strings.Contains(tree, want) {
			t.Errorf("no %q in:\n%s", want, tree)
		}
	}
	w.must("sessions", "recover")
	if out := w.must("cleanup", "one"); !strings.Contains(out, "one is gone") {
		t.Error(out)
	}
	w.must("cleanup", "--all", "--json")
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
	if out := w.must("sessions"); !strings.Contains(out, "No sessions.") {
		t.Error(out)
	}
	if out := w.must("cleanup", "--all"); !strings.Contains(out, "nothing to clean up") {
		t.Error(out)
	}
}

func TestTwoSessionsOfOneNameHaveToBeToldApart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must("prepare", "fake", "--session", "same", "--workspace", "a")
	w.must("prepare", "fake", "--session", "same", "--workspace", "b")
	if got := w.run("cleanup", "same"); got.status != 3 || !strings.Contains(got.errors, "[session_ambiguous]") {
		t.Errorf("%+v", got)
	}
	w.must("cleanup", "same", "--workspace", "a")
	if all := decode[[]core.Info](t, w.must("sessions", "--json")); len(all) != 1 || all[0].Ref.Workspace != "b" {
		t.Errorf("%+v", all)
	}
}

func TestADamagedSessionIsSaidAndCanBeTakenAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must("prepare", "fake", "--session", "one")
	w.must("prepare", "fake", "--session", "two")
	records, err := filepath.Glob(filepath.Join(w.state, "m", "one-*.json"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	if err := os.WriteFile(records[0], []byte("{}\n0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := w.run("sessions")
	if got.status != 0 || !strings.Contains(got.out, "two") || !strings.Contains(got.errors, "one-") || !strings.Contains(got.errors, "hint: ") {
		t.Errorf("%+v", got)
	}
	if got := w.run("prepare", "fake", "--session", "one"); got.status != 3 || !strings.Contains(got.errors, "[corrupt_manifest]") {
		t.Errorf("%+v", got)
	}
	w.must("cleanup", "two")
	if got := w.run("sessions"); strings.Contains(got.out, "No sessions") {
		t.Errorf("%+v", got)
	}
	w.must("cleanup", "one")
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

func TestC133_CleanUpAllTakesDamagedSessionsToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must("prepare", "fake", "--session", "one")
	w.must("prepare", "fake", "--session", "two")
	records, err := filepath.Glob(filepath.Join(w.state, "m", "one-*.json"))
	if err != nil || len(records) != 1 {
		t.Fatal(records, err)
	}
	// A record of a name that the tool does not make is nothing to take away, and hides nothing.
	foreign := filepath.Join(w.state, "m", "notes.json")
	for _, path := range []string{records[0], foreign} {
		if err := os.WriteFile(path, []byte("torn"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.run("cleanup", "--all", "--workspace", "another"); got.status != 3 || len(w.sessionDirs()) != 5 {
		t.Errorf("%+v, left %q", got, w.sessionDirs())
	}
	got := w.run("cleanup", "--all")
	if name := strings.TrimSuffix(filepath.Base(records[0]), ".json"); got.status != 3 || !strings.Contains(got.out, name) || !strings.Contains(got.out, "two") {
		t.Errorf("%+v", got)
	}
	if left := w.sessionDirs(); !slices.Equal(left, []string{"m/notes.json"}) {
		t.Errorf("left: %q, want what is not ours", left)
	}
	if err := os.Remove(foreign); err != nil {
		t.Fatal(err)
	}
	w.must("cleanup", "--all")
}

func TestSessionIDsCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const id = "a\x1b[2Jb\nexport STOLEN=1\n"
	for _, out := range []string{
		w.must("prepare", "fake", "--session", id), w.must("sessions"), w.must("sessions", "show", id),
	} {
		if strings.Contains(out, "\x1b") {
			t.Errorf("%q", out)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	script := w.must("prepare", "fake", "--session", id, "--shell")
	out, err := exec.Command("/bin/sh", "-c", `eval "$1"; echo "${STOLEN-safe}"`, "sh", script).Output()
	if err != nil || string(out) != "safe\n" {
		t.Errorf("%q, %v after\n%s", out, err, script)
	}
}

// What is shown as the next step works as it stands, one line after the other.
func TestNextStepsFollowEachOther(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.client("exit 0")
	out := w.must("prepare", "fake", "--session", "mine", "--state", w.state)
	_, next, ok := strings.Cut(out, "Next\n")
	if !ok {
		t.Fatal(out)
	}
	steps := strings.Split(strings.TrimSpace(next), "\n")
	if len(steps) != 2 {
		t.Errorf("%q", steps)
	}
	w.environ = slices.DeleteFunc(w.environ, func(kv string) bool { return strings.HasPrefix(kv, "GREENROOM_STATE=") })
	for _, step := range steps {
		w.must(strings.Fields(step)[1:]...)
	}
	if left := w.sessionDirs(); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

// A script gets no function where there is no client, and a person the reason.
func TestShellSaysThatThereIsNoClient(t *testing.T) {
	t.Parallel()
	got := newWorld(t).run("prepare", "fake", "--shell")
	if got.status != 0 || strings.Contains(got.out, "greenroom_client") || !strings.Contains(got.errors, "no client was found") {
		t.Errorf("%+v", got)
	}
}

func TestDefaultSessionsAreNew(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := decode[core.Prepared](t, w.must("prepare", "fake", "--json"))
	b := decode[core.Prepared](t, w.must("prepare", "fake", "--json"))
	if a.Ref.ID == b.Ref.ID || len(a.Ref.ID) != 10 || a.Ref.Workspace != b.Ref.Workspace {
		t.Errorf("%+v, %+v", a.Ref, b.Ref)
	}
}

func TestExplainWritesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := decode[core.Explanation](t, w.must("explain", "fake", "--json", "--inherit", "instructions=none"))
	if len(e.Tree) == 0 || e.Prepared == nil || e.Prepared.Provider != "fake" {
		t.Errorf("%+v", e)
	}
	human := w.must("explain", "fake")
	for _, want := range []string{"Nothing is written", "RULES.md", "FAKE_HOME", "rules"} {
		if !strings.Contains(human, want) {
			t.Errorf("no %q in:\n%s", want, human)
		}
	}
	if _, err := os.Lstat(w.state); !os.IsNotExist(err) {
		t.Errorf("there is a state directory: %v", err)
	}
}

func TestInheritReachesTheSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(filepath.Join(w.home, ".fake", "skills", "mine", "SKILL.md"), "---\nname: mine\ndescription: x\n---\n", 0o600)
	w.write(filepath.Join(w.home, ".fake", "skills", "other", "SKILL.md"), "---\nname: other\ndescription: x\n---\n", 0o600)
	states := func(args ...string) map[string]core.InheritState {
		p := decode[core.Prepared](t, w.must(append([]string{"prepare", "fake", "--json"}, args...)...))
		all := map[string]core.InheritState{}
		for _, i := range p.Inherited {
			all[string(i.Kind)+" "+i.Name] = i.State
		}
		return all
	}
	want := map[string]core.InheritState{
		"instructions RULES.md": core.CameAlong, "skills mine": core.LeftOut, "skills other": core.CameAlong,
	}
	if diff := cmp.Diff(want, states("--inherit", "automation", "--inherit", "instructions=all", "--inherit", "skills=other")); diff != "" {
		t.Error(diff)
	}
}

func TestShellSetsTheSameEnvironment(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is no POSIX shell")
	}
	w := newWorld(t)
	w.client(`printf '%s|' "$PWD" "$@"`)
	w.environ = append(w.environ, "FAKE_GONE=x", "FAKE_EMPTY=full", "FAKE_LIST=theirs", "FAKE_CHILD_A=1", "USER_OWN=stays")
	script := w.must("prepare", "fake", "--session", "one", "--shell")
	sh := func(tail string) []string {
		cmd := exec.Command("/bin/sh", "-c", "eval \"$1\"; "+tail, "sh", script)
		cmd.Env, cmd.Dir = w.environ, w.home
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	}
	got := slices.DeleteFunc(sh("exec env -0"), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name) // the shell's own
	})
	// What the client is really started with, by a run of the same session.
	w.client("exec env -0")
	want := slices.DeleteFunc(strings.Split(strings.TrimSuffix(w.must("run", "fake", "--session", "one"), "\x00"), "\x00"),
		func(kv string) bool {
			name, _, _ := strings.Cut(kv, "=")
			return slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_", "GREENROOM_RUN"}, name) // the last marks what one run started
		})
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, has := range []string{"FAKE_EMPTY=", "FAKE_LIST=theirs,ours,second", "USER_OWN=stays", "FAKE_ODD=it's \"odd\" $HOME `x`\nsecond line"} {
		if !slices.Contains(got, has) {
			t.Errorf("no %q in %q", has, got)
		}
	}
	for _, kv := range got {
		if strings.HasPrefix(kv, "FAKE_GONE=") || strings.HasPrefix(kv, "FAKE_CHILD_A=") {
			t.Errorf("%q is still there", kv)
		}
	}
	w.client(`printf '%s|' "$PWD" "$@"`)
	w.must("prepare", "fake", "--session", "one")
	called := sh(`greenroom_client "a b" '*'`)[0]
	if !strings.HasPrefix(called, w.project+"|--rules|") || !strings.HasSuffix(called, "|a b|*|") {
		t.Errorf("called with %q", called)
	}
}
