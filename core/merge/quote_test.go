package merge_test

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"gopkg.in/yaml.v3"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var awkward = []string{"", "plain", `C:\Users\A B\x`, "it's", `"q"`, "a\nb\tc\r", "$HOME `id` $(id) !x *", "é 技能 \U0001F600", "\u0085\u2028\ufeff\u007f\u0001", "--flag", "#no", "~"}

func TestQuoteReadsBack(t *testing.T) {
	t.Parallel()
	for _, s := range awkward {
		for format, read := range map[preparer.Format]func(q string) (string, error){
			preparer.JSON:  func(q string) (v string, err error) { err = json.Unmarshal([]byte(q), &v); return },
			preparer.JSONC: func(q string) (v string, err error) { err = json.Unmarshal([]byte(q), &v); return },
			preparer.YAML: func(q string) (string, error) {
				var v any
				err := yaml.Unmarshal([]byte(q), &v)
				return v.(string), err
			},
			preparer.TOML: func(q string) (string, error) {
				var v map[string]string
				err := toml.Unmarshal([]byte("k = "+q), &v)
				return v["k"], err
			},
		} {
			q, err := merge.Quote(format, s)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := read(q); err != nil || back != s {
				t.Errorf("%s: %q quoted as %s reads back as %q, %v", format, s, q, back, err)
			}
		}
	}
	for _, format := range []preparer.Format{preparer.JSON, preparer.TOML, preparer.YAML, preparer.Shell} {
		_, err := merge.Quote(format, "\xff")
		wantError(t, err, fault.LayoutRefused)
	}
	_, err := merge.Quote(preparer.Shell, "a\x00b")
	wantError(t, err, fault.LayoutRefused)
	_, err = merge.Quote("xml", "a")
	wantError(t, err, fault.LayoutRefused, "xml")
}

// A real shell takes what was quoted as one word, as it is.
func TestQuoteShell(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell on this system")
	}
	for _, s := range awkward {
		q, err := merge.Quote(preparer.Shell, s)
		if err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), sh, "-c", "printf '%s|' "+q).Output()
		if err != nil || string(out) != s+"|" {
			t.Errorf("%q quoted as %s became %q, %v", s, q, out, err)
		}
	}
}
