package command_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/internal/sample"
)

// A memory answers what a new snapshot would be, whatever changes between two questions, also in the list itself.
func TestMemoAnswersAsIfItHadNone(t *testing.T) {
	t.Parallel()
	list := sample.Catalog()
	schema := func(i int) map[string]any { return list[i].InputSchema["properties"].(map[string]any) }
	projection := command.Projection{}
	changes := []struct {
		name   string
		change func()
	}{
		{"nothing", func() {}},
		{"id", func() { list[0].ID = "agent.enumerate" }},
		{"word of a path", func() { list[1].Path[1] = "begin" }},
		{"summary", func() { list[2].Summary = "Waits" }},
		{"description", func() { list[2].Description = "Waits for long" }},
		{"visibility", func() { list[3].Visibility = command.Integration }},
		{"json", func() { list[4].JSON = false }},
		{"wait", func() { list[5].Wait = true }},
		{"app", func() { list[5].AppID, list[5].AppName = "x", "X" }},
		{"text of an input", func() { schema(1)["prompt"].(map[string]any)["description"] = "other" }},
		{"a new input", func() { schema(0)["depth"] = map[string]any{"type": "integer"} }},
		{"a required one less", func() { list[1].InputSchema["required"] = []any{"prompt"} }},
		{"required as names", func() { list[1].InputSchema["required"] = []string{"prompt"} }},
		{"no schema", func() { list[6].InputSchema = nil }},
		{"a type that is not known", func() { schema(1)["prompt"].(map[string]any)["maxLength"] = json.Number("3") }},
		{"and another value of it", func() { schema(1)["prompt"].(map[string]any)["description"] = "third" }},
		{"order", func() { list[7], list[8] = list[8], list[7] }},
		{"one less", func() { list = list[:len(list)-1] }},
		{"projection", func() {
			projection = command.Projection{Dedicated: true, Mode: command.Only, AllowedIDs: []string{"issue.get"}}
		}},
	}
	var memo command.Memo
	catalog := command.CatalogFunc(func(context.Context, command.Query) ([]command.Command, error) { return list, nil })
	for _, c := range changes {
		c.change()
		want, err := command.Resolve(t.Context(), catalog, "tutti", "w", projection)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for range 2 {
			got, err := memo.Resolve(t.Context(), catalog, "tutti", "w", projection)
			if err != nil || got.Digest() != want.Digest() {
				t.Errorf("%s: the memory answers another snapshot, %v", c.name, err)
			}
		}
	}
}

func TestMemoRemembers(t *testing.T) {
	t.Parallel()
	var memo command.Memo
	calls := 0
	catalog := command.CatalogFunc(func(context.Context, command.Query) ([]command.Command, error) {
		calls++
		return sample.Catalog(), nil // new values each time
	})
	first, err := memo.Resolve(t.Context(), catalog, "tutti", "w", command.Projection{})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if again, err := memo.Resolve(t.Context(), catalog, "tutti", "w", command.Projection{}); err != nil || again != first {
			t.Errorf("a snapshot was made anew, %v", err)
		}
	}
	if calls != 4 {
		t.Errorf("the catalog was asked %d times, want each time", calls)
	}
}
