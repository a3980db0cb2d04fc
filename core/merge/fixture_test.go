package merge_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

var key = preparer.Key

type object = map[string]any

func fixture(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func apply(t testing.TB, format preparer.Format, base string, edits ...merge.Edit) string {
	t.Helper()
	out, err := merge.Apply(format, []byte(base), edits, merge.Env{Label: "home:x/config"})
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func parse(t testing.TB, format preparer.Format, data string) object {
	t.Helper()
	m, err := merge.Parse(format, []byte(data), "home:x/config")
	if err != nil {
		t.Fatalf("%v in:\n%s", err, data)
	}
	return m
}

// refused applies edits that must fail with a code and a message that holds all parts.
func refused(t *testing.T, format preparer.Format, base string, code fault.Code, parts []string, edits ...merge.Edit) {
	t.Helper()
	out, err := merge.Apply(format, []byte(base), edits, merge.Env{Label: "home:x/config"})
	if err == nil {
		t.Fatalf("not refused, but:\n%s", out)
	}
	if out != nil {
		t.Errorf("an error and an output: %q", out)
	}
	wantError(t, err, code, parts...)
}

func wantError(t *testing.T, err error, code fault.Code, parts ...string) {
	t.Helper()
	if !errors.Is(err, code) {
		t.Errorf("code %q, want %q: %v", fault.CodeOf(err), code, err)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
}

func same(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
