package roster_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/daemon/internal/roster"
)

func exe(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}

func write(t *testing.T, dir, name, body string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(body), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFindTakesTheFirstOfAProvider(t *testing.T) {
	t.Parallel()
	named, beside := t.TempDir(), t.TempDir()
	theirs := write(t, named, exe("greenroom-codex"), "a", 0o755)
	odd := write(t, named, exe("my-adapter"), "b", 0o755)
	write(t, beside, exe("greenroom-codex"), "c", 0o755)
	claude := write(t, beside, exe("greenroom-claude"), "d", 0o755)
	write(t, beside, "greenroom-notes.txt", "no adapter", 0o755)
	if runtime.GOOS != "windows" {
		write(t, beside, "greenroom-plain", "not executable", 0o644)
	}
	if err := os.Mkdir(filepath.Join(beside, "greenroom-dir"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := roster.Pin(beside); err != nil {
		t.Fatal(err)
	}
	got, err := roster.Find(roster.Places{Files: []string{odd}, Dirs: []string{named}, Beside: beside})
	if err != nil {
		t.Fatal(err)
	}
	want := []roster.Adapter{
		{Path: odd},
		{Provider: "codex", Path: theirs},
		{Provider: "claude", Path: claude, SHA256: "18ac3e7343f016890c510e93f935261169d9e3f565436429830faf0934f4f8e4"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestFindSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := roster.Find(roster.Places{Files: []string{filepath.Join(dir, "none")}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing file gave %v", err)
	}
	if _, err := roster.Find(roster.Places{Files: []string{dir}}); err == nil {
		t.Error("a directory was taken for an adapter")
	}
	if _, err := roster.Find(roster.Places{Dirs: []string{filepath.Join(dir, "none")}}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a missing directory gave %v", err)
	}
	if found, err := roster.Find(roster.Places{Beside: filepath.Join(dir, "none")}); err != nil || found != nil {
		t.Errorf("nothing beside the tool gave %v, %v", found, err)
	}
}

func TestReadPinsRefusesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("ab", 32)
	for name, c := range map[string]struct {
		body string
		ok   bool
	}{
		"good":         {`{"schema":1,"adapters":{"greenroom-x":"` + good + `"}}`, true},
		"empty":        {``, false},
		"no schema":    {`{"adapters":{}}`, false},
		"other schema": {`{"schema":2,"adapters":{}}`, false},
		"other field":  {`{"schema":1,"adapters":{},"also":1}`, false},
		"short digest": {`{"schema":1,"adapters":{"greenroom-x":"abcd"}}`, false},
		"upper case":   {`{"schema":1,"adapters":{"greenroom-x":"` + strings.ToUpper(good) + `"}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			write(t, dir, roster.PinFile, c.body, 0o600)
			_, err := roster.ReadPins(dir)
			if (err == nil) != c.ok {
				t.Errorf("got %v", err)
			}
			var bad *roster.PinError
			if !c.ok && !errors.As(err, &bad) {
				t.Errorf("not a PinError: %v", err)
			}
		})
	}
}
