package gatewaytest

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

// Answer is what the upstream does with one request.
type Answer struct {
	// Status is the HTTP status, 0 for 200.
	Status int
	// Header is added to the answer.
	Header http.Header
	// Delay is waited before the headers are sent. They are flushed at once, unless HoldHeader lets them go out together
	// with the first bytes.
	Delay      time.Duration
	HoldHeader bool
	// Steps are taken in turn; each one is flushed unless it says Hold.
	Steps []Step
}

// Step is one step of an answer. Waiting comes before sending.
type Step struct {
	Send  []byte
	Pause time.Duration
	// Until is waited for.
	Until <-chan struct{}
	// Hold leaves the bytes in the buffer, to go out together with the next ones.
	Hold bool
	// Cut resets the connection, Stall waits until the gateway gives up. Both end the answer.
	Cut, Stall bool
}

// Raw answers 200 with a content type ("" for none) and pieces that are sent one by one.
func Raw(contentType string, pieces ...string) Answer {
	a := Answer{Header: http.Header{"Content-Type": nil}}
	if contentType != "" {
		a.Header.Set("Content-Type", contentType)
	}
	for _, p := range pieces {
		a.Steps = append(a.Steps, Step{Send: []byte(p)})
	}
	return a
}

// Status answers with a status and a JSON body.
func Status(status int, body string) Answer {
	a := Raw("application/json", body)
	a.Status = status
	return a
}

// JSON answers 200 with a JSON body.
func JSON(body string) Answer { return Status(http.StatusOK, body) }

// Stream answers with one event for each chunk and [DONE].
func Stream(chunks ...string) Answer { return Events(append(chunks, "[DONE]")...) }

// Events answers with one event for each payload and nothing else: the stream just ends.
func Events(payloads ...string) Answer {
	pieces := make([]string, len(payloads))
	for i, p := range payloads {
		pieces[i] = "data: " + p + "\n\n"
	}
	return Raw("text/event-stream", pieces...)
}

// Text answers with a text in the given pieces, a finish and a usage chunk.
func Text(pieces ...string) Answer {
	chunks := []string{Chunk(`{"role":"assistant","content":""}`)}
	for _, p := range pieces {
		chunks = append(chunks, Delta(p))
	}
	return Stream(append(chunks, Finish("stop"), Usage(11, 7))...)
}

// Call is one call of a tool.
type Call struct{ ID, Name, Arguments string }

// Calls answers with calls of tools, each in three chunks, and the finish tool_calls.
func Calls(calls ...Call) Answer {
	var chunks []string
	for i, c := range calls {
		half := len(c.Arguments) / 2
		chunks = append(chunks,
			Chunk(`{"tool_calls":[{"index":`+number(i)+`,"id":`+quote(c.ID)+`,"type":"function","function":{"name":`+
				quote(c.Name)+`,"arguments":""}}]}`),
			Chunk(`{"tool_calls":[{"index":`+number(i)+`,"function":{"arguments":`+quote(c.Arguments[:half])+`}}]}`),
			Chunk(`{"tool_calls":[{"index":`+number(i)+`,"function":{"arguments":`+quote(c.Arguments[half:])+`}}]}`))
	}
	return Stream(append(chunks, Finish("tool_calls"), Usage(20, 9))...)
}

// Chunk is a chunk with this delta.
func Chunk(delta string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[` +
		`{"index":0,"delta":` + delta + `,"finish_reason":null}]}`
}

// Delta is a chunk with a piece of text.
func Delta(text string) string { return Chunk(`{"content":` + quote(text) + `}`) }

// Finish is a chunk with a finish reason and no text.
func Finish(reason string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[` +
		`{"index":0,"delta":{},"finish_reason":` + quote(reason) + `}]}`
}

// Usage is the chunk that ends a stream whose request asked for usage.
func Usage(prompt, completion int) string {
	return `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[],` +
		`"usage":{"prompt_tokens":` + number(prompt) + `,"completion_tokens":` + number(completion) +
		`,"total_tokens":` + number(prompt+completion) + `}}`
}

// Completion is a whole answer with this text, for requests that do not stream.
func Completion(text string) string {
	return `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,` +
		`"message":{"role":"assistant","content":` + quote(text) + `},"finish_reason":"stop"}],` +
		`"usage":{"prompt_tokens":11,"completion_tokens":7,"total_tokens":18}}`
}

// With gives the answer with one more header.
func (a Answer) With(name, value string) Answer {
	a.Header = a.Header.Clone()
	if a.Header == nil {
		a.Header = http.Header{}
	}
	a.Header.Set(name, value)
	return a
}

// Then gives the answer with one more step.
func (a Answer) Then(s Step) Answer {
	a.Steps = append(append([]Step(nil), a.Steps...), s)
	return a
}

// First gives the first n steps of the answer.
func (a Answer) First(n int) Answer {
	a.Steps = append([]Step(nil), a.Steps[:n]...)
	return a
}

// Bytewise gives the answer one byte at a time.
func (a Answer) Bytewise() Answer {
	var steps []Step
	for _, s := range a.Steps {
		for i := range s.Send {
			steps = append(steps, Step{Send: s.Send[i : i+1]})
		}
	}
	a.Steps = steps
	return a
}

// Together gives the answer in one piece.
func (a Answer) Together() Answer {
	var all strings.Builder
	for _, s := range a.Steps {
		all.Write(s.Send)
	}
	a.Steps = []Step{{Send: []byte(all.String())}}
	return a
}

func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

func number(n int) string {
	b, err := json.Marshal(n)
	if err != nil {
		return "0"
	}
	return string(b)
}
