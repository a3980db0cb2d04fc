package detect

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway/redact"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxDetail bounds what is reported of an answer, in bytes.
const maxDetail = 500

// check is one check.
type check struct {
	*Detector
	t        Target
	progress Progress
	key      plan.Key
	base     string
	auth     preparer.Auth
	redact   *redact.Secrets
	found    Found
	first    string // the id of the model that is listed first
}

func secretsOf(key plan.Key) *redact.Secrets { return redact.New([]string{key.Reveal()}, nil) }

// begin says that a stage begins, and gives what ends it.
func (c *check) begin(s plan.Stage) (end func(plan.Result)) {
	if c.progress.Began != nil {
		c.progress.Began(s)
	}
	begun := c.c.Now()
	return func(r plan.Result) {
		r.Latency = c.c.Now().Sub(begun).Milliseconds()
		c.add(r, s)
	}
}

// add records how a stage went.
func (c *check) add(r plan.Result, s plan.Stage) {
	r.Stage, r.Detail = s, c.clean(r.Detail)
	c.found.Stages = append(c.found.Stages, r)
	c.tell(r)
}

func (c *check) tell(r plan.Result) {
	if c.progress.Done != nil {
		c.progress.Done(r)
	}
}

func (c *check) skip(detail string, stages ...plan.Stage) {
	for _, s := range stages {
		c.add(plan.Result{Status: plan.Skipped, Detail: detail}, s)
	}
}

// authIs says what the inference has shown of the credential.
func (c *check) authIs(r plan.Result) {
	for i, old := range c.found.Stages {
		if old.Stage == plan.Auth && old.Status != r.Status {
			r.Stage, r.Latency, r.Detail = plan.Auth, old.Latency, c.clean(r.Detail)
			c.found.Stages[i] = r
			c.tell(r)
		}
	}
}

func (c *check) outcome(s plan.Stage) plan.Outcome {
	for _, r := range c.found.Stages {
		if r.Stage == s {
			return r.Status
		}
	}
	return ""
}

// clean is a text as it may be shown: one line, without the credential, not too long.
func (c *check) clean(text string) string {
	text = c.redact.Text(strings.ToValidUTF8(text, "?"))
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if len(text) <= maxDetail {
		return text
	}
	n := maxDetail - len("…")
	for !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// limit bounds a stage.
func limit(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, errLate)
}
