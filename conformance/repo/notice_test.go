package repo_test

import (
	"strings"
	"testing"
)

func text(t *testing.T, path string) string {
	t.Helper()
	for _, f := range files(t) {
		if f.path == path {
			return f.text
		}
	}
	t.Fatalf("there is no %s", path)
	return ""
}

// Whoever builds from this repository finds in NOTICE what of others is in the binaries.
func TestNoticeNamesWhatIsLinked(t *testing.T) {
	t.Parallel()
	notice := text(t, "NOTICE")
	linked := map[string]bool{}
	for _, module := range modules(t) {
		if module == "tools" || exempt(module) {
			continue
		}
		for _, p := range list(t, module, "-deps", "./...") {
			if p.Module != nil && !p.ours() {
				linked[p.Module.Path] = true
			}
		}
	}
	if len(linked) < 5 {
		t.Errorf("only %d modules are linked", len(linked))
	}
	for path := range linked {
		if !strings.Contains(notice, "\n  "+path+" ") && !strings.Contains(notice, "\n  "+path+"\n") {
			t.Errorf("NOTICE does not name %s", path)
		}
	}
}

func TestLicenseIsThere(t *testing.T) {
	t.Parallel()
	license := text(t, "LICENSE")
	for _, want := range []string{"Apache License", "Version 2.0, January 2004", "END OF TERMS AND CONDITIONS"} {
		if !strings.Contains(license, want) {
			t.Errorf("LICENSE does not say %q", want)
		}
	}
}
