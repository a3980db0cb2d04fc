package plan

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/problem"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The limits of a plan, in characters but for the key, which is in bytes.
const (
	MaxName   = 120
	MaxModels = 2000
	MaxText   = 512
	MaxURL    = 2048
	MaxKey    = 8 << 10
)

func invalid(field, detail string) *problem.Error {
	return problem.New(problem.InvalidPlan, field, detail)
}

// Clean gives the spec in the form that is stored. Errors are [problem.InvalidPlan] and hold neither the URL nor a key.
func (s Spec) Clean() (Spec, error) {
	s.Name = strings.TrimSpace(s.Name)
	switch {
	case s.Name == "":
		return Spec{}, invalid("name", "is blank")
	case !line(s.Name, MaxName):
		return Spec{}, invalid("name", "is longer than "+strconv.Itoa(MaxName)+" characters or holds control characters")
	}
	if s.Protocol != preparer.OpenAI && s.Protocol != preparer.Anthropic {
		return Spec{}, invalid("protocol", "is neither openai nor anthropic")
	}
	if s.Template == "" {
		s.Template = Custom
	}
	if !slices.Contains([]Template{OfficialSubscription, CodingPlan, Domestic, Relay, Custom}, s.Template) {
		return Spec{}, invalid("templateKind", "is none that there is").
			WithHint("one of official_subscription, coding_plan, domestic, relay, custom")
	}
	if s.BaseURL = strings.TrimSpace(s.BaseURL); s.BaseURL != "" {
		if s.Template == OfficialSubscription {
			return Spec{}, invalid("baseUrl", "is none of an official subscription, which uses the login of the vendor's client")
		}
		if !line(s.BaseURL, MaxURL) {
			return Spec{}, invalid("baseUrl", "is too long or holds control characters")
		}
		if _, err := modelendpoint.Normalise(s.Protocol, s.BaseURL); err != nil {
			e := invalid("baseUrl", err.Error()).WithHint("give it as in https://api.example.com/v1, without a credential in it")
			e.Cause = err
			return Spec{}, e
		}
	}
	var err error
	if s.Models, err = cleanModels(s.Models); err != nil {
		return Spec{}, err
	}
	if s.Default = modelendpoint.Plain(strings.TrimSpace(s.Default)); s.Default != "" && !s.Has(s.Default) {
		return Spec{}, invalid("defaultModel", "is none of the models of the plan")
	}
	return s, nil
}

func cleanModels(all []Model) ([]Model, error) {
	if len(all) > MaxModels {
		return nil, invalid("models", "are more than "+strconv.Itoa(MaxModels))
	}
	clean := []Model{}
	known := map[string]bool{}
	for _, m := range all {
		m.ID, m.Name = strings.TrimSpace(m.ID), strings.TrimSpace(m.Name)
		if m.ID == "" || known[m.ID] {
			continue
		}
		known[m.ID] = true
		if m.Name == "" {
			m.Name = m.ID
		}
		switch {
		case !line(m.ID, MaxText) || !line(m.Name, MaxText):
			return nil, invalid("models", "have an entry that is too long or holds control characters")
		case m.ContextTokens < 0 || m.ContextTokens > 1<<30:
			return nil, invalid("models", "have an entry whose context is negative or beyond all that there is")
		}
		m.Capabilities = Words(m.Capabilities)
		for _, c := range m.Capabilities {
			if !line(c, 64) {
				return nil, invalid("models", "have an entry with a capability that is too long or holds control characters")
			}
		}
		if p := m.Pricing; p != nil && (p.Input < 0 || p.Output < 0 || p.CacheRead < 0 || p.CacheWrite < 0 || !line(p.Currency, 8)) {
			return nil, invalid("models", "have an entry with a price below nothing or of no currency")
		}
		clean = append(clean, m)
	}
	return clean, nil
}

// CleanKey gives a credential as it is stored, without the white space and the byte order mark that copying puts around
// it. "" is none. The error says nothing of the key.
func CleanKey(key string) (Key, error) {
	key = strings.TrimFunc(key, func(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' })
	if len(key) > MaxKey || strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return Key{}, invalid("apiKey", "is too long or holds what no header can carry").
			WithHint("copy the key again, without what stands around it")
	}
	return modelendpoint.NewKey(key), nil
}

// Words trims words and takes blank ones and second ones out, in their order.
func Words(all []string) []string {
	var clean []string
	for _, w := range all {
		if w = strings.TrimSpace(w); w != "" && !slices.Contains(clean, w) {
			clean = append(clean, w)
		}
	}
	return clean
}

// line says whether a text is one line of at most most characters.
func line(s string, most int) bool {
	return utf8.ValidString(s) && utf8.RuneCountInString(s) <= most && !strings.ContainsFunc(s, unicode.IsControl)
}
