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

	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// teller tells of a turn over the agent's protocol.
type teller interface {
	say(ctx context.Context, kind, text string) // of the kinds text and thought
	tool(ctx context.Context, id, kind, title string)
	done(ctx context.Context, id, output string)
	// question asks for one of two colours and a number, and says how it was answered.
	question(ctx context.Context, what string) (string, error)
	// request asks by any method, and gives the answer as it came.
	request(ctx context.Context, method string) (string, error)
	// ask asks for permission and says how it was answered.
	ask(ctx context.Context, id, kind, title string) (string, error)
}

const (
	text    = "text"
	thought = "thought"
)

// script is a turn that is carried out.
type script struct {
	faults
	voice  teller
	prompt json.RawMessage
	stop   string
	value  func(option string) string // what the host has set
}

// block is a part of a prompt.
type block struct{ Text string }

// instructions are those of a prompt. A notice about connectors, which a host puts in front, is none.
func instructions(prompt []block) string {
	for _, b := range prompt {
		if !strings.HasPrefix(b.Text, "Connector(s) ") && !strings.HasPrefix(b.Text, "The connector ") {
			return b.Text
		}
	}
	return ""
}

// run carries out the instructions, until the turn is cancelled. An error is what the turn fails with.
func (s *script) run(ctx context.Context, prompt string) error {
	for line := range strings.Lines(prompt) {
		if err := s.do(ctx, strings.TrimSuffix(line, "\n")); err != nil {
			return err
		}
		if ctx.Err() != nil {
			s.stop = "cancelled"
			break
		}
	}
	return nil
}

func (s *script) do(ctx context.Context, line string) error {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "":
	case "say":
		s.voice.say(ctx, text, rest)
	case "think":
		s.voice.say(ctx, thought, rest)
	case "tool":
		id, kind, title := three(rest)
		s.voice.tool(ctx, id, kind, title)
	case "done":
		id, output, _ := strings.Cut(rest, " ")
		s.voice.done(ctx, id, output)
	case "ask":
		id, kind, title := three(rest)
		answer, err := s.voice.ask(ctx, id, kind, title)
		if err != nil {
			return err
		}
		s.voice.say(ctx, text, "answer "+answer)
	case "question":
		answer, err := s.voice.question(ctx, rest)
		if err != nil {
			return err
		}
		s.voice.say(ctx, text, answer)
	case "request":
		answer, err := s.voice.request(ctx, rest)
		if err != nil {
			answer = err.Error()
		}
		s.voice.say(ctx, text, answer)
	case "show":
		s.voice.say(ctx, text, string(s.prompt))
	case "option":
		s.voice.say(ctx, text, s.value(rest))
	case "pid":
		s.voice.say(ctx, text, strconv.Itoa(os.Getpid()))
	case "env":
		s.voice.say(ctx, text, os.Getenv(rest))
	case "flood":
		n, _ := strconv.Atoi(rest)
		s.voice.say(ctx, text, strings.Repeat("x", n))
	case "repeat":
		count, what, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(count)
		for range n {
			s.voice.say(ctx, text, what)
		}
	case "stamp":
		count, pause, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(count)
		d, err := time.ParseDuration(pause)
		if err != nil {
			return err
		}
		for ; n > 0 && ctx.Err() == nil; n-- {
			wait(ctx, d)
			s.voice.say(ctx, text, strconv.FormatInt(time.Now().UnixNano(), 10))
		}
	case "noise":
		fmt.Println(rest)
	case "rant":
		n, _ := strconv.Atoi(rest)
		for line := strings.Repeat("x", 1023) + "\n"; n > 0; n -= len(line) {
			os.Stderr.WriteString(line)
		}
	case "drip":
		for i := range len(rest) {
			os.Stderr.WriteString(rest[i : i+1])
			time.Sleep(time.Millisecond)
		}
		os.Stderr.WriteString("\n")
	case "child":
		return child(rest)
	case "orphan":
		return orphan(rest)
	case "sleep":
		d, err := time.ParseDuration(rest)
		if err != nil {
			return err
		}
		if s.flags["ignore-cancel"] {
			time.Sleep(d)
		}
		wait(ctx, d)
	case "die":
		fmt.Fprintln(os.Stderr, "fakeagent: told to die with "+rest)
		os.Exit(7)
	case "fail":
		code, words, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(code)
		return &jsonrpc.Error{Code: n, Message: words}
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
