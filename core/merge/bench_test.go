package merge_test

import (
	"testing"

	"github.com/pelletier/go-toml/v2"

	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func BenchmarkCodexConfig(b *testing.B) {
	base := fixture(b, "codex-full.toml")
	edits := codexEdits()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := merge.Apply(preparer.TOML, base, edits, merge.Env{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCodexFloor is what the library alone costs: to decode, to encode, and to decode again for the comparison.
func BenchmarkCodexFloor(b *testing.B) {
	base := fixture(b, "codex-full.toml")
	b.ReportAllocs()
	for b.Loop() {
		var m, again map[string]any
		if err := toml.Unmarshal(base, &m); err != nil {
			b.Fatal(err)
		}
		out, err := toml.Marshal(m)
		if err != nil {
			b.Fatal(err)
		}
		if err := toml.Unmarshal(out, &again); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHermesConfig(b *testing.B) {
	base := fixture(b, "hermes-typical.yaml")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := merge.Apply(preparer.YAML, base, []merge.Edit{dirs}, merge.Env{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOpenCodeConfig(b *testing.B) {
	base := fixture(b, "opencode-user.jsonc")
	edit := []merge.Edit{{Op: preparer.OpSet, Path: key("share"), Value: "disabled"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := merge.Apply(preparer.JSONC, base, edit, merge.Env{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBlock(b *testing.B) {
	current := fixture(b, "hermes-typical.yaml")
	b.ReportAllocs()
	for b.Loop() {
		with, rec, err := merge.InsertBlock(current, true, marker, "Ours.\nTwo lines.")
		if err != nil {
			b.Fatal(err)
		}
		if _, _, err := merge.RemoveBlock(with, marker, rec); err != nil {
			b.Fatal(err)
		}
	}
}
