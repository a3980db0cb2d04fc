package checkup_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/daemon/internal/checkup"
)

func only(t *testing.T, all []checkup.Finding) checkup.Finding {
	t.Helper()
	if len(all) != 1 {
		t.Fatalf("%+v", all)
	}
	return all[0]
}

func TestStateIsTriedAndLeftAsItWas(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "state")
	if f := only(t, checkup.State(dir)); f.Level != checkup.Fine || !strings.Contains(f.Text, "made when it is needed") {
		t.Errorf("%+v", f)
	}
	if _, err := os.Lstat(filepath.Dir(dir)); !os.IsNotExist(err) {
		t.Errorf("it was made: %v", err)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if f := only(t, checkup.State(dir)); f.Level != checkup.Fine || f.Text != dir {
		t.Errorf("%+v", f)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestStateThatCannotHoldSessions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if f := only(t, checkup.State(dir)); f.Level != checkup.Wrong || f.Hint == "" {
			t.Errorf("%s: %+v", dir, f)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	open := t.TempDir()
	if err := os.Chmod(open, 0o755); err != nil {
		t.Fatal(err)
	}
	if f := only(t, checkup.State(open)); f.Level != checkup.Wrong || !strings.Contains(f.Text, "0755") {
		t.Errorf("%+v", f)
	}
}
