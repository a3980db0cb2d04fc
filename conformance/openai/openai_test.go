//go:build linux

// The client takes minutes to compile, and behaves the same on every system.

package openai_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

func client(t *testing.T, answers ...gatewaytest.Answer) (openai.Client, *gatewaytest.Upstream) {
	t.Helper()
	up := gatewaytest.Start(answers...)
	t.Cleanup(up.Close)
	gw, err := gateway.Listen(gateway.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = gw.Close(context.Background()) })
	h, err := gw.Register(gateway.Route{Workspace: "w", Session: "s", BaseURL: up.URL(), APIKey: "sk-upstream-credential"})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Commit(); err != nil {
		t.Fatal(err)
	}
	own := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(own.CloseIdleConnections)
	return openai.NewClient(option.WithHTTPClient(own), option.WithBaseURL(h.BaseURL()), option.WithAPIKey(h.Token()), option.WithMaxRetries(0)), up
}

func params() responses.ResponseNewParams {
	return responses.ResponseNewParams{
		Model:           "m",
		Instructions:    openai.String("Be brief."),
		Input:           responses.ResponseNewParamsInputUnion{OfString: openai.String("hi")},
		MaxOutputTokens: openai.Int(100),
		Tools: []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{
			Name: "f", Parameters: map[string]any{"type": "object", "properties": map[string]any{"x": map[string]any{"type": "number"}}},
		}}},
	}
}

func TestWholeAnswer(t *testing.T) {
	t.Parallel()
	c, _ := client(t, gatewaytest.JSON(gatewaytest.Completion("Hello")))
	r, err := c.Responses.New(context.Background(), params())
	if err != nil {
		t.Fatal(err)
	}
	if r.OutputText() != "Hello" || r.Status != "completed" || r.Usage.TotalTokens != 18 || r.Model != "m" || r.ID == "" ||
		r.MaxOutputTokens != 100 || r.Instructions.OfString != "Be brief." || len(r.Tools) != 1 || r.Tools[0].Name != "f" {
		t.Fatalf("%+v", r)
	}
}

func TestStreamOfText(t *testing.T) {
	t.Parallel()
	c, _ := client(t, gatewaytest.Text("Hel", "lo"))
	s := c.Responses.NewStreaming(context.Background(), params())
	var text, done, final string
	next := int64(0)
	for s.Next() {
		e := s.Current()
		if e.SequenceNumber != next {
			t.Fatalf("event %d has number %d", next, e.SequenceNumber)
		}
		next++
		switch v := e.AsAny().(type) {
		case responses.ResponseTextDeltaEvent:
			text += v.Delta
		case responses.ResponseTextDoneEvent:
			done = v.Text
		case responses.ResponseCompletedEvent:
			final = v.Response.OutputText()
			if v.Response.Usage.InputTokens != 11 || v.Response.Usage.OutputTokens != 7 {
				t.Fatalf("usage %+v", v.Response.Usage)
			}
		case nil:
			t.Fatalf("the client does not know %s", e.Type)
		}
	}
	if s.Err() != nil || text != "Hello" || done != "Hello" || final != "Hello" {
		t.Fatalf("%v %q %q %q", s.Err(), text, done, final)
	}
}

func TestStreamOfReasoningAndCalls(t *testing.T) {
	t.Parallel()
	c, up := client(t, gatewaytest.Stream(
		gatewaytest.Chunk(`{"reasoning_content":"think"}`),
		gatewaytest.Chunk(`{"tool_calls":[{"index":0,"id":"c1","function":{"name":"f","arguments":"{\"x\""}}]}`),
		gatewaytest.Chunk(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
		gatewaytest.Finish("tool_calls"), gatewaytest.Usage(1, 2)), gatewaytest.Text("done"))
	s := c.Responses.NewStreaming(context.Background(), params())
	var args string
	var final responses.Response
	for s.Next() {
		switch v := s.Current().AsAny().(type) {
		case responses.ResponseFunctionCallArgumentsDeltaEvent:
			args += v.Delta
		case responses.ResponseCompletedEvent:
			final = v.Response
		}
	}
	if s.Err() != nil || args != `{"x":1}` || len(final.Output) != 2 || final.Output[0].Type != "reasoning" {
		t.Fatalf("%v %q %+v", s.Err(), args, final.Output)
	}
	call := final.Output[1].AsFunctionCall()
	if call.Name != "f" || call.CallID != "c1" || call.Arguments != args {
		t.Fatalf("%+v", call)
	}
	// The client's own history goes back as it came.
	next := params()
	next.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
		responses.ResponseInputItemParamOfMessage("hi", responses.EasyInputMessageRoleUser),
		responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name),
		{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
			CallID: param.NewOpt(call.CallID),
			Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: param.NewOpt("42")},
		}},
	}}
	s = c.Responses.NewStreaming(context.Background(), next)
	for s.Next() {
	}
	if body := string(up.Last().Body); s.Err() != nil || !strings.Contains(body, `"tool_call_id":"c1"`) {
		t.Fatalf("%v %s", s.Err(), body)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	c, _ := client(t, gatewaytest.Status(400, `{"error":{"message":"maximum context length is 10"}}`))
	_, err := c.Responses.New(context.Background(), params())
	e, ok := err.(*openai.Error)
	if !ok || e.StatusCode != 400 || e.Code != "context_length_exceeded" || !strings.Contains(e.Message, "maximum") {
		t.Fatalf("%v", err)
	}
}
