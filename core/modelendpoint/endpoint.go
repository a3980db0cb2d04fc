package modelendpoint

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// KeyName is the name of the handle that an adapter has for the key.
const KeyName = "endpoint-key"

const (
	maxModels = 4096
	maxText   = 512
	maxKey    = 8 << 10
)

// Endpoint is a model endpoint that a session is bound to.
type Endpoint struct {
	// Name is what a person calls it. Default: "Model plan".
	Name     string
	Protocol preparer.Protocol
	// BaseURL is taken in the forms that people paste; see Normalise.
	BaseURL string
	// Models are the models that the session may use, at least one.
	Models []Model
	// Default is the id of one of Models. Default: the first.
	Default string
	// Key is required; an endpoint that wants none still needs something for a client to send.
	Key Key
}

// Model is a model of an endpoint.
type Model struct {
	ID   string
	Name string // default: the id
}

// Clean gives the endpoint with all defaults, in the form that adapters are told. Errors are of core's and hold neither
// the key nor the URL.
func (e Endpoint) Clean() (Endpoint, error) {
	bad := func(what, detail string) (Endpoint, error) {
		return Endpoint{}, fault.New(fault.Invalid, "prepare", "endpoint "+what, detail)
	}
	if e.Protocol != preparer.OpenAI && e.Protocol != preparer.Anthropic {
		return bad("protocol", "is none that there is")
	}
	base, err := Normalise(e.Protocol, e.BaseURL)
	if err != nil {
		return Endpoint{}, fault.Wrap(err, fault.Invalid, "prepare", "endpoint base URL", err.Error()).
			WithHint("give it as in https://api.example.com/v1, without a credential in it")
	}
	e.BaseURL = base
	if e.Name = strings.TrimSpace(e.Name); e.Name == "" {
		e.Name = "Model plan"
	}
	if !plain(e.Name) {
		return bad("name", "is too long or holds control characters")
	}
	if len(e.Models) == 0 || len(e.Models) > maxModels {
		return bad("models", "are none or too many")
	}
	e.Models = slices.Clone(e.Models)
	known := map[string]bool{}
	for i := range e.Models {
		m := &e.Models[i]
		m.ID, m.Name = strings.TrimSpace(m.ID), strings.TrimSpace(m.Name)
		if m.Name == "" {
			m.Name = m.ID
		}
		if m.ID == "" || known[m.ID] || !plain(m.ID) || !plain(m.Name) {
			return bad("models", "have an entry that is blank, too long, there twice or with control characters")
		}
		known[m.ID] = true
	}
	if e.Default = strings.TrimSpace(e.Default); e.Default == "" {
		e.Default = e.Models[0].ID
	}
	if !known[e.Default] {
		return bad("default model", "is none of its models")
	}
	key := strings.TrimSpace(e.Key.Reveal())
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return bad("key", "is blank, too long or holds what no header can carry")
	}
	e.Key = NewKey(key)
	return e, nil
}

// Told is what an adapter is told of a clean endpoint.
func (e Endpoint) Told() *preparer.Endpoint {
	t := &preparer.Endpoint{
		Name: e.Name, Protocol: e.Protocol, BaseURL: e.BaseURL, Default: e.Default, Key: preparer.Secret{Name: KeyName},
	}
	for _, m := range e.Models {
		t.Models = append(t.Models, preparer.EndpointModel{ID: m.ID, Name: m.Name})
	}
	return t
}

func plain(s string) bool {
	return len(s) <= maxText && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
