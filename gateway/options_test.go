package gateway_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// TestG25_G38_G40_G44_G49_OptionsOfARoute: what a host says of a route holds for its requests, and nothing of it without.
func TestG25_G38_G40_G44_G49_OptionsOfARoute(t *testing.T) {
	t.Parallel()
	deepseek, _ := dialect.Named("deepseek")
	const (
		search  = `{"model":"m","stream":true,"input":[{"role":"user","content":"u"},{"type":"web_search_call","id":"ws","status":"completed"}]}`
		unknown = `{"model":"m","stream":true,"input":"hi","foo":1}`
		effort  = `{"model":"m","stream":true,"input":"hi","reasoning":{"effort":"xhigh"}}`
		picture = `{"model":"m","stream":true,"input":[{"role":"user","content":[{"type":"input_image","image_url":"data:image/png;base64,AA"}]}]}`
	)
	thought := gatewaytest.Stream(gatewaytest.Chunk(`{"reasoning_content":"only a thought"}`), gatewaytest.Finish("stop"))
	for name, tc := range map[string]struct {
		set           func(*gateway.Route)
		ask           string
		answer        gatewaytest.Answer
		with, without func(r reply, sent string) bool
	}{
		"DropHostedHistory": {
			func(r *gateway.Route) { r.DropHostedHistory = true }, search, gatewaytest.Text("x"),
			func(r reply, sent string) bool { return r.status == 200 && !strings.Contains(sent, "web_search") },
			func(r reply, _ string) bool { return r.status == 400 && strings.Contains(r.body, `"param":"input[1]"`) },
		},
		"Strict": {
			func(r *gateway.Route) { r.Strict = true }, unknown, gatewaytest.Text("x"),
			func(r reply, _ string) bool {
				return r.status == 400 && r.code() == "unsupported_parameter" && strings.Contains(r.body, `"param":"foo"`)
			},
			func(r reply, sent string) bool { return r.status == 200 && !strings.Contains(sent, "foo") },
		},
		"DefaultMaxOutputTokens": {
			func(r *gateway.Route) { r.DefaultMaxOutputTokens = 777 }, turn, gatewaytest.Text("x"),
			func(_ reply, sent string) bool { return strings.Contains(sent, `"max_tokens":777`) },
			func(_ reply, sent string) bool { return !strings.Contains(sent, "max_tokens") },
		},
		"PromoteReasoning": {
			func(r *gateway.Route) { r.PromoteReasoning = true }, turn, thought,
			func(r reply, _ string) bool {
				return r.text(t) == "only a thought" && strings.Contains(r.body, "response.completed")
			},
			func(r reply, _ string) bool { return strings.Contains(r.body, "upstream_empty_response") },
		},
		"Dialect": {
			func(r *gateway.Route) { r.Dialect = &deepseek }, effort, gatewaytest.Text("x"),
			func(_ reply, sent string) bool { return strings.Contains(sent, `"reasoning_effort":"max"`) },
			// The one of an address on this machine.
			func(_ reply, sent string) bool { return strings.Contains(sent, `"reasoning_effort":"high"`) },
		},
		"Vision": {
			func(r *gateway.Route) { r.Vision = map[string]bool{"m": false} }, picture, gatewaytest.Text("x"),
			func(_ reply, sent string) bool { return !strings.Contains(sent, "image_url") },
			func(_ reply, sent string) bool { return strings.Contains(sent, "image_url") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{}, tc.answer)
			for given, holds := range map[bool]func(reply, string) bool{true: tc.with, false: tc.without} {
				b.recommit(func(r *gateway.Route) {
					if given {
						tc.set(r)
					}
				})
				r, sent := b.post(tc.ask), ""
				if b.up.Hits() > 0 {
					sent = string(b.up.Last().Body)
				}
				if !holds(r, sent) {
					t.Errorf("given %v: %d %s, asked with %s", given, r.status, r.body, sent)
				}
			}
		})
	}
}
