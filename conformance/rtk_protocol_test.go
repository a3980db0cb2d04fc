package conformance_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/conformance/rig"
)

// program is the rtk that is held to its protocols: the one that GREENROOM_RTK names, or else the double. The log of the test
// says which.
func program(t *testing.T) string {
	t.Helper()
	if real := os.Getenv("GREENROOM_RTK"); real != "" {
		t.Logf("held to what is recorded: %s, of GREENROOM_RTK", real)
		return real
	}
	a, err := buildDouble()
	if err != nil {
		t.Fatal(err)
	}
	t.Log("held to what is recorded: the double, since GREENROOM_RTK names no program")
	return a.Path
}

// call runs a program in an empty home, and gives what it printed and its exit code.
func call(t *testing.T, program, home string, stdin []byte, args ...string) (string, int) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Stdin = home, bytes.NewReader(stdin)
	cmd.Env = []string{"HOME=" + home, "PATH=/usr/bin:/bin", "RTK_DB_PATH=" + filepath.Join(home, "db"), "RTK_TEE_DIR=" + home, "RTK_TELEMETRY_DISABLED=1"}
	out, err := cmd.Output()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// What a hook of a client is asked and answers is as recorded, whichever program it is; a byte order mark does not confuse it.
func TestH64_HooksOfRTKAnswerAsRecorded(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/rtk/c*.json")
	if err != nil || len(files) < 5 {
		t.Fatalf("%d recordings, %v", len(files), err)
	}
	program := program(t)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var rec struct {
			Argv     []string
			Prefix   string `json:"stdin_prefix_bytes_hex"`
			Stdin    json.RawMessage
			Stdout   json.RawMessage
			AnyOf    []string `json:"stdout_any_of"`
			Settings json.RawMessage
			Exit     int
		}
		if err := json.Unmarshal(data, &rec); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		home := t.TempDir()
		if rec.Settings != nil {
			err := errors.Join(os.Mkdir(filepath.Join(home, ".claude"), 0o755), os.WriteFile(filepath.Join(home, ".claude/settings.json"), rec.Settings, 0o600))
			if err != nil {
				t.Fatal(err)
			}
		}
		mark, err := hex.DecodeString(rec.Prefix)
		if err != nil {
			t.Fatal(err)
		}
		out, code := call(t, program, home, append(mark, rec.Stdin...), rec.Argv[1:]...)
		if code != rec.Exit {
			t.Errorf("%s: exit code %d", file, code)
		}
		want := rec.Stdout
		if want == nil {
			want = []byte("{}")
		}
		if out = string(bytes.TrimSpace([]byte(out))); out == "" {
			out = "{}"
		}
		if diff := cmp.Diff(plain(t, want), plain(t, []byte(out))); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
}

// plain is a document, without the words of a reason.
func plain(t *testing.T, data []byte) any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatalf("%s: %v", data, err)
	}
	if inner, ok := v["hookSpecificOutput"].(map[string]any); ok {
		delete(inner, "permissionDecisionReason")
	}
	return v
}

// A rewrite comes with exit code 3, or 0 where a rule of the user's allows the command, and none with 2 where one denies it and
// with 1 where there is no equivalent, as recorded.
func TestH66_RewritesOfRTKComeWithTheirExitCodes(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/rtk/rewrite_exit_codes.json")
	var rec struct {
		Rows []struct {
			Exit   int
			Stdout string
		}
	}
	if err = errors.Join(err, json.Unmarshal(data, &rec)); err != nil || len(rec.Rows) != 4 {
		t.Fatalf("%d rows, %v", len(rec.Rows), err)
	}
	speaks := map[int]bool{}
	for _, row := range rec.Rows {
		speaks[row.Exit] = row.Stdout != ""
	}
	home := t.TempDir()
	rig.Write(t, filepath.Join(home, ".claude/settings.json"), `{"permissions": {"allow": ["Bash(git log)"], "deny": ["Bash(git push --force)"]}}`)
	program, seen := program(t), map[int]bool{}
	for command, want := range map[string]struct {
		out  string
		code int
	}{
		"git status": {"rtk git status", 3}, "git log": {"rtk git log", 0}, "git push --force": {"", 2},
		"rtk git status": {"", 1}, "cat <<EOF\nx\nEOF": {"", 1}, "git log $(id)": {"", 1}, "git log `id`": {"", 1},
	} {
		out, code := call(t, program, home, nil, "rewrite", command)
		if out = string(bytes.TrimSpace([]byte(out))); out != want.out || code != want.code || speaks[code] != (out != "") {
			t.Errorf("%q: %q and %d, want %q and %d", command, out, code, want.out, want.code)
		}
		seen[code] = true
	}
	if len(seen) != len(rec.Rows) {
		t.Errorf("of the codes recorded only %v came", seen)
	}
}
