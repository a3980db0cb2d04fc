package runtimeprep_test

import (
	"encoding/json"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
)

// FuzzDecode: what is taken keeps the rules when it is looked at by other means, and comes back as it is when it is written
// and read again.
func FuzzDecode(f *testing.F) {
	if data, err := os.ReadFile("testdata/hermes.json"); err == nil {
		f.Add(data)
	}
	f.Add([]byte(home(f, nil)))
	for _, trap := range traps {
		f.Add([]byte(home(f, map[string]any{"copyFiles": []string{trap}, "dirName": trap})))
	}
	f.Add([]byte(`{"home":{"envVar":"A","envVar":"B"}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := runtimeprep.Decode(data)
		if err != nil {
			if d != nil || len(err.Error()) > 2000 || strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%v, %q", d, err)
			}
			return
		}
		safe := func(p string) {
			if p == "" || path.IsAbs(p) || path.Clean(p) != p || strings.HasPrefix(p, "..") || strings.ContainsAny(p, "\\:\x00~$ \n") {
				t.Errorf("path %q was taken", p)
			}
		}
		safe(d.Instructions())
		if h := d.Home; h != nil {
			for _, p := range append(append([]string{h.DirName}, h.CopyFiles...), h.SharedDirs...) {
				safe(p)
			}
			for _, v := range []string{"PATH", "HOME"} {
				if h.EnvVar == v || h.EnvVar == "" {
					t.Errorf("variable %q was taken", h.EnvVar)
				}
			}
		}
		again, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		back, err := runtimeprep.Decode(again)
		if err != nil {
			t.Fatalf("%s: %v", again, err)
		}
		once, _ := json.Marshal(back)
		if diff := cmp.Diff(string(again), string(once)); diff != "" {
			t.Error(diff)
		}
	})
}
