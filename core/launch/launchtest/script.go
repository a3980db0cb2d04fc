package launchtest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/coder/acp-go-sdk"

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// script is a turn that is carried out.
type script struct {
	a       *agent
	session string
	prompt  json.RawMessage
	stop    string
}

func (s *script) do(ctx context.Context, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "":
	case "say":
		s.chunk(ctx, "agent_message_chunk", rest)
	case "think":
		s.chunk(ctx, "agent_thought_chunk", rest)
	case "tool":
		id, kind, title := three(rest)
		s.a.update(ctx, s.session, map[string]any{"sessionUpdate": "tool_call", "toolCallId": id, "kind": kind, "title": title, "status": "in_progress"})
	case "done":
		id, output, _ := strings.Cut(rest, " ")
		s.a.update(ctx, s.session, map[string]any{"sessionUpdate": "tool_call_update", "toolCallId": id, "status": "completed",
			"content": []any{map[string]any{"type": "content", "content": map[string]any{"type": "text", "text": output}}}})
	case "ask":
		return s.ask(ctx, rest)
	case "show":
		s.chunk(ctx, "agent_message_chunk", string(s.prompt))
	case "env":
		s.chunk(ctx, "agent_message_chunk", os.Getenv(rest))
	case "flood":
		n, _ := strconv.Atoi(rest)
		s.chunk(ctx, "agent_message_chunk", strings.Repeat("x", n))
	case "repeat":
		count, text, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(count)
		for range n {
			s.chunk(ctx, "agent_message_chunk", text)
		}
	case "noise":
		fmt.Println(rest)
	case "child":
		return child(rest)
	case "orphan":
		return orphan(rest)
	case "sleep":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		if s.a.flags["ignore-cancel"] {
			time.Sleep(d)
		}
		wait(ctx, d)
	case "die":
		fmt.Fprintln(os.Stderr, "fakeagent: told to die with "+rest)
		os.Exit(7)
	case "fail":
		code, text, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(code)
		return &jsonrpc.Error{Code: n, Message: text}
	case "stop":
		s.stop = rest
	}
	return nil
}

func three(rest string) (id, kind, title string) {
	id, rest, _ = strings.Cut(rest, " ")
	kind, title, _ = strings.Cut(rest, " ")
	return id, kind, title
}

func (s *script) chunk(ctx context.Context, kind, text string) {
	s.a.update(ctx, s.session, map[string]any{"sessionUpdate": kind, "content": map[string]any{"type": "text", "text": text}})
}

// ask asks for permission and says how it was answered.
func (s *script) ask(ctx context.Context, rest string) error {
	id, kind, title := three(rest)
	var r acp.RequestPermissionResponse
	_, err := s.a.conn.Call(ctx, acp.ClientMethodSessionRequestPermission, map[string]any{
		"sessionId": s.session, "toolCall": map[string]any{"toolCallId": id, "kind": kind, "title": title, "status": "pending"},
		"options": []any{
			map[string]any{"optionId": "o1", "kind": "allow_once", "name": "Allow"},
			map[string]any{"optionId": "a1", "kind": "allow_always", "name": "Always"},
			map[string]any{"optionId": "n1", "kind": "reject_once", "name": "Reject"},
			map[string]any{"optionId": "n2", "kind": "reject_always", "name": "Never"},
		}}, &r)
	if err != nil {
		return err
	}
	answer := "cancelled"
	if r.Outcome.Selected != nil {
		answer = string(r.Outcome.Selected.OptionId)
	}
	s.chunk(ctx, "agent_message_chunk", "answer "+answer)
	return nil
}

// child starts a process that outlives the turn, and the agent if nobody ends it.
func child(file string) error {
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
}

// orphan starts a process that has left the group and the family of the agent.
func orphan(file string) error {
	return exec.Command("sh", "-c", `setsid sleep 600 >/dev/null 2>&1 </dev/null & echo $! >"$0"`, file).Run()
}
