package gateway_test

import (
	"strings"
	"testing"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// That an upstream refuses the credential is known of each route, whichever it is, from the answer that said so to the next.
func TestRefusedCredentialIsKnown(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*bench) reply{
		"translated": (*bench).turn,
		"chat":       func(b *bench) reply { return b.forward("/v1/chat/completions", chatTurn, nil) },
		"messages":   func(b *bench) reply { return b.forward("/v1/messages", `{"model":"m","messages":[]}`, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kind := map[string]gateway.Kind{"chat": gateway.KindChatPassthrough, "messages": gateway.KindMessagesPassthrough}[name]
			script := []struct {
				status  int
				says    string
				refused bool
			}{
				{401, "who", true}, {401, "who", true}, {500, "down", false}, {403, "not you", true}, {200, "", false}, {401, "", true},
				{403, "your balance is used up", false}, {401, "who", true}, {404, "no such model", false}, {429, "slow down", false},
			}
			var answers []gatewaytest.Answer
			for _, s := range script {
				if s.status == 200 {
					answers = append(answers, gatewaytest.Text("hello"))
					continue
				}
				answers = append(answers, gatewaytest.Status(s.status, `{"error":{"message":"`+s.says+`"}}`))
			}
			b := startPassthrough(t, kind, gateway.Config{}, answers...)
			if b.handle.Refused() != 0 {
				t.Fatal("refused before it was asked")
			}
			var before uint64
			for i, s := range script {
				r := ask(b)
				now := b.handle.Refused()
				if (now != 0) != s.refused || now != 0 && now <= before {
					t.Errorf("answer %d, %d %s: %d after %d, and the client got %d %s", i, s.status, s.says, now, before, r.status, r.body)
				}
				before = max(before, now)
			}
			// What the gateway itself refuses is no word of the upstream's.
			b.handle.Revoke()
			if r := ask(b); b.handle.Refused() != 0 || !strings.Contains(r.body, "token") {
				t.Errorf("a token that is dead: %d %s", b.handle.Refused(), r.body)
			}
		})
	}
}
