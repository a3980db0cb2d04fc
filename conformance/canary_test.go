package conformance_test

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
)

// onlyInTheEnvironment demands that the key of the endpoint stands in the variable that the descriptor names, and in no
// file of the state, the home and the project, in no log, argument or answer, and in no other form.
func (g *greenroom) onlyInTheEnvironment(p *core.Prepared) {
	g.Helper()
	forms := []string{
		planKey, base64.StdEncoding.EncodeToString([]byte(planKey)), base64.RawURLEncoding.EncodeToString([]byte(planKey)),
		hex.EncodeToString([]byte(planKey)), url.QueryEscape("Bearer " + planKey),
	}
	holds := func(text string) bool {
		return slices.ContainsFunc(forms, func(form string) bool { return strings.Contains(text, form) })
	}
	model := g.client.descriptor().Model
	var names []string
	for _, kv := range p.Environ(nil) {
		if name, value, _ := strings.Cut(kv, "="); holds(value) {
			names = append(names, name)
		}
	}
	if len(names) != 1 || names[0] != model.KeyVar && names[0] != model.APIKeyVar {
		g.Errorf("the key is in %q, the descriptor says %q or %q", names, model.KeyVar, model.APIKeyVar)
	}
	shown, err := json.Marshal(p)
	if err != nil {
		g.Fatal(err)
	}
	for what, text := range map[string]string{
		"the answer": string(shown), "the log": g.log.String(), "the arguments": strings.Join(append(p.Args, p.ArgsAfter...), " "),
	} {
		if holds(text) {
			g.Errorf("the key is in %s", what)
		}
	}
	files := 0
	for _, dir := range []string{g.state, g.home, g.cwd} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			files++
			data, err := os.ReadFile(path)
			if err == nil && holds(string(data)) {
				rel, _ := filepath.Rel(g.dir, path)
				g.Errorf("the key is in %s", rel)
			}
			return err
		})
		if err != nil {
			g.Fatal(err)
		}
	}
	if files < 10 {
		g.Errorf("only %d files were looked at", files)
	}
}
