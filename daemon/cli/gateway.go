package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/greenroom-agents/greenroom/daemon/internal/relay"
	"github.com/greenroom-agents/greenroom/daemon/internal/view"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

func (a *app) gatewayCommand() *cobra.Command {
	var p plan
	cmd := &cobra.Command{
		Use:   "gateway --upstream URL --model ID",
		Short: "Serve a Chat Completions endpoint to Codex and other clients of the Responses API",
		Long: `Serve a Chat Completions endpoint as the Responses API on the loopback interface, to Codex and every other client that
speaks it, until interrupted. It says where it serves and with which token, and at the end what went through.

The key of the endpoint is read from the environment and sent to that endpoint only; clients get the token instead,
which is good until the gateway ends.

With --json one object is written when it serves, and one with the summary at the end.`,
		Example: `  greenroom gateway --upstream https://api.deepseek.com --key-env DEEPSEEK_API_KEY --model deepseek-chat
  greenroom gateway --upstream http://127.0.0.1:11434 --model qwen3-coder`,
		Args: takes(),
		RunE: func(cmd *cobra.Command, _ []string) error { return a.serveGateway(cmd.Context(), p) },
	}
	p.flags(cmd)
	return cmd
}

// serveGateway serves until ctx is over, which is how it is meant to end.
func (a *app) serveGateway(ctx context.Context, p plan) (err error) {
	r, err := a.openPlan(p, "gateway", "gateway", a.tellFailed)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.closeGateway(ctx, r)) }()
	first := preparer.EndpointModel{ContextTokens: p.facts.known(p.models)[0].ContextTokens}
	e := view.Endpoint{BaseURL: r.BaseURL(), Token: r.Token(), Models: p.models, Context: first.Window(), NoProxy: a.pastProxies()}
	if a.json {
		if err := a.answer(e); err != nil {
			return err
		}
	} else {
		a.view().Endpoint(e)
	}
	<-ctx.Done()
	return nil
}

// pastProxies is what NO_PROXY has to be for a client to reach this machine, "" where no proxy is set. Of the two spellings
// of the variable some clients read one and some the other.
func (a *app) pastProxies() string {
	proxied := func(name string) bool { return a.env(name) != "" || a.env(strings.ToLower(name)) != "" }
	if !slices.ContainsFunc([]string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"}, proxied) {
		return ""
	}
	var hosts []string
	for _, host := range strings.Split(a.env("NO_PROXY")+","+a.env("no_proxy")+",127.0.0.1,localhost,::1", ",") {
		if host = strings.TrimSpace(host); host != "" && !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	return strings.Join(hosts, ",")
}

func (a *app) closeGateway(ctx context.Context, r *relay.Relay) error {
	// Requests that had to be cut are no failure of the one who wanted it to end.
	sum, _ := r.Close(context.WithoutCancel(ctx))
	if a.json {
		return a.answer(map[string]relay.Summary{"summary": sum})
	}
	_, err := fmt.Fprintf(a.Stdout, "\n%s %s\n", a.style.Good("greenroom:"), view.Relayed(sum))
	return err
}
