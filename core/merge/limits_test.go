package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Documents that would cost a library unreasonable time, memory or stack are refused before it sees them.
func TestLimits(t *testing.T) {
	t.Parallel()
	rep := strings.Repeat
	keys := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, c := range map[string]struct {
		format preparer.Format
		base   string
		says   string
	}{
		"toml size":           {preparer.TOML, "a='" + rep("x", 8<<20) + "'", "8 MiB"},
		"json size":           {preparer.JSON, "{\"a\":\"" + rep("x", 8<<20) + "\"}", "8 MiB"},
		"yaml size":           {preparer.YAML, "a: " + rep("x", 8<<20), "8 MiB"},
		"toml arrays":         {preparer.TOML, "a=" + rep("[", 20_000) + rep("]", 20_000), "10000 levels"},
		"toml dotted key":     {preparer.TOML, "a" + rep(".a", 20_000) + "=1", "10000 levels"},
		"toml header":         {preparer.TOML, "[a" + rep(".a", 20_000) + "]", "10000 levels"},
		"toml nested dots":    {preparer.TOML, rep("a"+rep(".a", 4000)+"={", 3) + rep("}", 3), "10000 levels"},
		"json arrays":         {preparer.JSON, "{\"a\":" + rep("[", 20_000), "10000 levels"},
		"yaml flow":           {preparer.YAML, "a: " + rep("[", 20_000), "not valid"},
		"yaml flow and block": {preparer.YAML, rep("- ", 9_000) + rep("[", 9_000) + rep("]", 9_000), "10000 levels"},
		"toml keys":           {preparer.TOML, keys(10_001, "k%d=1\n"), "10000 keys"},
		"toml tables":         {preparer.TOML, keys(10_001, "[k%d]\n"), "10000 keys"},
		"toml inline":         {preparer.TOML, "a=[" + rep("{},", 10_001) + "]", "10000 keys"},
		"yaml entries":        {preparer.YAML, "a: [" + rep("x,", 400_000) + "]", "entries"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			refused(t, c.format, c.base, fault.Unparsable, []string{c.says})
		})
	}
	for name, c := range map[string]struct {
		format preparer.Format
		base   string
	}{
		"toml text full of marks": {preparer.TOML, "# " + rep("a.b=[c]{d} ", 5_000) + "\nx = '''" + rep("[[a.b]]\nc=d\n", 3_000) + "'''\ny = [" + rep("1.5, ", 20_000) + "]\n"},
		"toml levels":             {preparer.TOML, "a=" + rep("[", 9_000) + rep("]", 9_000)},
		"json levels":             {preparer.JSON, "{\"a\":" + rep("[", 9_000) + rep("]", 9_000) + "}"},
		"yaml levels":             {preparer.YAML, "a: " + rep("[", 9_000) + rep("]", 9_000)},
		"yaml keys":               {preparer.YAML, keys(5_000, "k%d: 1\n")},
		"json keys":               {preparer.JSON, "{" + keys(5_000, "\"k%d\": 1,") + "\"z\":1}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apply(t, c.format, c.base, merge.Edit{Op: preparer.OpSet, Path: key("ours"), Value: true})
		})
	}
	_, err := merge.Encode(preparer.JSON, object{"a": strings.Repeat("x", 8<<20)})
	wantError(t, err, fault.Unparsable, "8 MiB")
	deep := any("x")
	for range 10_001 {
		deep = []any{deep}
	}
	refused(t, preparer.JSON, "", fault.LayoutRefused, []string{"10000 levels"}, merge.Edit{Op: preparer.OpSet, Path: key("a"), Value: deep})
}
