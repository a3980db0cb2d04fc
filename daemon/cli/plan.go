package cli

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/relay"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// plan holds the flags that say which endpoint the models are at.
type plan struct {
	upstream string
	keyName  string
	models   []string
	dialect  string
	listen   string
}

func (p *plan) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.upstream, "upstream", "", "base `URL` of a Chat Completions endpoint")
	f.StringVar(&p.keyName, "key-env", "", "`NAME` of the variable that holds its key (none for an endpoint on this machine)")
	f.StringArrayVar(&p.models, "model", nil, "`ID` of a model that may be asked for, may be given again; the first is the default")
	f.StringVar(&p.dialect, "dialect", "", "`NAME` of what the endpoint speaks (default: by its host)")
	f.StringVar(&p.listen, "listen", "", "loopback `ADDRESS` and port to serve on (default: a free port of 127.0.0.1)")
	completeWith(cmd, "dialect", dialect.Names()...)
}

// given says whether any of the flags were.
func (p *plan) given() bool {
	return p.upstream != "" || p.keyName != "" || len(p.models) > 0 || p.dialect != "" || p.listen != ""
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// openPlan starts to serve the plan to one session. failed is told of each request that came to nothing.
func (a *app) openPlan(p plan, workspace, session string, failed func(status int, code string)) (*relay.Relay, error) {
	const hint = "as in --upstream https://api.example.com/v1 --key-env EXAMPLE_API_KEY --model some-model"
	switch {
	case p.upstream == "":
		return nil, usage(hint, "--upstream is missing")
	case len(p.models) == 0:
		return nil, usage(hint, "--model is missing")
	case p.keyName != "" && !variableName.MatchString(p.keyName):
		// What was typed here may well be the key itself, so it is not said again.
		return nil, usage("export the key, and give the name of that variable", "--key-env is no name of a variable")
	}
	key := ""
	if p.keyName != "" {
		if key = a.env(p.keyName); strings.TrimSpace(key) == "" {
			return nil, refuse(codeNoKey, "export it: `read -rs "+p.keyName+" && export "+p.keyName+"`", "the variable %s is not set", p.keyName)
		}
	}
	r, err := relay.Open(relay.Plan{
		Upstream: p.upstream, Key: key, Models: p.models, Dialect: p.dialect, Listen: p.listen,
		Workspace: workspace, Session: session, Now: a.Now, Random: a.Rand, Failed: failed,
	})
	if field := (*relay.FieldError)(nil); errors.As(err, &field) {
		return nil, planFailure(field)
	}
	return r, err
}

// runOn runs a session on the plan that was given, if one was.
func (a *app) runOn(ctx context.Context, p plan, s core.Session, keep core.Keep, args []string) (int, error) {
	if !p.given() {
		return a.run(ctx, s, keep, args)
	}
	// While it runs the terminal is the client's; what failed last is said at the end.
	r, err := a.openPlan(p, s.Workspace, s.ID, nil)
	if err != nil {
		return 0, err
	}
	s.Endpoint = &modelendpoint.Endpoint{
		Name: endpointName(p.upstream), Protocol: preparer.Responses, BaseURL: r.BaseURL(), Key: modelendpoint.NewKey(r.Token()),
	}
	// What the client runs has no use for the key either.
	a.Environ = slices.DeleteFunc(slices.Clone(a.Environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return p.keyName != "" && (name == p.keyName || a.GOOS == "windows" && strings.EqualFold(name, p.keyName))
	})
	for _, id := range p.models {
		s.Endpoint.Models = append(s.Endpoint.Models, modelendpoint.Model{ID: id})
	}
	status, err := a.run(ctx, s, keep, args)
	sum, _ := r.Close(context.WithoutCancel(ctx))
	if err == nil || sum.Turns+sum.Failed+sum.Refused > 0 {
		fmt.Fprintf(a.Stderr, "%s %s\n", a.notes.Good("greenroom:"), view.Relayed(sum))
	}
	return status, err
}

// endpointName is what the client calls the endpoint: its host.
func endpointName(upstream string) string {
	if u, err := url.Parse(strings.TrimSpace(upstream)); err == nil {
		return u.Hostname()
	}
	return ""
}

// planFailure says which flag is wrong.
func planFailure(e *relay.FieldError) error {
	switch e.Field {
	case "Upstream":
		return usage("give it as in https://api.example.com/v1, without a key in it", "--upstream %s", e.What)
	case "Key":
		if e.What == "is empty" {
			return usage("name the variable that holds the key with --key-env", "--key-env is missing; only an endpoint on this machine needs no key")
		}
		return refuse(codeNoKey, "copy the key again, without what stands around it", "the key %s", e.What)
	case "Models":
		return usage("give the id as the endpoint lists it", "--model %s", e.What)
	case "Dialect":
		return usage("known: "+strings.Join(slices.Sorted(slices.Values(dialect.Names())), ", "), "--dialect %s", e.What)
	case "Listen":
		return usage("give a loopback address and a port, as in 127.0.0.1:8080", "--listen: %s", e.What)
	}
	return e
}

// tellFailed says on a terminal that a request came to nothing. Codes of an upstream are free text.
func (a *app) tellFailed(status int, code string) {
	if a.json || !terminal(a.Stderr) {
		return
	}
	fmt.Fprintf(a.Stderr, "%s a request failed: status %d %s\n", a.notes.Warn("greenroom:"), status, a.notes.Dim("["+paint.Clean(code)+"]"))
}
