package capability

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// maxEnvValue bounds a value, in bytes.
const maxEnvValue = 4 << 10

// environment adds the variables of a pack.
func (r *resolution) environment(pack string, overlay []string) error {
	for _, kv := range overlay {
		name, value, ok := strings.Cut(kv, "=")
		bad := func(detail string) error { return refuse(pack, fmt.Sprintf("variable %.80q %s", name, detail)) }
		if !ok {
			return refuse(pack, "a variable is not of the form NAME=value")
		}
		key := strings.ToUpper(name)
		if why := rules.EnvName(name); why != "" {
			return bad(why)
		}
		if owner := r.claimed(key); owner != "" {
			return bad("belongs to " + owner)
		}
		if first, taken := r.owners[key]; taken {
			return bad(fmt.Sprintf("is set by pack %.80q already", first))
		}
		if !utf8.ValidString(value) || strings.ContainsFunc(value, func(c rune) bool { return c < 0x20 || c == 0x7f }) || len(value) > maxEnvValue {
			return bad("has a value that is too long, not UTF-8 or holds control characters")
		}
		r.owners[key] = pack
		r.env = append(r.env, EnvVar{Name: name, Value: value, Pack: pack})
	}
	return nil
}

// claimed says whom a variable belongs to, or "". What an adapter declared is its own, whether it sets it or not.
func (r *resolution) claimed(key string) string {
	vars := canon.VarsFor(r.view.EnvPrefix)
	if slices.Contains([]string{vars.Workspace, vars.Session, vars.Provider, vars.Cwd}, key) {
		return "core"
	}
	d := r.request.Descriptor
	claims := append([]string{d.Client.Override, d.Model.KeyVar, "TUTTI_MODEL_PLAN_API_KEY"}, d.Env...)
	for _, h := range d.Homes {
		claims = append(claims, h.Env)
	}
	for _, claim := range claims {
		stem, wild := strings.CutSuffix(strings.ToUpper(claim), "*")
		if claim != "" && (stem == key || wild && strings.HasPrefix(key, stem)) {
			return "the client"
		}
	}
	return ""
}
