package capability

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
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
	d := &r.request.Descriptor
	for _, claim := range []string{d.Client.Override, d.Model.KeyVar, "TUTTI_MODEL_PLAN_API_KEY"} {
		if claims(claim, key) {
			return "the client"
		}
	}
	if slices.ContainsFunc(d.Env, func(claim string) bool { return claims(claim, key) }) ||
		slices.ContainsFunc(d.Homes, func(h preparer.Home) bool { return claims(h.Env, key) }) {
		return "the client"
	}
	return ""
}

// claims says whether a name, or the beginning of one before a star, is that of a variable.
func claims(claim, key string) bool {
	stem, wild := strings.CutSuffix(strings.ToUpper(claim), "*")
	return claim != "" && (stem == key || wild && strings.HasPrefix(key, stem))
}
