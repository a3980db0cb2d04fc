package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/internal/relay"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// binding holds the flags that say how a session is bound to an endpoint.
type binding struct {
	plan
	protocol string
	shield   bool
	native   bool
	// named is the plan that was named, and agent the agent whose session it is. Either takes the place of what else would
	// say which endpoint is meant.
	named, agent string
}

func (b *binding) flags(cmd *cobra.Command) {
	b.plan.flags(cmd)
	f := cmd.Flags()
	f.Lookup("upstream").Usage = "base `URL` of a model endpoint"
	f.StringVar(&b.named, "plan", "", "`NAME` of a model plan; --model is then one of its models")
	f.StringVar(&b.agent, "agent", "", "`NAME` of an agent whose session it is, on its plan; see agents")
	f.StringVar(&b.protocol, "protocol", "", "what the endpoint speaks: openai, responses or anthropic (default: what the client takes)")
	f.BoolVar(&b.shield, "shield", false, "keep the key from the client by a gateway that passes everything on")
	f.BoolVar(&b.native, "or-native", false, "run on your own login if the client cannot be bound to the endpoint")
	completeWith(cmd, "protocol", string(preparer.OpenAI), string(preparer.Responses), string(preparer.Anthropic))
}

// given says whether any of the flags were.
func (b *binding) given() bool {
	return b.plan.given() || b.protocol != "" || b.shield || b.native || b.named != "" || b.agent != ""
}

// placeholder is what a client sends as its key to an endpoint on this machine that wants none.
const placeholder = "none"

// runOn runs a session on the endpoint that was given, if one was.
func (a *app) runOn(ctx context.Context, b binding, in string, s core.Session, keep core.Keep, do act) (int, error) {
	if b.given() && s.ExtensionRuntimePrep != nil {
		return 0, usage("set its models up in its own settings", "--upstream, --plan and --agent: an extension does not say how its agent is bound to an endpoint")
	}
	var key string
	var err error
	stored := b.named != "" || b.agent != ""
	if b.given() && !stored {
		if key, err = a.planKey(b.plan); err != nil {
			return 0, err
		}
	}
	h, err := a.hostFor(ctx, s.Provider)
	if err != nil {
		return 0, err
	}
	defer h.Close()
	if !b.given() {
		return a.run(ctx, h, s, keep, do)
	}
	d, err := h.Descriptor(ctx, s.Provider)
	if err != nil {
		return 0, err
	}
	if stored {
		return a.runBound(ctx, h, b, d.Model, in, s, keep, do)
	}
	if key == "" && !modelendpoint.Loopback(b.upstream) {
		return 0, planFailure(&relay.FieldError{Field: "Key", What: "is empty"})
	}
	e := b.endpoint(d.Model, cmp.Or(key, placeholder))
	passage, unusable := modelendpoint.PassageFor(d.Model, e.Protocol, b.shield)
	// What the client runs has no use for the key of the endpoint.
	a.Environ = slices.DeleteFunc(slices.Clone(a.Environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return b.keyName != "" && (name == b.keyName || a.GOOS == "windows" && strings.EqualFold(name, b.keyName))
	})
	s.Endpoint = &e
	if unusable != nil || passage == modelendpoint.Direct {
		return a.run(ctx, h, s, keep, do) // where it cannot be used, the host says so
	}
	return a.runThrough(ctx, h, b, key, passage, s, keep, do)
}

func (b *binding) otherwise() modelendpoint.OtherWay {
	if b.native {
		return modelendpoint.Native
	}
	return modelendpoint.Fail
}

// endpoint is the endpoint of the flags, for a client that takes m.
func (b *binding) endpoint(m preparer.Model, key string) modelendpoint.Endpoint {
	e := modelendpoint.Endpoint{
		Name: endpointName(b.upstream), Protocol: preparer.Protocol(b.protocol), BaseURL: b.upstream, Key: modelendpoint.NewKey(key),
		Models: b.facts.known(b.models),
	}
	if b.protocol == "" {
		e.Protocol = cmp.Or(m.Protocol, preparer.OpenAI) // a client that takes no endpoint is refused for that
	}
	e.Otherwise = b.otherwise()
	return e
}

// kinds are the kinds of route that pass on what the endpoint speaks.
var kinds = map[preparer.Protocol]gateway.Kind{
	preparer.OpenAI: gateway.KindChatPassthrough, preparer.Anthropic: gateway.KindMessagesPassthrough,
}

// runThrough runs a session whose endpoint is behind a gateway.
func (a *app) runThrough(ctx context.Context, h *core.Host, b binding, key string, passage modelendpoint.Passage, s core.Session, keep core.Keep, do act) (int, error) {
	route := modelendpoint.Route{Protocol: s.Endpoint.Protocol}
	kind, passes := kinds[route.Protocol]
	switch {
	case passage == modelendpoint.Translated:
		route.Protocol, kind = preparer.Responses, gateway.KindResponses
	case !passes:
		return 0, usage("leave --shield away", "--shield: the gateway passes no %s on", route.Protocol)
	}
	// While it runs the terminal is the client's; what failed last is said at the end.
	r, err := a.openRoute(b.plan, key, kind, s.Workspace, s.ID, nil)
	if err != nil {
		return 0, err
	}
	a.refused = r.Refused
	route.BaseURL, route.Token = r.BaseURL(), modelendpoint.NewKey(r.Token())
	through := s.Endpoint.Through(route)
	s.Endpoint = &through
	status, err := a.run(ctx, h, s, keep, do)
	sum, _ := r.Close(context.WithoutCancel(ctx))
	if err == nil || sum.Turns+sum.Failed+sum.Refused > 0 {
		fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Good("greenroom:"), view.Relayed(sum))
	}
	return status, err
}
