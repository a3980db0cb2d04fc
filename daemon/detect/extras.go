package detect

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/greenroom-agents/greenroom/daemon/plan"
	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const tool = "report_status"

var toolParameters = object{
	"type": "object", "properties": object{"status": object{"type": "string"}}, "required": []string{"status"}, "additionalProperties": false,
}

// extras tries what agents need: an answer in a stream, and a call of a tool.
func (c *check) extras(ctx context.Context) {
	ask := c.messages
	if c.t.Protocol != preparer.Anthropic {
		g, h, err := c.gateway()
		if err != nil {
			return // a gateway that cannot listen says nothing of the endpoint
		}
		defer g.Close(context.WithoutCancel(ctx))
		ask = func(ctx context.Context, withTool bool) (io.ReadCloser, answer, error) {
			return throughGateway(ctx, h, c.found.Model, withTool)
		}
	}
	for _, e := range []struct {
		name   string
		tool   bool
		reason plan.Reason
		shown  func(stream) bool
	}{
		{"streaming", false, plan.NoStreaming, func(s stream) bool { return s.ended }},
		{"tool_call", true, plan.NoToolCalls, func(s stream) bool { return s.ended && s.called }},
	} {
		limited, cancel := limit(ctx, c.c.Inference)
		x := plan.Extra{Name: e.name, Status: plan.Failed, Reason: e.reason}
		body, refusal, err := ask(limited, e.tool)
		switch {
		case err != nil:
			r := broken(limited, err)
			x.Reason, x.Detail = r.Reason, r.Detail
		case body == nil:
			x.Detail = refused(refusal).Detail
		default:
			s := readStream(body)
			body.Close()
			if e.shown(s) {
				x.Status, x.Reason = plan.Passed, ""
			} else {
				x.Detail = s.why()
			}
		}
		cancel()
		x.Detail = c.clean(x.Detail)
		c.found.Extras = append(c.found.Extras, x)
	}
}

// gateway opens the way that a client of the Responses API has to the endpoint.
func (c *check) gateway() (*gateway.Server, *gateway.Handle, error) {
	g, err := gateway.Listen(gateway.Config{Proxy: c.c.Proxy, RootCAs: c.c.RootCAs, Now: c.c.Now, Random: c.c.Random})
	if err != nil {
		return nil, nil, err
	}
	h, err := g.Register(gateway.Route{
		Workspace: "check", Session: "check", BaseURL: c.base, APIKey: c.key.Reveal(), Models: []string{c.found.Model}, StatusMode: gateway.StatusPreserve,
	})
	if err == nil {
		err = h.Commit()
	}
	if err != nil {
		_ = g.Close(context.Background())
		return nil, nil, err
	}
	return g, h, nil
}

func throughGateway(ctx context.Context, h *gateway.Handle, model string, withTool bool) (io.ReadCloser, answer, error) {
	body := object{"model": model, "input": question, "stream": true}
	if withTool {
		body["tools"] = []object{{"type": "function", "name": tool, "description": "Report a status.", "parameters": toolParameters}}
		body["tool_choice"] = object{"type": "function", "name": tool}
		body["input"] = "Report the status ok with the tool."
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, answer{}, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, h.BaseURL()+"/responses", bytes.NewReader(data))
	if err != nil {
		return nil, answer{}, err
	}
	r.Header.Set("Authorization", "Bearer "+h.Token())
	r.Header.Set("Content-Type", "application/json")
	transport := &http.Transport{DisableKeepAlives: true}
	return streamOf(transport.RoundTrip(r))
}

// messages asks an endpoint of the messages protocol, which its clients reach directly.
func (c *check) messages(ctx context.Context, withTool bool) (io.ReadCloser, answer, error) {
	body := object{"model": c.found.Model, "max_tokens": 64, "stream": true, "messages": []object{{"role": "user", "content": question}}}
	if withTool {
		body["max_tokens"] = 256
		body["tools"] = []object{{"name": tool, "description": "Report a status.", "input_schema": toolParameters}}
		body["tool_choice"] = object{"type": "tool", "name": tool}
	}
	return streamOf(c.send(ctx, c.completions(), true, body))
}

// streamOf is the stream of an answer, or the answer when it is a refusal.
func streamOf(resp *http.Response, err error) (io.ReadCloser, answer, error) {
	if err != nil {
		return nil, answer{}, err
	}
	if resp.StatusCode == http.StatusOK {
		return resp.Body, answer{}, nil
	}
	defer resp.Body.Close()
	data, _ := io.ReadAll(io.LimitReader(resp.Body, maxBody))
	return nil, answer{status: resp.StatusCode, body: data}, nil
}

// stream is what was seen in a stream of events.
type stream struct {
	events        int
	ended, called bool
	failed        string
}

func (s stream) why() string {
	switch {
	case s.failed != "":
		return s.failed
	case s.events == 0:
		return "the answer is no stream of events"
	case !s.ended:
		return "the stream ends in the middle"
	}
	return "the model was told to call a tool, and called none"
}

// readStream reads the events of either protocol, in which the end and a call of a tool are told by type.
func readStream(r io.Reader) stream {
	var s stream
	lines := bufio.NewScanner(io.LimitReader(r, 8*maxBody))
	lines.Buffer(nil, maxBody)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		var e struct {
			Type     string
			Item     struct{ Type, Name string }
			Block    struct{ Type, Name string } `json:"content_block"`
			Error    struct{ Message string }
			Response struct{ Error struct{ Message string } }
		}
		if json.Unmarshal([]byte(data), &e) != nil {
			continue
		}
		s.events++
		switch e.Type {
		case "response.output_item.done":
			s.called = s.called || e.Item.Type == "function_call" && e.Item.Name == tool
		case "content_block_start":
			s.called = s.called || e.Block.Type == "tool_use" && e.Block.Name == tool
		case "response.completed", "response.incomplete", "message_stop":
			s.ended = true
		case "response.failed", "error":
			s.failed = fmt.Sprint("the endpoint failed: ", firstOf(e.Response.Error.Message, e.Error.Message, "without a reason"))
		}
	}
	return s
}
