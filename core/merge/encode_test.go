package merge_test

import (
	"testing"

	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestEncodeIsCanonical(t *testing.T) {
	t.Parallel()
	root := object{"b": []any{"x", int64(1)}, "a": object{"z": true, "w": object{}}, "c": "é<&>"}
	for format, want := range map[preparer.Format]string{
		preparer.JSON: "{\n  \"a\": {\n    \"w\": {},\n    \"z\": true\n  },\n  \"b\": [\n    \"x\",\n    1\n  ],\n  \"c\": \"é<&>\"\n}\n",
		preparer.TOML: "b = ['x', 1]\nc = 'é<&>'\n\n[a]\nz = true\n\n[a.w]\n",
		preparer.YAML: "a:\n  w: {}\n  z: true\nb:\n  - x\n  - 1\nc: \"é<&>\"\n",
	} {
		for range 5 {
			out, err := merge.Encode(format, root)
			if err != nil {
				t.Fatal(err)
			}
			same(t, want, string(out))
		}
	}
	for format, want := range map[preparer.Format]string{preparer.JSON: "{}\n", preparer.TOML: "", preparer.YAML: "{}\n"} {
		out, err := merge.Encode(format, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, string(out))
	}
}
