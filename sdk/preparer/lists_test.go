package preparer_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

func TestLists(t *testing.T) {
	t.Parallel()
	got := p.Lists("# a note\n[one]\nA B\r\n  C\n\n# [two]\nD\n[three]\n[four]\nE")
	want := map[string][]string{"one": {"A", "B", "C", "D"}, "four": {"E"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
