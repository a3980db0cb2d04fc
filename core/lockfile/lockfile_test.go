package lockfile_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/lockfile"
)

var sum = strings.Repeat("ab", 32)

func acme(id string) lockfile.Adapter {
	return lockfile.Adapter{ID: id, Version: "1.0.0", Sequence: 1<<63 + 7, Protocols: []int{1, 2}, Statement: sum, Signers: []string{"SHA256:abc"},
		Platforms: map[string]lockfile.Binary{"linux/amd64": {SHA256: sum, Size: 10}, "darwin/arm64": {SHA256: sum, Size: 1 << 40}}}
}

func TestLockSurvivesItsText(t *testing.T) {
	t.Parallel()
	l := &lockfile.Lock{}
	l.Put(acme("b"))
	l.Put(acme("a"))
	l.Put(acme("b"))
	text, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := lockfile.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]lockfile.Adapter{acme("a"), acme("b")}, again.Adapters); diff != "" {
		t.Error(diff)
	}
	if second, err := again.Encode(); err != nil || string(second) != string(text) {
		t.Errorf("it is written otherwise: %s, %v", second, err)
	}
	if !strings.HasPrefix(string(text), "# Written by") {
		t.Errorf("it does not say what it is:\n%s", text)
	}
	if _, ok := again.Find("c"); ok {
		t.Error("it found what is not there")
	}
	again.Drop("a")
	if _, ok := again.Find("a"); ok {
		t.Error("it holds what was dropped")
	}
}

func TestLockIsUnderstoodWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	l := &lockfile.Lock{Adapters: []lockfile.Adapter{acme("a")}}
	good, err := l.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if l, err := lockfile.Parse(nil); err != nil || len(l.Adapters) != 0 {
		t.Errorf("nothing: %v, %v", l, err)
	}
	for name, change := range map[string]func(string) string{
		"other version":  func(s string) string { return strings.Replace(s, "version: 1\n", "version: 2\n", 1) },
		"no version":     func(s string) string { return strings.Replace(s, "version: 1\n", "", 1) },
		"unknown field":  func(s string) string { return s + "also: 1\n" },
		"twice":          func(s string) string { return s + "version: 1\n" },
		"second":         func(s string) string { return s + "---\nversion: 1\n" },
		"short digest":   func(s string) string { return strings.Replace(s, sum, sum[:10], 1) },
		"platform":       func(s string) string { return strings.Replace(s, "linux/amd64", "../linux", 1) },
		"id":             func(s string) string { return strings.Replace(s, "id: a", "id: ../a", 1) },
		"no signers":     func(s string) string { return strings.Replace(s, "- SHA256:abc", "", 1) },
		"no mapping":     func(string) string { return "- 1\n" },
		"size":           func(s string) string { return strings.Replace(s, "size: 10", "size: -1", 1) },
		"no sequence":    func(s string) string { return strings.Replace(s, "sequence: 9223372036854775815", "sequence: 0", 1) },
		"version of one": func(s string) string { return strings.Replace(s, "version: 1.0.0", "version: v1", 1) },
	} {
		text := change(string(good))
		if text == string(good) {
			t.Errorf("%s: nothing was changed in\n%s", name, text)
		}
		if _, err := lockfile.Parse([]byte(text)); !errors.Is(err, core.ErrCorrupt) && !errors.Is(err, core.ErrUnknownSchema) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
