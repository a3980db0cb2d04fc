package gateway

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
)

// Kind is the protocol that a route serves.
type Kind uint8

const (
	// KindResponses serves POST /v1/responses and asks the upstream for Chat Completions.
	KindResponses Kind = iota
	// KindChatPassthrough forwards POST /v1/chat/completions. It is served by the passthrough listener.
	KindChatPassthrough
	// KindMessagesPassthrough forwards POST /v1/messages. It is served by the passthrough listener.
	KindMessagesPassthrough
)

// StatusMode says which HTTP status the client gets for an upstream's error.
type StatusMode uint8

const (
	// StatusPreserve keeps the upstream's status where it has a meaning for the client.
	StatusPreserve StatusMode = iota
	// StatusAgent chooses the status that makes an agent do the right thing: stop on what is permanent, retry what is
	// not. The upstream's own status is in X-Upstream-Status.
	StatusAgent
)

// Auth is the header that carries the credential to the upstream.
type Auth uint8

const (
	// AuthBearer is "Authorization: Bearer".
	AuthBearer Auth = iota
	// AuthAPIKey is "x-api-key", which the vendor of the messages protocol wants.
	AuthAPIKey
)

// Route says where the requests of one session go. It must not be changed after Register.
type Route struct {
	// Workspace and Session are the key of the route: there is one for both.
	Workspace, Session string
	Kind               Kind
	// BaseURL is the upstream. "/v1" is added unless its path ends in a version, and then the path of the protocol
	// unless it is there already.
	BaseURL string
	// FullURL takes BaseURL as it is.
	FullURL bool
	// KeepQuery keeps the query of BaseURL, which is dropped otherwise.
	KeepQuery bool
	// APIKey is the credential. It may be empty for an upstream on this machine only.
	APIKey string
	Auth   Auth
	// Models are the models that may be asked for. Empty allows every model.
	Models []string
	// Vision says of models, by the upstream's names, whether they can see pictures. Of others the dialect does.
	Vision map[string]bool
	// ModelPrefix is cut off the model's name before it goes upstream.
	ModelPrefix string
	// Headers are added to every request to the upstream. Authorization, hop-by-hop and content headers are refused.
	Headers map[string]string
	// Dialect is how the upstream wants its requests; nil is what is known of the host.
	Dialect *dialect.Dialect
	// Strict refuses unknown fields and declarations instead of leaving them out.
	Strict bool
	// DropHostedHistory leaves out calls of hosted tools that carry no output.
	DropHostedHistory bool
	StatusMode        StatusMode
	// DefaultMaxOutputTokens limits answers of requests that do not say; 0 leaves it to the upstream.
	DefaultMaxOutputTokens int
	// PromoteReasoning makes text of an answer that holds reasoning only.
	PromoteReasoning bool
	// Revision names the state of the plan in events.
	Revision string
}

// String names the route without its credential and its upstream.
func (r Route) String() string { return fmt.Sprintf("route %s/%s", r.Workspace, r.Session) }

// GoString is the same as String: a route that is printed by mistake must not show its credential.
func (r Route) GoString() string { return r.String() }

// LogValue is the same as String.
func (r Route) LogValue() slog.Value { return slog.StringValue(r.String()) }

const (
	maxModels  = 4096
	maxName    = 512
	maxKey     = 8 << 10
	maxHeaders = 64
)

// check gives the endpoint of a route that is complete. The errors name the field and never a value.
func (r *Route) check() (*url.URL, error) {
	r.Workspace, r.Session = strings.TrimSpace(r.Workspace), strings.TrimSpace(r.Session)
	switch {
	case r.Workspace == "" || len(r.Workspace) > maxName || hasControl(r.Workspace):
		return nil, routeError("Workspace", "is empty, too long or holds control characters")
	case r.Session == "" || len(r.Session) > maxName || hasControl(r.Session):
		return nil, routeError("Session", "is empty, too long or holds control characters")
	case r.Kind > KindMessagesPassthrough:
		return nil, routeError("Kind", "is unknown")
	case r.StatusMode > StatusAgent:
		return nil, routeError("StatusMode", "is unknown")
	case r.Auth > AuthAPIKey:
		return nil, routeError("Auth", "is unknown")
	case len(r.Models) > maxModels:
		return nil, routeError("Models", "has too many entries")
	case len(r.Vision) > maxModels:
		return nil, routeError("Vision", "has too many entries")
	case r.DefaultMaxOutputTokens < 0:
		return nil, routeError("DefaultMaxOutputTokens", "is negative")
	case len(r.Headers) > maxHeaders:
		return nil, routeError("Headers", "has too many entries")
	}
	for _, m := range r.Models {
		if m == "" || len(m) > maxName || hasControl(m) {
			return nil, routeError("Models", "has an entry that is empty, too long or holds control characters")
		}
	}
	for k, v := range r.Headers {
		if !headerName(k) || forbiddenHeader(k) || hasControl(v) {
			return nil, routeError("Headers", "has an entry that is not allowed")
		}
	}
	endpoint, err := r.endpoint()
	if err != nil {
		return nil, err
	}
	// A byte order mark and white space come from pasting; anything else that a header cannot hold is a mistake.
	r.APIKey = strings.Trim(strings.TrimPrefix(strings.TrimSpace(r.APIKey), "\uFEFF"), " \t\r\n")
	for _, c := range []byte(r.APIKey) {
		if c <= ' ' || c > '~' {
			return nil, routeError("APIKey", "holds a character that no header can carry")
		}
	}
	if len(r.APIKey) > maxKey {
		return nil, routeError("APIKey", "is too long")
	}
	if r.APIKey == "" && !isLoopback(endpoint) {
		return nil, routeError("APIKey", "is empty")
	}
	return endpoint, nil
}

// allows says whether the route serves a model, and under which name the upstream knows it.
func (r *Route) allows(model string) (string, bool) {
	name := model
	if r.ModelPrefix != "" {
		name = strings.TrimPrefix(model, r.ModelPrefix)
	}
	if len(r.Models) == 0 || slices.Contains(r.Models, model) || slices.Contains(r.Models, name) {
		return name, name != ""
	}
	return "", false
}

func routeError(field, what string) error { return errors.New("gateway: route: " + field + " " + what) }

func hasControl(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
}

func headerName(s string) bool {
	if s == "" || len(s) > 128 {
		return false
	}
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_', c == '.':
		default:
			return false
		}
	}
	return true
}

// forbiddenHeader names the headers that are not for a route to set.
func forbiddenHeader(name string) bool {
	switch textproto.CanonicalMIMEHeaderKey(name) {
	case "Authorization", "Proxy-Authorization", "X-Api-Key", "Host", "Content-Length", "Content-Type",
		"Content-Encoding", "Accept", "Accept-Encoding", "Transfer-Encoding", "Connection", "Keep-Alive",
		"Proxy-Connection", "Te", "Trailer", "Upgrade", "Cookie", http.CanonicalHeaderKey("Expect"):
		return true
	}
	return false
}
