package plan

import (
	"time"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Key is a credential that prints as stars.
type Key = modelendpoint.Key

// Template is where a person started from. It is for presentation, but for OfficialSubscription.
type Template string

// The templates.
const (
	// OfficialSubscription is a login of the vendor's own client. Such a plan has neither a base URL nor a key.
	OfficialSubscription Template = "official_subscription"
	CodingPlan           Template = "coding_plan"
	Domestic             Template = "domestic"
	Relay                Template = "relay"
	Custom               Template = "custom" // the default
)

// Billing is how a plan is paid for.
type Billing string

// The ways of billing.
const (
	Subscription Billing = "subscription_quota"
	Metered      Billing = "api_metered"
)

// Billing is derived from the template.
func (t Template) Billing() Billing {
	if t == OfficialSubscription || t == CodingPlan {
		return Subscription
	}
	return Metered
}

// Spec is what a person decides of a plan.
type Spec struct {
	Name     string            `json:"name"`
	Template Template          `json:"templateKind"`
	Protocol preparer.Protocol `json:"protocol"` // openai or anthropic
	// BaseURL is the endpoint in the form that a person typed. "": the vendor's own.
	BaseURL string  `json:"baseUrl,omitempty"`
	Models  []Model `json:"models"`
	// Default is the id of one of Models. "": the first.
	Default string `json:"defaultModel,omitempty"`
	Enabled bool   `json:"enabled"`
}

// Model is a model of a plan. What is not known of it is not assumed.
type Model struct {
	ID            string   `json:"id"`
	Name          string   `json:"name"` // default: the id
	Capabilities  []string `json:"capabilities,omitempty"`
	ContextTokens int      `json:"contextTokens,omitempty"` // 0: not known
	Images        bool     `json:"images,omitempty"`
	Pricing       *Pricing `json:"pricing,omitempty"`
}

// Pricing is what a million tokens cost, in millionths of the currency.
type Pricing struct {
	Currency   string `json:"currency"` // ISO 4217
	Input      int64  `json:"inputMicrosPerMillion"`
	Output     int64  `json:"outputMicrosPerMillion"`
	CacheRead  int64  `json:"cacheReadMicrosPerMillion,omitempty"`
	CacheWrite int64  `json:"cacheWriteMicrosPerMillion,omitempty"`
}

// Plan is one revision of a plan.
type Plan struct {
	Workspace string `json:"workspaceId"`
	ID        string `json:"id"`
	Revision  int64  `json:"revision"` // from 1
	Spec
	HasKey bool `json:"hasApiKey"`
	// KeyUnreadable says that a credential is stored and that no key there is opens it. Its owner has to enter it again.
	KeyUnreadable bool      `json:"apiKeyUnreadable,omitempty"`
	Created       time.Time `json:"createdAt"`
	Updated       time.Time `json:"updatedAt"`
	// Detection is what the last check found, nil when there was none since the connection changed.
	Detection *Detection `json:"detection,omitempty"`
}

// Effective is the model that a session gets which asks for none: the default, else the first, else "".
func (s Spec) Effective() string {
	switch {
	case s.Default != "":
		return s.Default
	case len(s.Models) > 0:
		return s.Models[0].ID
	}
	return ""
}

// Has says whether a model is one of the plan's, whichever way a client spells it.
func (s Spec) Has(model string) bool {
	model = modelendpoint.Plain(model)
	for _, m := range s.Models {
		if m.ID == model {
			return true
		}
	}
	return false
}

// SameConnection says whether a check of one of both is a check of the other. The credential is compared by who has it.
func (s Spec) SameConnection(t Spec) bool {
	return s.Protocol == t.Protocol && s.BaseURL == t.BaseURL && (s.Template == OfficialSubscription) == (t.Template == OfficialSubscription)
}
