package overlay_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/greenroom-agents/greenroom/core/extension/overlay"
	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	"github.com/greenroom-agents/greenroom/core/internal/client"
)

// H11: the user's own home of an agent, from what its package declares to a directory of each system.
func TestH11_SourceHomesOfEverySystem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	user, local, named := filepath.Join(dir, "user"), filepath.Join(dir, "local"), filepath.Join(dir, "named")
	literal, native := filepath.Join(user, ".envoy", "agent"), filepath.Join(local, "envoy", "agent")
	for _, d := range []string{native, filepath.Join(local, ".envoy", "agent"), filepath.Join(dir, "dotted", ".envoy", "agent")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	const source, root = "ENVOY_SOURCE", "LOCALAPPDATA"
	both := runtimeprep.Home{EnvVar: "ENVOY_HOME", DirName: "envoy", SourceEnvVar: source, SourceDefaultRel: ".envoy/agent"}
	byDefault := both
	byDefault.SourceEnvVar = ""
	for name, c := range map[string]struct {
		home runtimeprep.Home
		env  map[string]string
		want map[string]string // by system
	}{
		"nothing is set": {both, nil, map[string]string{"windows": literal, "linux": literal, "darwin": literal}},
		"native cache root": {both, map[string]string{root: local},
			map[string]string{"windows": native, "linux": literal, "darwin": literal}},
		"native, without a variable of its own": {byDefault, map[string]string{root: local, source: named},
			map[string]string{"windows": native, "linux": literal, "darwin": literal}},
		"not there without the dot": {both, map[string]string{root: filepath.Join(dir, "dotted")},
			map[string]string{"windows": literal, "linux": literal, "darwin": literal}},
		"blank root":     {both, map[string]string{root: " "}, map[string]string{"windows": literal, "linux": literal, "darwin": literal}},
		"variable first": {both, map[string]string{root: local, source: named}, map[string]string{"windows": named, "linux": named, "darwin": named}},
		"blank variable": {both, map[string]string{root: local, source: " \t"},
			map[string]string{"windows": native, "linux": literal, "darwin": literal}},
		"variable of the session": {both, map[string]string{root: local, "ENVOY_HOME": named},
			map[string]string{"windows": native, "linux": literal, "darwin": literal}},
	} {
		o, err := overlay.New(overlay.Agent{Key: "envoy", Version: "1.0.0", Digest: "d1", Executables: []string{"envoy"}, Prep: &runtimeprep.Declaration{Home: &c.home}})
		if err != nil {
			t.Fatal(err)
		}
		homes := o.Describe().Homes
		if len(homes) != 1 {
			t.Fatalf("%s: homes %+v", name, homes)
		}
		for system, want := range c.want {
			t.Run(name+" on "+system, func(t *testing.T) {
				t.Parallel()
				got, err := client.FindHome(homes[0], client.Place{
					OS: system, User: user, Cwd: dir, Ours: func(string) bool { return false },
					Env: func(name string) (string, bool) { v, ok := c.env[name]; return v, ok },
				})
				if err != nil || got.Path != want {
					t.Errorf("found %q, %v; want %q", got.Path, err, want)
				}
			})
		}
	}
}
