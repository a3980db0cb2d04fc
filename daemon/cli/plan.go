package cli

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/relay"
	"github.com/greenroom-agents/greenroom/gateway"
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
	facts    facts
}

func (p *plan) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&p.upstream, "upstream", "", "base `URL` of a Chat Completions endpoint")
	f.StringVar(&p.keyName, "key-env", "", "`NAME` of the variable that holds its key (none for an endpoint on this machine)")
	f.StringArrayVar(&p.models, "model", nil, "`ID` of a model that may be asked for, may be given again; the first is the default")
	f.StringVar(&p.dialect, "dialect", "", "`NAME` of what the endpoint speaks (default: by its host)")
	f.StringVar(&p.listen, "listen", "", "loopback `ADDRESS` and port to serve on (default: a free port of 127.0.0.1)")
	completeWith(cmd, "dialect", dialect.Names()...)
	p.facts.flags(cmd)
}

// given says whether any of the flags were.
func (p *plan) given() bool {
	return p.upstream != "" || p.keyName != "" || len(p.models) > 0 || p.dialect != "" || p.listen != "" || p.facts.given()
}

var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// planKey checks the flags, and gives the key of the endpoint, "" where the flags name none.
func (a *app) planKey(p plan) (string, error) {
	const hint = "as in --upstream https://api.example.com/v1 --key-env EXAMPLE_API_KEY --model some-model"
	switch {
	case p.upstream == "":
		return "", usage(hint, "--upstream is missing")
	case len(p.models) == 0:
		return "", usage(hint, "--model is missing")
	case p.keyName != "" && !variableName.MatchString(p.keyName):
		// What was typed here may well be the key itself, so it is not said again.
		return "", usage("export the key, and give the name of that variable", "--key-env is no name of a variable")
	}
	if _, err := p.facts.of(p.models); err != nil {
		return "", err
	}
	if p.keyName == "" {
		return "", nil
	}
	key := a.env(p.keyName)
	if strings.TrimSpace(key) == "" {
		return "", refuse(codeNoKey, "export it: `read -rs "+p.keyName+" && export "+p.keyName+"`", "the variable %s is not set or is empty", p.keyName)
	}
	return key, nil
}

// openPlan starts to serve the plan as the Responses API. failed is told of each request that came to nothing.
func (a *app) openPlan(p plan, workspace, session string, failed func(status int, code string)) (*relay.Relay, error) {
	key, err := a.planKey(p)
	if err != nil {
		return nil, err
	}
	return a.openRoute(p, key, gateway.KindResponses, workspace, session, failed)
}

// openRoute starts to serve the plan as a kind of route, with the key that was looked up for it.
func (a *app) openRoute(p plan, key string, kind gateway.Kind, workspace, session string, failed func(status int, code string)) (*relay.Relay, error) {
	auth := gateway.AuthBearer
	if kind == gateway.KindMessagesPassthrough && modelendpoint.AuthFor(preparer.Anthropic, p.upstream) == preparer.APIKey {
		auth = gateway.AuthAPIKey
	}
	r, err := relay.Open(relay.Plan{
		Upstream: p.upstream, Key: key, Models: p.models, Dialect: p.dialect, Listen: p.listen, Kind: kind, Auth: auth,
		Vision: p.facts.vision(p.models), Workspace: workspace, Session: session, Now: a.Now, Random: a.Rand, Failed: failed,
	})
	if field := (*relay.FieldError)(nil); errors.As(err, &field) {
		return nil, planFailure(field)
	}
	return r, err
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
