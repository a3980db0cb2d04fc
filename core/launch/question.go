package launch

import (
	"context"
	"slices"
	"strconv"
)

// Question is what an agent, or an MCP server that it uses, asks a person, beside permissions.
type Question struct {
	From   string  `json:"from,omitempty"` // the MCP server that asks, "" for the agent
	Text   string  `json:"text,omitempty"` // what it is about
	URL    string  `json:"url,omitempty"`  // a page to visit, in the place of fields
	Fields []Field `json:"fields,omitempty"`
	Raw    []byte  `json:"-"` // the client's own message
}

// Field is one thing that is asked for.
type Field struct {
	ID      string    `json:"id"`
	Text    string    `json:"text,omitempty"`
	Kind    FieldKind `json:"kind,omitempty"`
	Options []string  `json:"options,omitempty"`
	// Many options may be chosen, and with Other something else may be said.
	Many     bool `json:"many,omitempty"`
	Other    bool `json:"other,omitempty"`
	Secret   bool `json:"secret,omitempty"`
	Required bool `json:"required,omitempty"`
}

// FieldKind is what an answer has to be.
type FieldKind string

// The kinds of fields. The zero value is any text.
const (
	AnyText FieldKind = ""
	Number  FieldKind = "number"
	Integer FieldKind = "integer"
	Boolean FieldKind = "boolean" // "true" or "false"
)

// Reply holds the answers to a question by the ids of its fields.
type Reply map[string][]string

// Asker puts a question to a person; false is no answer, and the agent is told that there is none. It may take its time:
// ctx ends with the turn, or when [Options.AnswerTimeout] is over. A reply that does not fit the question counts as none.
type Asker func(ctx context.Context, q Question) (Reply, bool)

// ask puts a question of the running turn. Outside of a turn nobody is there to answer.
func (c *Conn) ask(ctx context.Context, q Question) (Reply, bool) {
	t := c.running.Load()
	if t == nil || !t.begun.Load() {
		return nil, false
	}
	t.shown.Store(true) // from here on it waits for us
	var reply Reply
	answered := false
	if c.o.Ask != nil {
		ctx, cancel := context.WithTimeout(ctx, c.o.AnswerTimeout)
		defer cancel()
		defer context.AfterFunc(t.ctx, cancel)()
		// Somebody may be deaf to ctx; the deadline holds for them too.
		type answer struct {
			reply Reply
			ok    bool
		}
		got := make(chan answer, 1)
		go func() {
			reply, ok := c.o.Ask(ctx, q)
			got <- answer{reply, ok}
		}()
		select {
		case a := <-got:
			reply, answered = a.reply, a.ok && ctx.Err() == nil && q.fits(a.reply)
		case <-ctx.Done():
		}
	}
	if !answered {
		reply = nil
	}
	c.emit(Event{Kind: Asked, Question: &q, Answered: answered, Raw: q.Raw})
	return reply, answered
}

// fits says whether a reply answers a question.
func (q Question) fits(r Reply) bool {
	for id := range r {
		if !slices.ContainsFunc(q.Fields, func(f Field) bool { return f.ID == id }) {
			return false
		}
	}
	return !slices.ContainsFunc(q.Fields, func(f Field) bool { return !f.fits(r[f.ID]) })
}

func (f Field) fits(answers []string) bool {
	if len(answers) == 0 {
		return !f.Required
	}
	if len(answers) > 1 && !f.Many {
		return false
	}
	return !slices.ContainsFunc(answers, func(a string) bool {
		return f.value(a) == nil || len(f.Options) > 0 && !f.Other && !slices.Contains(f.Options, a)
	})
}

// value is an answer as the field's kind has it, nil for one that is none.
func (f Field) value(answer string) any {
	switch f.Kind {
	case Number:
		if v, err := strconv.ParseFloat(answer, 64); err == nil && v-v == 0 { // finite
			return v
		}
		return nil
	case Integer:
		if v, err := strconv.ParseInt(answer, 10, 64); err == nil {
			return v
		}
		return nil
	case Boolean:
		if v, err := strconv.ParseBool(answer); err == nil {
			return v
		}
		return nil
	}
	return answer
}

// content is a reply as MCP has it: an object with a value for each field that was answered.
func (q Question) content(r Reply) map[string]any {
	content := map[string]any{}
	for _, f := range q.Fields {
		switch answers := r[f.ID]; {
		case len(answers) == 0:
		case f.Many:
			content[f.ID] = answers
		default:
			content[f.ID] = f.value(answers[0])
		}
	}
	return content
}
