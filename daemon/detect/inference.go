package detect

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const question = "Reply with the single word: ok"

type object map[string]any

// pick is the model to ask, for this check alone.
func (c *check) pick() string {
	switch {
	case c.t.Model != "":
		return modelendpoint.Plain(c.t.Model)
	case c.t.Effective() != "":
		return c.t.Effective()
	}
	return c.first
}

// completions is where questions go.
func (c *check) completions() string {
	if c.t.Protocol == preparer.Anthropic {
		return c.base + "/v1/messages"
	}
	return c.base + "/chat/completions"
}

// inference asks a model one question.
func (c *check) inference(ctx context.Context) {
	end := c.begin(plan.Inference)
	model := c.pick()
	if model == "" {
		end(plan.Result{Status: plan.Failed, Reason: plan.NoModel, Remedy: plan.SelectModel})
		return
	}
	c.found.Model = model
	limited, cancel := limit(ctx, c.c.Inference)
	defer cancel()
	body := object{"model": model, "max_tokens": 8, "messages": []object{{"role": "user", "content": question}}}
	if c.t.Protocol != preparer.Anthropic {
		body["stream"] = false
	}
	a, err := c.ask(limited, c.completions(), true, body)
	if err == nil && a.status == http.StatusBadRequest && bytes.Contains(a.body, []byte("max_completion_tokens")) {
		// Models that reason take the limit by another name only.
		delete(body, "max_tokens")
		body["max_completion_tokens"] = 64
		a, err = c.ask(limited, c.completions(), true, body)
	}
	if err != nil {
		r := broken(limited, err)
		if r.Reason == plan.Timeout {
			r.Remedy = plan.RetryInference
		}
		end(r)
		return
	}
	r := c.judged(a)
	end(r)
	switch {
	case r.Status == plan.Passed && c.outcome(plan.Auth) == plan.Skipped:
		c.authIs(plan.Result{Status: plan.Passed})
	case r.Reason == plan.Unauthorized:
		c.authIs(r)
	}
}

// judged is how the inference went by its answer. A model that says nothing in so few words is well; an endpoint that
// answers in another language than the protocol's is not.
func (c *check) judged(a answer) plan.Result {
	if a.status < 200 || a.status > 299 {
		r := refused(a)
		if a.status == http.StatusBadRequest || a.status == http.StatusNotFound {
			r.Reason, r.Remedy = plan.ModelRejected, plan.CheckModel
		}
		return r
	}
	var body struct {
		Choices *[]json.RawMessage `json:"choices"`
		Content *[]json.RawMessage `json:"content"`
	}
	err := json.Unmarshal(a.body, &body)
	if err == nil && (c.t.Protocol == preparer.Anthropic && body.Content != nil || c.t.Protocol != preparer.Anthropic && body.Choices != nil) {
		return plan.Result{Status: plan.Passed, Detail: "model " + c.found.Model}
	}
	return plan.Result{
		Status: plan.Failed, Reason: plan.InferenceFailed, Remedy: plan.CheckAddress,
		Detail: "status " + strconv.Itoa(a.status) + ", but the answer is none of the " + string(c.t.Protocol) + " protocol",
	}
}
