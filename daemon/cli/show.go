package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

// exitCancelled is the status of a turn that was cancelled, as a shell has it for an interrupt.
const exitCancelled = 128 + 2

// showing shows a turn while it runs: for people the answer on stdout and all else on stderr, for programs an event a
// line.
type showing struct {
	a       *app
	p       *core.Prepared
	talk    launch.Conversation
	text    bool // the last thing on stdout was a piece of the answer
	endOfLn bool // which ended with its line
	last    launch.Event
	told    map[string]bool // tool calls that were told of
}

func (a *app) showing(p *core.Prepared, talk launch.Conversation) *showing {
	s := a.showingMore(p, talk)
	if a.json {
		s.line(struct {
			Kind         string              `json:"kind"`
			Session      core.Ref            `json:"session"`
			Conversation launch.Conversation `json:"conversation"`
		}{"begin", p.Ref, talk})
		return s
	}
	a.announce(p)
	if talk.Replaced {
		s.replaced(talk)
	}
	return s
}

// showingMore shows a further turn of a conversation that was announced.
func (a *app) showingMore(p *core.Prepared, talk launch.Conversation) *showing {
	return &showing{a: a, p: p, talk: talk, endOfLn: true, told: map[string]bool{}}
}

func (s *showing) line(v any) {
	if out, err := json.Marshal(v); err == nil {
		fmt.Fprintf(s.a.Stdout, "%s\n", out)
	}
}

// say says something on stderr, on a line of its own.
func (s *showing) say(mark, text string) {
	s.breakLine()
	first, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		first += " …"
	}
	fmt.Fprintf(s.a.Stderr, "%s %s\n", mark, s.a.notes.Dim(paint.Clean(first)))
}

// breakLine ends the line of the answer, when both streams show on one terminal.
func (s *showing) breakLine() {
	if s.text && !s.endOfLn && terminal(s.a.Stdout) && terminal(s.a.Stderr) {
		fmt.Fprintln(s.a.Stdout)
		s.endOfLn = true
	}
}

func (s *showing) event(e launch.Event) {
	s.last = e
	if s.a.json {
		s.line(e)
		return
	}
	switch e.Kind {
	case launch.Text:
		text := e.Text
		if terminal(s.a.Stdout) {
			text = paint.CleanLines(text)
		}
		io.WriteString(s.a.Stdout, text)
		s.text, s.endOfLn = true, strings.HasSuffix(text, "\n")
	case launch.ToolStart, launch.ToolUpdate, launch.ToolEnd:
		// Clients begin a call before they know what it will be, and tell its title later.
		if !s.told[e.Tool.ID] && e.Tool.Status != launch.Pending {
			s.told[e.Tool.ID] = true
			s.say(s.a.notes.Accent("·"), toolText(*e.Tool))
		}
		if e.Tool.Status == launch.Failed {
			s.say(s.a.notes.Bad("·"), "failed: "+toolText(*e.Tool))
		}
	case launch.PermissionRequest:
		if e.Answer == launch.Deny {
			s.say(s.a.notes.Warn("·"), "denied: "+e.Tool.Title)
		}
	case launch.Asked:
		if !e.Answered {
			s.say(s.a.notes.Warn("·"), "asked, without an answer: "+questionText(*e.Question))
		}
	case launch.Replaced:
		s.replaced(*e.Conversation)
	case launch.Changed:
		for _, c := range e.Changes {
			s.say(s.a.notes.Warn("·"), changeText(c))
		}
	case launch.Model:
		s.say(s.a.notes.Accent("·"), "model "+e.Model)
	}
}

// changeText is a change in a line.
func changeText(c launch.Change) string {
	what := map[launch.ChangeKind]string{launch.OptionChange: "", launch.ToolChange: "tool ", launch.ServerChange: "MCP server "}[c.What] + c.Name
	switch {
	case c.Is == "":
		return "after its restart the client has no " + what
	case c.Was == "":
		return "after its restart the client has " + what + " too"
	}
	return "after its restart " + what + " is " + c.Is + ", and was " + c.Was
}

// replaced says that the agent knows nothing of what was said before.
func (s *showing) replaced(talk launch.Conversation) {
	s.talk = talk
	s.say(s.a.notes.Warn("greenroom:"), "the conversation could not be resumed, this is a new one: "+talk.Reason)
}

// end says how the turn ended, and gives the exit status for it.
func (s *showing) end() (int, error) {
	if s.text && !s.endOfLn && !s.a.json {
		fmt.Fprintln(s.a.Stdout)
	}
	switch {
	case s.last.Kind == launch.Error:
		return 0, s.last.Err
	case s.last.Reason == launch.Cancelled:
		if !s.a.json {
			s.say(s.a.notes.Warn("greenroom:"), "cancelled")
		}
		return exitCancelled, nil
	case s.last.Reason != launch.Finished:
		if !s.a.json {
			s.say(s.a.notes.Warn("greenroom:"), map[launch.EndReason]string{
				launch.Refused: "the model refused to go on", launch.Limit: "a limit was reached, the answer may not be whole"}[s.last.Reason])
		}
		return exitOther, nil
	}
	if terminal(s.a.Stderr) && !s.a.json {
		s.say(s.a.notes.Good("greenroom:"), "conversation "+s.talk.ID)
	}
	return exitOK, nil
}
