//go:build unix

package gateway

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/conformance/rig"
	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// clients are those that speak the protocol of the endpoint themselves, and get a token of the gateway for a key.
var clients = map[string]struct {
	kind      gateway.Kind
	protocol  upstream.Protocol
	shell     string // the name of the tool for commands
	arguments []string
	environ   func(baseURL, token string) []string
	// part begins an answer that goes on.
	part string
}{
	"opencode": {
		kind: gateway.KindChatPassthrough, protocol: upstream.Chat, shell: "bash",
		arguments: []string{"run"},
		environ: func(baseURL, _ string) []string {
			return []string{
				"OPENCODE_CONFIG_CONTENT=" + `{"provider":{"plan":{"npm":"@ai-sdk/openai-compatible","name":"Plan","options":{"baseURL":"` + baseURL +
					`","apiKey":"{env:PLAN_TOKEN}"},"models":{"plan-model":{"name":"Plan"}}}},"model":"plan/plan-model","enabled_providers":["plan"],"autoupdate":false,"snapshot":false}`,
				"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_AUTOUPDATE=1", "npm_config_offline=true",
			}
		},
		part: "data: " + gatewaytest.Delta("a beginning") + "\n\n",
	},
	"kimi": {
		kind: gateway.KindChatPassthrough, protocol: upstream.Chat, shell: "Bash",
		arguments: []string{"--output-format", "stream-json", "-p"},
		environ: func(baseURL, token string) []string {
			return []string{
				"KIMI_MODEL_NAME=plan-model", "KIMI_MODEL_API_KEY=" + token, "KIMI_MODEL_PROVIDER_TYPE=openai", "KIMI_MODEL_BASE_URL=" + baseURL,
				"KIMI_DISABLE_TELEMETRY=1", "KIMI_CODE_NO_AUTO_UPDATE=1",
			}
		},
		part: "data: " + gatewaytest.Delta("a beginning") + "\n\n",
	},
	"claude": {
		kind: gateway.KindMessagesPassthrough, protocol: upstream.Messages, shell: "Bash",
		arguments: []string{"-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "bypassPermissions"},
		environ: func(baseURL, token string) []string {
			return []string{
				"ANTHROPIC_BASE_URL=" + baseURL, "ANTHROPIC_AUTH_TOKEN=" + token, "ANTHROPIC_MODEL=plan-model", "ANTHROPIC_DEFAULT_HAIKU_MODEL=plan-model",
				"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "CLAUDE_CODE_MAX_RETRIES=0", "IS_SANDBOX=1",
			}
		},
		part: "event: message_start\ndata: " + `{"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"plan-model","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}` +
			"\n\nevent: content_block_start\ndata: " + `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` +
			"\n\nevent: content_block_delta\ndata: " + `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a beginning"}}` + "\n\n",
	},
}

// behind is a client behind a gateway in front of an endpoint.
type behind struct {
	*stage
	name string
	gw   *gateway.Server
	base string
	// token is what the client has instead of the key.
	token string
}

func newBehind(t *testing.T, name, endpoint string) *behind {
	t.Helper()
	c := clients[name]
	gw, err := gateway.Listen(gateway.Config{PassthroughAddress: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := gw.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	h, err := gw.Register(gateway.Route{
		Workspace: "w", Session: name, Kind: c.kind, BaseURL: endpoint, APIKey: planKey, Models: []string{"plan-model"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Commit(); err != nil {
		t.Fatal(err)
	}
	b := &behind{stage: newStage(t, gatewaytest.Start()), name: name, gw: gw, base: h.BaseURL(), token: h.Token()}
	rig.Write(t, filepath.Join(b.state, "none"), "")
	b.environ = slices.DeleteFunc(b.environ, func(kv string) bool { return strings.HasPrefix(kv, "PLAN_KEY=") })
	b.environ = append(b.environ, "PLAN_TOKEN="+b.token, "NO_PROXY=127.0.0.1", "no_proxy=127.0.0.1")
	b.environ = append(b.environ, c.environ(b.base, b.token)...)
	return b
}

func (b *behind) command(prompt string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(filepath.Dir(b.client), b.name), append(slices.Clone(clients[b.name].arguments), prompt)...)
	cmd.Dir, cmd.Env = b.project, b.environ
	return cmd
}

// A key never gets to a client behind a passthrough route, and all else does: text, calls and their results.
func TestPassthroughOfRealClients(t *testing.T) {
	t.Parallel()
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := scripted(t, c.protocol, c.shell)
			b := newBehind(t, name, up.URL())
			r := rig.Run(b.command("do-it"), patience)
			b.swapped(r, up)
			for _, turn := range up.Turns() {
				if bytes.Contains(turn.Body, []byte(b.token)) || strings.Contains(fmt.Sprint(turn.Header), b.token) {
					t.Errorf("the endpoint got the token: %v", turn.Header)
				}
			}
		})
	}
}

func TestPassthroughOfRealClients_AFailure(t *testing.T) {
	t.Parallel()
	for name := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := gatewaytest.Start(gatewaytest.Status(http.StatusUnauthorized,
				`{"type":"error","error":{"type":"authentication_error","message":"the key `+planKey+` is not known"}}`))
			t.Cleanup(up.Close)
			b := newBehind(t, name, up.URL())
			r := rig.Run(b.command("do-it"), patience)
			said := r.Stdout + r.Stderr
			if !strings.Contains(said, "is not known") {
				t.Errorf("the client does not say why: %v\n%s", r.Err, said)
			}
			if strings.Contains(said, planKey) {
				t.Error("the client shows the key")
			}
			b.hidden(planKey)
		})
	}
}

// A client that is gone takes the request to the endpoint with it.
func TestPassthroughOfRealClients_TheClientGoes(t *testing.T) {
	t.Parallel()
	for name, c := range clients {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := gatewaytest.Start(gatewaytest.Raw("text/event-stream", c.part).Then(gatewaytest.Step{Stall: true}))
			t.Cleanup(up.Close)
			b := newBehind(t, name, up.URL())
			done := make(chan rig.Result, 1)
			cmd := b.command("do-it")
			go func() { done <- rig.Run(cmd, patience) }()
			wait(t, "the endpoint is asked", func() bool { return up.Active() > 0 })
			time.Sleep(500 * time.Millisecond)
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-done
			wait(t, "the endpoint is let go", func() bool { return up.Active() == 0 && b.gw.Counters().Active == 0 })
			if n := b.gw.Counters().Requests[gateway.OutcomeCancelled]; n == 0 {
				t.Errorf("%+v", b.gw.Counters())
			}
		})
	}
}

func wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}
