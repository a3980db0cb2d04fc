package demo

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
	"github.com/greenroom-agents/greenroom/daemon/internal/upstream"
)

// patience bounds one run of a client.
const patience = 90 * time.Second

const (
	prompt = "Say hello."
	reply  = "Hello from the loopback endpoint."
	keyVar = "GREENROOM_DEMO_KEY"
)

// part says how a client is asked for one turn against an endpoint of ours.
type part func(url string) (args, env []string)

// parts are the clients that the demo can give a turn to. Another provider's client is left to the plain program.
var parts = map[string]part{
	"codex": func(url string) ([]string, []string) {
		table := fmt.Sprintf(`model_providers.demo={name="demo",base_url="%s/v1",env_key="%s",request_max_retries=0,stream_max_retries=0}`, url, keyVar)
		return []string{
			"exec", "--skip-git-repo-check", "--sandbox", "read-only",
			"-c", `model="demo"`, "-c", `model_provider="demo"`, "-c", table, "-c", `web_search="disabled"`,
			"-c", "features.unbounded_connection_retries=false", prompt,
		}, []string{keyVar + "=invented"}
	},
	"claude": func(url string) ([]string, []string) {
		return []string{"-p", prompt}, []string{
			"ANTHROPIC_BASE_URL=" + url, "ANTHROPIC_API_KEY=invented",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=0",
		}
	},
	"opencode": func(url string) ([]string, []string) {
		config := fmt.Sprintf(`{"model":"demo/demo","enabled_providers":["demo"],"provider":{"demo":{"npm":"@ai-sdk/openai-compatible","models":{"demo":{}},`+
			`"options":{"baseURL":"%s/v1","apiKey":"{env:%s}"}}}}`, url, keyVar)
		return []string{"run", prompt}, []string{"OPENCODE_CONFIG_CONTENT=" + config, keyVar + "=invented", "npm_config_offline=true"}
	},
	"kimi": func(url string) ([]string, []string) {
		return []string{"-p", prompt}, []string{
			"KIMI_MODEL_NAME=demo", "KIMI_MODEL_PROVIDER_TYPE=openai", "KIMI_MODEL_BASE_URL=" + url + "/v1", "KIMI_MODEL_API_KEY=invented",
			"KIMI_DISABLE_TELEMETRY=1",
		}
	},
}

// performance is what a run of a client showed.
type performance struct {
	said   string // on stdout
	turn   string // what it sent to the model, "" when there was none
	status error
	errors string // the end of its stderr
}

// perform gives a real client one turn in a session.
func perform(ctx context.Context, p *core.Prepared, environ []string) (*performance, error) {
	u, err := upstream.Start(ctx, reply)
	if err != nil {
		return nil, err
	}
	defer u.Close()
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	args, env := parts[p.Provider](u.URL())
	cmd, err := p.Command(ctx, environ, args...)
	if err != nil {
		return nil, err
	}
	var out, errs bytes.Buffer
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = 5 * time.Second
	perf := &performance{status: cmd.Run(), said: strings.TrimSpace(out.String()), errors: tail(errs.String())}
	if turns := u.Turns(); len(turns) > 0 {
		perf.turn = turns[0]
	}
	return perf, ctx.Err()
}

// tail is the last lines of a text.
func tail(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return paint.Clean(strings.Join(lines[max(0, len(lines)-3):], " | "))
}
