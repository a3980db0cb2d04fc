package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/dialect"
)

// Plan is where requests go and what may be asked for.
type Plan struct {
	// Upstream is the base URL of the endpoint.
	Upstream string
	// Key is the credential; it may be empty for an endpoint on this machine.
	Key string
	// Models are the models that may be asked for; empty allows every model.
	Models []string
	// Dialect is a name of dialect.Names; "" goes by the host.
	Dialect string
	// Vision says of models whether they can see pictures, whatever is known of the host.
	Vision map[string]bool
	// Listen is the loopback address and port to serve on; "" takes a free port.
	Listen string
	// Kind is what the client speaks and, but for KindResponses, the endpoint too. Auth is how the endpoint wants its key.
	Kind gateway.Kind
	Auth gateway.Auth
	// Workspace and Session name the one route.
	Workspace, Session string
	// Now and Random are required.
	Now    func() time.Time
	Random io.Reader
	// Failed is told of each request that failed or was refused, from any goroutine; nil is nobody.
	Failed func(status int, code string)
}

// String names nothing of the plan, which holds a credential.
func (p Plan) String() string { return "plan" }

// GoString is the same as String.
func (p Plan) GoString() string { return p.String() }

// FieldError is a part of a plan that cannot be used: Upstream, Key, Models, Dialect or Listen.
type FieldError struct{ Field, What string }

func (e *FieldError) Error() string { return e.Field + " " + e.What }

// Relay is a gateway that serves. It is safe for concurrent use.
type Relay struct {
	server *gateway.Server
	handle *gateway.Handle
	tally  *Tally
}

// Open starts to serve, and does until Close. Errors that a person can mend are FieldErrors.
func Open(p Plan) (*Relay, error) {
	r := &Relay{tally: &Tally{Failed: p.Failed}}
	route := gateway.Route{
		Workspace: p.Workspace, Session: p.Session, BaseURL: p.Upstream, APIKey: p.Key, Models: p.Models,
		Vision: p.Vision, Kind: p.Kind, Auth: p.Auth,
	}
	if p.Kind == gateway.KindResponses {
		// Clients of the other kinds know what the statuses of their own protocol mean.
		route.StatusMode = gateway.StatusAgent
	}
	if p.Dialect != "" {
		d, known := dialect.Named(p.Dialect)
		if !known {
			return nil, &FieldError{"Dialect", fmt.Sprintf("%q is unknown", p.Dialect)}
		}
		route.Dialect = &d
	}
	var err error
	serve := gateway.Config{
		Address: p.Listen, Proxy: http.ProxyFromEnvironment, Observer: r.tally, Now: p.Now, Random: p.Random,
	}
	if p.Kind != gateway.KindResponses {
		if serve.PassthroughAddress, serve.Address = p.Listen, ""; p.Listen == "" {
			serve.PassthroughAddress = "127.0.0.1:0"
		}
	}
	r.server, err = gateway.Listen(serve)
	if err != nil {
		return nil, &FieldError{"Listen", strings.TrimPrefix(err.Error(), "gateway: ")}
	}
	if r.handle, err = r.server.Register(route); err == nil {
		err = r.handle.Commit()
	}
	if err != nil {
		return nil, errors.Join(fieldOf(err), r.server.Close(context.Background()))
	}
	return r, nil
}

// fieldOf names the field of the plan that a route was refused for.
func fieldOf(err error) error {
	rest, found := strings.CutPrefix(err.Error(), "gateway: route: ")
	if !found {
		return err
	}
	field, what, _ := strings.Cut(rest, " ")
	switch field {
	case "BaseURL":
		field = "Upstream"
	case "APIKey":
		field = "Key"
	}
	return &FieldError{field, what}
}

// BaseURL is what a client is configured with.
func (r *Relay) BaseURL() string { return r.handle.BaseURL() }

// Token is what such a client has for a key.
func (r *Relay) Token() string { return r.handle.Token() }

// Refused is which refusal of the key the endpoint's last answer was; see [gateway.Handle.Refused].
func (r *Relay) Refused() uint64 { return r.handle.Refused() }

// Close lets requests end for a few seconds and stops to serve. It gives the summary of all that went through.
func (r *Relay) Close(ctx context.Context) (Summary, error) {
	err := r.server.Close(ctx)
	return r.tally.Summary(), err
}
