package cli

import (
	"errors"
	"testing"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// A client that takes no endpoint is refused because it takes none, and not because the endpoint is none.
func TestC263_AClientThatTakesNoEndpointIsRefusedForThat(t *testing.T) {
	t.Parallel()
	b := binding{plan: plan{upstream: "https://models.example/v1", models: []string{"m"}}}
	e := b.endpoint(preparer.Model{}, "key")
	if _, err := e.Clean(); err != nil {
		t.Error(err)
	}
	if why := e.Usable(preparer.Model{}); !errors.Is(why, modelendpoint.NotTaken) {
		t.Errorf("got %v", why)
	}
}
