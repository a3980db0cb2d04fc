package cli_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestHelpOfEveryCommand(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"", "prepare", "explain", "run", "prompt", "gateway", "sessions", "sessions show", "sessions attach", "sessions stop", "sessions recover", "cleanup", "demo", "adapters",
		"adapters show", "adapters pin", "adapters sign", "adapters verify", "adapters install", "adapters lock", "adapters remove", "doctor", "version", "completion",
		"plans", "plans add", "plans show", "plans check", "plans edit", "plans copy", "plans references", "plans remove", "plans rotate",
		"agents", "agents add", "agents show", "agents edit", "agents remove", "serve",
		"extension", "extension init", "extension validate", "extension sign", "extension pack", "extension verify", "extension install",
		"extension list", "extension rollback", "extension remove",
		"trust", "trust show", "trust new-key", "trust add-key", "trust revoke", "trust update",
	} {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			got := newWorld(t).must(append(strings.Fields(path), "--help")...)
			if !strings.Contains(got, "\nExample:\n  ") {
				t.Error("there is no example")
			}
			for line := range strings.Lines(got) {
				if len([]rune(line)) > 125 {
					t.Errorf("too long for a terminal: %q", line)
				}
			}
			file := filepath.Join("testdata", "help", strings.ReplaceAll(strings.TrimSpace("greenroom "+path), " ", "-")+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("%s (run with -update if it is meant):\n%s", file, diff)
			}
		})
	}
}

func TestEveryExitStatusIsDocumented(t *testing.T) {
	t.Parallel()
	help := newWorld(t).must("--help")
	for _, line := range []string{"\n  0  ", "\n  1  ", "\n  2  ", "\n  3  ", "128 + N"} {
		if !strings.Contains(help, line) {
			t.Errorf("no %q in the help", line)
		}
	}
}
