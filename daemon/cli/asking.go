package cli

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/greenroom-agents/greenroom/core/launch"
	"github.com/greenroom-agents/greenroom/daemon/internal/paint"
)

// policy is who decides about permissions, and who answers questions: nil for nobody.
func (a *app) policy(name string) (launch.Policy, *person, error) {
	var p *person
	if terminal(a.Stdin) && terminal(a.Stderr) {
		p = &person{a: a, wants: make(chan struct{}), free: make(chan struct{}), lines: make(chan string)}
	}
	switch {
	case name == "deny" || name == "" && p == nil:
		return launch.DenyAll, p, nil
	case name == "allow-edits":
		return launch.AllowKinds("read", "edit", "search"), p, nil
	case name == "ask" && p == nil:
		return nil, nil, usage("use allow-edits or deny", "--permission ask needs a terminal")
	case name == "ask" || name == "":
		return p.permit, p, nil
	}
	return nil, nil, usage("one of ask, allow-edits, deny", "--permission %s is unknown", paint.Clean(name))
}

// person sits at the terminal and is asked one thing at a time.
type person struct {
	a *app
	// wants is closed when the person is first asked, and free when nothing else is drawn on the terminal any more.
	wants, free chan struct{}
	first       sync.Once
	turn        sync.Mutex
	lines       chan string
	reading     sync.Once
}

// line asks for a line; false when ctx has ended before there was one, or there is none any more.
func (p *person) line(ctx context.Context, prompt string) (string, bool) {
	p.first.Do(func() { close(p.wants) })
	select {
	case <-p.free:
	case <-ctx.Done():
		return "", false
	}
	fmt.Fprint(p.a.Stderr, prompt)
	p.reading.Do(func() {
		go func() {
			defer close(p.lines)
			for from := bufio.NewReader(p.a.Stdin); ; {
				line, err := from.ReadString('\n')
				if err != nil && line == "" {
					return
				}
				p.lines <- strings.TrimSpace(line)
			}
		}()
	})
	select {
	case line, ok := <-p.lines:
		return line, ok
	case <-ctx.Done():
		io.WriteString(p.a.Stderr, "\n")
		return "", false
	}
}

// permit asks for permission. Everything but a clear yes is a no.
func (p *person) permit(ctx context.Context, r launch.Request) launch.Answer {
	p.turn.Lock()
	defer p.turn.Unlock()
	choices := "[y]es, [N]o"
	if slices.Contains(r.Offers, launch.AllowAlways) {
		choices = "[y]es, [a]lways, [N]o"
	}
	line, _ := p.line(ctx, fmt.Sprintf("\n%s %s\n%s: ", p.a.notes.Warn("may it?"), toolText(r.Tool), choices))
	switch {
	case ctx.Err() != nil:
		return launch.CancelTurn
	case line == "y" || line == "yes":
		return launch.AllowOnce
	case line == "a" || line == "always":
		return launch.AllowAlways
	}
	return launch.Deny
}

// answer puts a question. A blank line leaves a field out, and no field at all is no answer.
func (p *person) answer(ctx context.Context, q launch.Question) (launch.Reply, bool) {
	p.turn.Lock()
	defer p.turn.Unlock()
	mark := p.a.notes.Warn(cmp.Or(paint.Clean(q.From), "the agent") + " asks:")
	if q.URL != "" {
		line, _ := p.line(ctx, fmt.Sprintf("\n%s %s\n%s\ndone? [y]es, [N]o: ", mark, paint.Clean(q.Text), paint.Clean(q.URL)))
		return nil, line == "y" || line == "yes"
	}
	if q.Text != "" {
		mark += " " + paint.Clean(q.Text)
	}
	reply := launch.Reply{}
	for _, f := range q.Fields {
		var b strings.Builder
		fmt.Fprintf(&b, "\n%s %s\n", mark, paint.Clean(f.Text))
		for i, o := range f.Options {
			fmt.Fprintf(&b, "  %d %s\n", i+1, paint.Clean(o))
		}
		hint := "your answer"
		switch {
		case f.Kind == launch.Boolean:
			hint = "true or false"
		case f.Many:
			hint = "numbers, with commas"
		case len(f.Options) > 0 && f.Other:
			hint = "number, or your own words"
		case len(f.Options) > 0:
			hint = "number"
		}
		line, ok := p.line(ctx, b.String()+p.a.notes.Dim(hint+": "))
		if !ok {
			return nil, false
		}
		if answers := chosen(f, line); len(answers) > 0 {
			reply[f.ID] = answers
		}
	}
	return reply, len(reply) > 0
}

// chosen are the answers of a line: options by their numbers, or words.
func chosen(f launch.Field, line string) (answers []string) {
	parts := []string{line}
	if f.Many {
		parts = strings.Split(line, ",")
	}
	for _, part := range parts {
		part = strings.TrimSpace(part)
		if n, err := strconv.Atoi(part); err == nil && n >= 1 && n <= len(f.Options) {
			part = f.Options[n-1]
		}
		if part != "" {
			answers = append(answers, part)
		}
	}
	return answers
}

// toolText is a tool call in a line: its kind, where that says anything, and what it does.
func toolText(t launch.Tool) string {
	if t.Kind == "other" && t.Title != "" {
		return paint.Clean(t.Title)
	}
	return paint.Clean(strings.TrimSpace(t.Kind + " " + t.Title))
}

// questionText is a question in a line.
func questionText(q launch.Question) string {
	if q.Text == "" && len(q.Fields) > 0 {
		return q.Fields[0].Text
	}
	return q.Text
}
