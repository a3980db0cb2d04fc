package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/checkup"
	"github.com/greenroom-agents/greenroom/daemon/internal/roster"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
)

// binDir is a directory of one's own with an adapter in it.
func (w *world) binDir(pin bool) string {
	w.t.Helper()
	dir := filepath.Join(filepath.Dir(w.home), "adapters")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	from := filepath.Join(stage, exeName("greenroom-"+fakeProvider))
	if err := copyFile(from, filepath.Join(dir, filepath.Base(from))); err != nil {
		w.t.Fatal(err)
	}
	if pin {
		if _, err := roster.Pin(dir); err != nil {
			w.t.Fatal(err)
		}
	}
	w.exe = filepath.Join(dir, "greenroom")
	return dir
}

func TestAdaptersSayWhatTheyRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := decode[struct {
		Adapters []core.AdapterInfo
		Unpinned []string
	}](t, w.must("adapters", "--json"))
	if len(l.Adapters) != 1 || l.Adapters[0].Provider != "fake" || len(l.Unpinned) != 0 {
		t.Errorf("%+v", l)
	}
	pins, err := roster.ReadPins(stage)
	if err != nil {
		t.Fatal(err)
	}
	out := w.must("adapters")
	for _, want := range []string{"fake", "1.0.0", pins["greenroom-fake"], "protocol", "fake:RULES.md", "whether it exists"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	out = w.must("adapters", "show", "fake")
	for _, want := range []string{"FAKE_*", "--rules", "$FAKE_HOME, else ~/.fake", "one by one", "fakeclient"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in:\n%s", want, out)
		}
	}
	if got := decode[core.AdapterInfo](t, w.must("adapters", "show", "fake", "--json")); got.Descriptor.Client.Override != "FAKE_EXECUTABLE" {
		t.Errorf("%+v", got)
	}
}

func TestAnAdapterThatIsPinnedToNothingIsNotStarted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.binDir(false)
	if got := w.run("prepare", "fake"); got.status != 3 || !strings.Contains(got.errors, "[adapter_unpinned]") ||
		!strings.Contains(got.errors, "`greenroom adapters pin "+shellenv.Quote(dir)+"`") {
		t.Errorf("%+v", got)
	}
	if out := w.must("adapters"); !strings.Contains(out, "pinned to no digest") {
		t.Error(out)
	}
	w.must("prepare", "fake", "--unsafe-any-digest")
	if out := w.must("adapters", "pin", dir); !strings.Contains(out, "greenroom-fake") {
		t.Error(out)
	}
	w.must("prepare", "fake")
}

func TestADirectoryWithoutAdaptersIsNotPinned(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for dir, code := range map[string]string{w.project: "[adapter_not_found]", filepath.Join(w.project, "none"): "[adapter_unreadable]"} {
		if got := w.run("adapters", "pin", dir); got.status != 3 || !strings.Contains(got.errors, code) ||
			!strings.Contains(got.errors, dir) || !strings.Contains(got.errors, "hint:") {
			t.Errorf("%+v", got)
		}
	}
	if _, err := os.Lstat(filepath.Join(w.project, roster.PinFile)); !os.IsNotExist(err) {
		t.Errorf("there is a pin file: %v", err)
	}
}

func TestAnAdapterThatWasExchangedIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.binDir(true)
	file := filepath.Join(dir, "greenroom-fake")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	w.write(file, "#!/bin/sh\necho never > "+filepath.Join(w.home, "ran")+"\n", 0o755)
	if got := w.run("prepare", "fake"); got.status != 3 || !strings.Contains(got.errors, "[adapter_digest_mismatch]") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(filepath.Join(w.home, "ran")); !os.IsNotExist(err) {
		t.Error("it ran")
	}
	if got := w.run("doctor"); got.status != 1 || !strings.Contains(got.out, "✗") {
		t.Errorf("%+v", got)
	}
}

func TestAPinFileThatIsNotUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.binDir(false)
	w.write(filepath.Join(dir, roster.PinFile), "{", 0o644)
	if got := w.run("prepare", "fake"); got.status != 3 || !strings.Contains(got.errors, "[pin_file_invalid]") {
		t.Errorf("%+v", got)
	}
}

func TestAdaptersAreFoundByFlagAndByVariable(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := w.binDir(true)
	w.exe = filepath.Join(w.home, "elsewhere", "greenroom")
	if got := w.run("prepare", "fake"); got.status != 3 || !strings.Contains(got.errors, "[adapter_not_found]") {
		t.Errorf("%+v", got)
	}
	w.must("prepare", "fake", "--adapter", filepath.Join(dir, "greenroom-fake"))
	w.environ = append(w.environ, "GREENROOM_ADAPTERS="+dir)
	w.must("prepare", "fake")
}

func TestDoctorSaysWhatIsWrongAndHowToMendIt(t *testing.T) {
	t.Parallel()
	find := func(w *world, status int) map[string]checkup.Finding {
		got := w.run("doctor", "--json")
		if got.status != status {
			t.Errorf("status %d, want %d: %s", got.status, status, got.out)
		}
		all := map[string]checkup.Finding{}
		for _, f := range decode[[]checkup.Finding](t, got.out) {
			if f.Level == checkup.Wrong && f.Hint == "" {
				t.Errorf("no hint: %+v", f)
			}
			all[f.Subject] = f
		}
		return all
	}
	w := newWorld(t)
	w.client("")
	if all := find(w, 0); all["client fake"].Level != checkup.Fine || all["adapter fake"].Level != checkup.Fine || all["state directory"].Level != checkup.Fine {
		t.Errorf("%+v", all)
	}
	// A gate of the start is named before anybody waits at it.
	if out := w.must("doctor"); !strings.Contains(out, "All is well.") || !strings.Contains(out, "may wait at: folder-trust") {
		t.Error(out)
	}
	if _, err := os.Lstat(w.state); !os.IsNotExist(err) {
		t.Errorf("doctor made a state directory: %v", err)
	}

	w = newWorld(t)
	if all := find(w, 0); all["client fake"].Level != checkup.Notice {
		t.Errorf("%+v", all)
	}
	if out := w.must("doctor"); strings.Contains(out, "All is well.") || !strings.Contains(out, "Nothing is wrong.") {
		t.Error(out)
	}
	w.environ = append(w.environ, "FAKE_EXECUTABLE="+filepath.Join(w.home, "none"))
	if all := find(w, 1); all["session of fake"].Level != checkup.Wrong {
		t.Errorf("%+v", all)
	}

	w = newWorld(t)
	w.write(w.state, "a file", 0o600)
	if all := find(w, 1); all["state directory"].Level != checkup.Wrong {
		t.Errorf("%+v", all)
	}

	w = newWorld(t)
	w.exe = filepath.Join(w.home, "elsewhere", "greenroom")
	if all := find(w, 1); all["adapters"].Level != checkup.Wrong {
		t.Errorf("%+v", all)
	}
	if runtime.GOOS == "windows" {
		return
	}
	w = newWorld(t)
	w.must("prepare", "fake")
	if err := os.Chmod(w.state, 0o755); err != nil {
		t.Fatal(err)
	}
	if all := find(w, 1); !strings.Contains(all["state directory"].Text, "open to others") {
		t.Errorf("%+v", all)
	}
}

func TestCompletionScriptsAreValid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script := w.must("completion", shell)
		if !strings.Contains(script, "greenroom") {
			t.Errorf("%s: %q", shell, script)
		}
		if path, err := exec.LookPath(shell); err == nil && shell == "bash" {
			cmd := exec.Command(path, "-n")
			cmd.Stdin = strings.NewReader(script)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
	}
	if out := w.must("__complete", "prepare", ""); !strings.Contains(out, "fake\n") {
		t.Errorf("%q", out)
	}
}

func TestVersionIsSaid(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if v := decode[map[string]string](t, w.must("version", "--json")); v["version"] == "" || v["go"] != runtime.Version() {
		t.Errorf("%v", v)
	}
	if out := w.must("version"); !strings.HasPrefix(out, "greenroom ") || strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
}
