package shellenv_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
)

func TestScriptTurnsOneEnvironmentIntoTheOther(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell on this machine")
	}
	from := []string{"KEEP=same", "GONE=x", "CHANGED=old", "PATH=/usr/bin:/bin", "EMPTIED=y", "TWICE=1", "TWICE=2"}
	to := []string{
		"KEEP=same", "CHANGED=it's \"quoted\" $HOME `id` \\ *", "PATH=/ours:/usr/bin:/bin", "EMPTIED=",
		"NEW=two\nlines\n", "TWICE=2", "DASH=-n", "EMOJI=🎭", "TILDE=~",
	}
	script, unsayable := shellenv.Script(from, to)
	if len(unsayable) != 0 {
		t.Errorf("unsayable: %q", unsayable)
	}
	if strings.Contains(script, "KEEP") || strings.Contains(script, "TWICE") {
		t.Errorf("says what does not change:\n%s", script)
	}
	cmd := exec.Command(sh, "-c", "eval \"$1\"; exec env -0", "sh", script)
	cmd.Env = from
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for kv := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		// The shell's own.
		if name, _, _ := strings.Cut(kv, "="); !slices.Contains([]string{"PWD", "OLDPWD", "SHLVL", "_"}, name) {
			got = append(got, kv)
		}
	}
	slices.Sort(got)
	slices.Sort(to)
	if diff := cmp.Diff(to, got); diff != "" {
		t.Error(diff)
	}
}

func TestScriptLeavesOutWhatAShellCannotSay(t *testing.T) {
	t.Parallel()
	script, unsayable := shellenv.Script([]string{"A.B=1"}, []string{"9X=1", "OK=1", "BASH_FUNC_f%%=() { :; }"})
	if script != "export OK=1\n" {
		t.Errorf("got %q", script)
	}
	if diff := cmp.Diff([]string{"9X", "A.B", "BASH_FUNC_f%%"}, unsayable); diff != "" {
		t.Error(diff)
	}
}

func TestFunctionKeepsArgumentsApart(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no POSIX shell on this machine")
	}
	dir := t.TempDir()
	script := shellenv.Function("start", dir, "/usr/bin/env", []string{"printf", "[%s]", "it's", ""}, []string{"last one"})
	out, err := exec.Command(sh, "-c", script+`start "a b" '*'`).Output()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(out), "[it's][][a b][*][last one]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
