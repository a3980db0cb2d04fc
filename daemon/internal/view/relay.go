package view

import (
	"fmt"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/relay"
	"github.com/greenroom-agents/greenroom/daemon/internal/shellenv"
)

// Endpoint is a gateway that serves, as it is shown to whoever wants to use it.
type Endpoint struct {
	BaseURL string   `json:"base_url"`
	Token   string   `json:"token"`
	Models  []string `json:"models"`
	// Context is how many tokens the first of them is taken to read at once.
	Context int `json:"context_tokens"`
	// NoProxy is what NO_PROXY has to be for a client to get here, "" where no proxy is in the way.
	NoProxy string `json:"no_proxy,omitempty"`
}

// tokenVariable is what the token is called in the lines for Codex.
const tokenVariable = "GREENROOM_GATEWAY_TOKEN"

// Endpoint shows where a gateway serves, and the lines that start Codex on it.
func (v View) Endpoint(e Endpoint) {
	c := paint.Columns{}
	row := func(name, value string) { c.Row(v.Style.Dim(name), value) }
	row("base URL", v.Style.Accent(e.BaseURL))
	row("token", e.Token)
	row("models", paint.Clean(strings.Join(e.Models, ", ")))
	v.columns(&c)
	v.Title("Codex on it")
	v.Line("  export %s=%s", tokenVariable, e.Token)
	provider := fmt.Sprintf(`model_providers.greenroom={name="Greenroom", base_url=%q, env_key=%q}`, e.BaseURL, tokenVariable)
	if e.NoProxy != "" {
		list := shellenv.Quote(e.NoProxy)
		v.Line("  export NO_PROXY=%s no_proxy=%s", list, list)
	}
	v.Line("  codex -m %s -c model_context_window=%d -c model_provider=greenroom -c %s", shellenv.Quote(e.Models[0]), e.Context, shellenv.Quote(provider))
	v.Line("\n%s", v.Style.Dim("Serving; end it with Ctrl-C."))
}

// Relayed is the one line at the end: what went through a gateway.
func Relayed(s relay.Summary) string {
	parts := []string{counted(int64(s.Turns), "turn")}
	if s.Input+s.Output > 0 {
		in := thousands(s.Input) + " tokens in"
		if s.Input > 0 {
			in += fmt.Sprintf(" (%.0f%% cached)", 100*s.CachedShare)
		}
		parts = append(parts, in, thousands(s.Output)+" out")
	}
	if s.FirstToken > 0 {
		parts = append(parts, "first token after "+short(s.FirstToken))
	}
	if s.Failed > 0 {
		parts = append(parts, counted(int64(s.Failed), "request")+" failed")
	}
	if s.Refused > 0 {
		parts = append(parts, counted(int64(s.Refused), "request")+" refused")
	}
	if s.LastFailure != "" {
		// Codes of an upstream are free text.
		parts[len(parts)-1] += ", the last with " + paint.Clean(s.LastFailure)
	}
	return strings.Join(parts, ", ")
}

// short writes seconds the way a person says them.
func short(seconds float64) string {
	if seconds < 1 {
		return fmt.Sprintf("%.0f ms", max(1, 1000*seconds))
	}
	return fmt.Sprintf("%.1f s", seconds)
}

func counted(n int64, what string) string {
	if n != 1 {
		what += "s"
	}
	return thousands(n) + " " + what
}

// thousands writes a number with commas.
func thousands(n int64) string {
	digits := fmt.Sprint(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
