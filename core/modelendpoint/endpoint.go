package modelendpoint

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// KeyName is the name of the handle that an adapter has for the key.
const KeyName = "endpoint-key"

const (
	maxModels  = 4096
	maxText    = 512
	maxKey     = 8 << 10
	maxContext = 1 << 30
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
	// Unusable says why its owner knows already that it cannot be used, as [Disabled] or [Gone]. Nothing else of it is looked
	// at then. "": nothing keeps it from being used.
	Unusable Unusable
	// Otherwise says what becomes of the session when the endpoint cannot be used.
	Otherwise OtherWay
	// UnsafeKeyInFile allows the key in a file of the session's own directory, mode 0600, for clients that take it no
	// other way. The token of a [Route] may stand in one without.
	UnsafeKeyInFile bool

	temporary bool // the key is good for one session
}

// Model is a model of an endpoint.
type Model struct {
	ID   string `json:"id"`
	Name string `json:"name"` // default: the id
	// ContextTokens is how many tokens it reads at once. 0: not known.
	ContextTokens int `json:"contextTokens,omitempty"`
	// Images says that it can see. What is not known of a model is not assumed.
	Images bool `json:"images,omitempty"`
}

// Clean gives the endpoint with all defaults, in the form that adapters are told. Errors are of core's and hold neither
// the key nor the URL.
func (e Endpoint) Clean() (Endpoint, error) {
	bad := func(what, detail string) (Endpoint, error) {
		return Endpoint{}, fault.New(fault.Invalid, "prepare", "endpoint "+what, detail)
	}
	if !slices.Contains([]preparer.Protocol{preparer.OpenAI, preparer.Responses, preparer.Anthropic}, e.Protocol) {
		return bad("protocol", "is none that there is")
	}
	if e.Otherwise != Fail && e.Otherwise != Native {
		return bad("otherwise", "is none that there is")
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
		if m.ContextTokens < 0 || m.ContextTokens > maxContext {
			return bad("models", "have an entry whose context is negative or beyond all that there is")
		}
		known[m.ID] = true
	}
	if e.Default = strings.TrimSpace(e.Default); e.Default == "" {
		e.Default = e.Models[0].ID
	} else if !known[e.Default] {
		e.Default = Plain(e.Default)
	}
	if !known[e.Default] {
		return Endpoint{}, NoSuchModel("prepare", "endpoint default model", e.Default, e.Name, e.Models)
	}
	key := trimmed(e.Key.Reveal())
	if key == "" || len(key) > maxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return bad("key", "is blank, too long or holds what no header can carry")
	}
	e.Key = NewKey(key)
	return e, nil
}

// NoSuchModel is the error for a model that is none of an endpoint's. Its hint lists those that there are. The text of the
// model is shown, so it is left out unless it is plain.
func NoSuchModel(op, subject, model, endpoint string, models []Model) error {
	detail := "is none of its models"
	if plain(model) {
		detail = strconv.Quote(model) + " is none of the models of " + strconv.Quote(endpoint)
	}
	return fault.New(fault.Invalid, op, subject, detail).WithHint("it has " + some(models))
}

// some lists models for people, the first few of many.
func some(models []Model) string {
	const most = 8
	var ids []string
	for _, m := range models[:min(most, len(models))] {
		ids = append(ids, m.ID)
	}
	if n := len(models) - len(ids); n > 0 {
		ids = append(ids, strconv.Itoa(n)+" more")
	}
	return strings.Join(ids, ", ")
}

// trimmed takes away what a key gets around it by copying: white space and a byte order mark.
func trimmed(key string) string {
	return strings.TrimFunc(key, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
}

// KeyInFile says whether the key may stand in a file of the session.
func (e Endpoint) KeyInFile() bool { return e.UnsafeKeyInFile || e.temporary }

// Told is what an adapter is told of a clean endpoint.
func (e Endpoint) Told() *preparer.Endpoint {
	t := &preparer.Endpoint{
		Name: e.Name, Protocol: e.Protocol, BaseURL: e.BaseURL, Default: e.Default, Key: preparer.Secret{Name: KeyName},
		Auth: AuthFor(e.Protocol, e.BaseURL), KeyInFile: e.KeyInFile(),
	}
	for _, m := range e.Models {
		t.Models = append(t.Models, preparer.EndpointModel(m))
	}
	return t
}

func plain(s string) bool {
	return len(s) <= maxText && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
