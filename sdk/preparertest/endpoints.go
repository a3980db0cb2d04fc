package preparertest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/protocol"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// protocols are all model protocols that there are.
var protocols = []preparer.Protocol{preparer.OpenAI, preparer.Anthropic, preparer.Responses}

// endpoints shows that advertising a model protocol is injecting the endpoint, and that not advertising is refusing.
func endpoints(ctx context.Context, p preparer.Preparer) []error {
	local := protocol.InProcess(p)
	d, err := local.Describe(ctx)
	if err != nil {
		return []error{err}
	}
	var out []error
	for _, spoken := range protocols {
		if d.Model.Speaks(spoken) {
			out = append(out, served(ctx, local, d, spoken)...)
			continue
		}
		r := DefaultRequest(d)
		r.Endpoint = endpointFor(spoken)
		var refusal *preparer.Refusal
		if _, err := local.Prepare(ctx, r); !errors.As(err, &refusal) {
			out = append(out, fmt.Errorf("the client does not speak %s by its descriptor, and a request with such an endpoint is not refused: %v", spoken, err))
		}
	}
	return out
}

// served shows that an endpoint reaches the client, its key where the descriptor says and nowhere else.
func served(ctx context.Context, a protocol.Adapter, d preparer.Descriptor, spoken preparer.Protocol) (out []error) {
	bad := func(format string, args ...any) {
		err := fmt.Errorf(format, args...)
		if !slices.ContainsFunc(out, func(have error) bool { return have.Error() == err.Error() }) {
			out = append(out, err)
		}
	}
	for _, auth := range []preparer.Auth{preparer.Bearer, preparer.APIKey} {
		for _, inFile := range []bool{false, true} {
			r := DefaultRequest(d)
			r.Endpoint = endpointFor(spoken)
			r.Endpoint.Auth, r.Endpoint.KeyInFile = auth, inFile
			l, err := a.Prepare(ctx, r)
			var refusal *preparer.Refusal
			if d.Model.SecretFile && !inFile && errors.As(err, &refusal) {
				continue // a client that takes it no other way
			}
			if err != nil {
				bad("the descriptor names protocol %s, and an endpoint of it is not served: %w", spoken, err)
				continue
			}
			variable := d.Model.KeyVar
			if auth == preparer.APIKey && d.Model.APIKeyVar != "" {
				variable = d.Model.APIKeyVar
			}
			var places []string
			var url, model bool
			rules.EachValue(l, func(where string, v preparer.Value) {
				switch v := v.(type) {
				case preparer.Secret:
					if v == r.Endpoint.Key {
						places = append(places, where)
					}
				case preparer.String:
					url = url || strings.Contains(string(v), r.Endpoint.BaseURL)
					model = model || strings.Contains(string(v), r.Endpoint.Default)
				}
			})
			if len(places) == 0 {
				bad("the layout of a request with an endpoint does not place its key")
			}
			for _, err := range loggedIn(ctx, a, r) {
				bad("%w", err)
			}
			for _, where := range places {
				if env := strings.HasPrefix(where, "env "); env && where != "env "+variable || !env && !inFile {
					bad("the key of an endpoint stands in %s, which the descriptor does not say or the host does not allow", where)
				}
			}
			if !url {
				bad("the layout of a request with an endpoint does not hold its base URL")
			}
			if !model {
				bad("the layout of a request with an endpoint does not hold the id of its default model")
			}
			other := []string{d.Model.KeyVar, d.Model.APIKeyVar}
			other = slices.DeleteFunc(other, func(name string) bool { return name == "" || name == variable })
			for _, name := range other {
				if !slices.ContainsFunc(l.Env, func(op preparer.EnvOp) bool {
					return op.Name == name && (op.Op == preparer.EnvSetEmpty || op.Op == preparer.EnvUnset)
				}) {
					bad("variable %s, which may be inherited, is not emptied beside %s", name, variable)
				}
			}
		}
	}
	return out
}

// loggedIn are the logins that a session on an endpoint has although nothing of the user's comes along: it has the endpoint
// in the place of a login to the client. One that goes with things of a kind, such as that to an MCP server, goes with them.
func loggedIn(ctx context.Context, a protocol.Adapter, r preparer.Request) (out []error) {
	r.Options.Inherit = preparer.Inherit{}
	for _, k := range preparer.Kinds() {
		r.Options.Inherit[k] = preparer.Choice{Mode: preparer.None}
	}
	l, err := a.Prepare(ctx, r)
	if err != nil {
		return nil // what it answers is another rule
	}
	for _, e := range l.Entries {
		if login, ok := e.(preparer.Login); ok {
			out = append(out, fmt.Errorf("the layout of a request with an endpoint brings the user's login %s; the session has the endpoint in its place", login.Input))
		}
	}
	return out
}
